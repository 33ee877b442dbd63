import { figuresOf } from '../model/series/current-figures.ts';
import type { LogEntry, Source } from '../model/log/flow-log.ts';
import type { FlowSeries } from '../model/series/flow-series.ts';

/** What an entry says, without who, when and the figures of its moment. */
export type EntryContent = Pick<LogEntry, 'kind' | 'data' | 'sector'>;

export interface EntryContext {
  readonly series: FlowSeries;
  /** Codes by the place of their sector, '' for the others. */
  readonly sectors: readonly string[];
  readonly source: Source;
  /** By the flow's clock. */
  readonly nowMs: () => number;
}

/** An entry of this moment, or of `atMs`. `by`: the operator; null: this server. */
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
