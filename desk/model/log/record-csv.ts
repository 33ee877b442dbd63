import { csvLine } from './csv-line.ts';
import type { LogRow, Source } from './flow-log.ts';
import { canonicalJson, chainedText } from './log-chain.ts';
import type { Minute, MinuteOfSector } from '../series/minute.ts';

/** docs/record.md describes the columns. */
export const MINUTES_HEADER = csvLine(
  'event,source,import,sector,minute,admitted,net,entered,reverted,moved,lots,valid'.split(','),
);
export const LOG_HEADER = csvLine(
  'event,seq,id,at,source,kind,by,sector,data,figures,previous,sha256'.split(','),
);

/** A row of `triagem.minutes`. */
export interface RecordedMinuteOfSector extends MinuteOfSector {
  readonly eventId: string;
  readonly source: Source;
  /** Empty for observed minutes. */
  readonly importId: string;
  /** A row's code, or '' for the others. */
  readonly sector: string;
  readonly minuteMs: number;
}

export function minuteLine(row: RecordedMinuteOfSector): string {
  const { eventId, source, importId, sector, minuteMs } = row;
  const { admitted, net, entered, reverted, moved, lots, valid } = row;
  const minute = `${new Date(minuteMs).toISOString().slice(0, 19)}Z`;
  const counts = [admitted, net, entered, reverted, moved, lots, valid];
  return csvLine([eventId, source, importId, sector, minute, ...counts]);
}

/** Returns the lines of an observed minute; `codes` are those of its sectors, '' for the others. */
export function minuteLines(
  { minuteMs, sectors }: Minute,
  of: { readonly eventId: string; readonly source: Source; readonly codes: readonly string[] },
): readonly string[] {
  const { eventId, source, codes } = of;
  return sectors
    .map((counts, place) => ({ ...counts, sector: codes[place] ?? '' }))
    .toSorted((a, b) => (a.sector < b.sector ? -1 : 1))
    .map((row) => minuteLine({ ...row, eventId, source, importId: '', minuteMs }));
}

function logLine(eventId: string, row: LogRow, hash: string): string {
  const { seq, id, atMs, source, kind, by, sector, recordedOf = sector, data, figures, previous } = row;
  const texts = [cellJson(data), cellJson(figures)];
  const at = new Date(atMs).toISOString();
  return csvLine([eventId, seq, id, at, source, kind, by, recordedOf, ...texts, previous, hash]);
}

export function* logLines(
  eventId: string,
  log: Iterable<LogRow>,
  sha256: (text: string) => string,
): Generator<string> {
  for (const row of log) yield logLine(eventId, row, sha256(chainedText(eventId, row)));
}

/** Escapes semicolons, which separate cells in some spreadsheets, within the JSON. */
function cellJson(value: unknown): string {
  return canonicalJson(value).replaceAll(';', String.raw`\u003b`);
}
