import { figuresOf } from '../model/series/current-figures.ts';
import type { LogEntry, Source } from '../model/log/flow-log.ts';
import type { FlowSeries } from '../model/series/flow-series.ts';

/** An entry without its author, time and figures. */
export type EntryContent = Pick<LogEntry, 'kind' | 'data' | 'sector'>;

export interface EntryContext {
  readonly series: FlowSeries;
  /** The codes of the sectors, '' for the others. */
  readonly sectors: readonly string[];
  readonly source: Source;
  /** Returns the time of the flow's clock. */
  readonly nowMs: () => number;
}

/** Makes an entry of this moment, or of `atMs`. `by` is the operator, or null for this server. */
export function makeEntry(
  { series, sectors, source, nowMs }: EntryContext,
  id: string,
  content: EntryContent,
  { by = null, atMs = nowMs() }: { readonly by?: string | null; readonly atMs?: number } = {},
): LogEntry {
  const { sector } = content;
  return {
    ...content,
    id,
    atMs: Math.round(atMs),
    source,
    by,
    figures: figuresOf(series, sector === null ? undefined : sectors.indexOf(sector)),
  } as LogEntry;
}
