import type { LogRow } from './flow-log.ts';

/**
 * What a row's SHA-256 is taken of, and which the next row holds as `previous`: a JSON array without white space, the
 * keys of its objects in the order of their UTF-16 code units, so that it is the same whoever writes it (docs/record.md).
 */
export function chainedText(eventId: string, row: LogRow): string {
  const { seq, id, atMs, source, kind, by, sector, data, figures, previous } = row;
  return canonicalJson([eventId, seq, id, atMs, source, kind, by, sector, data, figures, previous]);
}

/** @param value As JSON has them: no `undefined` in an array. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join()}}`;
}

/** Where a log is not as it was written. */
export interface BrokenLink {
  /** Of the row at which that shows: it, or one before it, was changed, added or removed. */
  readonly seq: number;
  readonly why: string;
}

/**
 * Holds every row of a log, in its order, against the one before. What was changed behind the last row that somebody has
 * the hash of cannot show: the last row's own hash is to be kept elsewhere.
 */
export function verifyChain(
  eventId: string,
  rows: Iterable<LogRow>,
  sha256: (text: string) => string,
): { readonly rows: number; readonly lastHash: string; readonly broken: BrokenLink | undefined } {
  let lastHash = '';
  let count = 0;
  let broken: BrokenLink | undefined;
  for (const row of rows) {
    count += 1;
    if (row.seq !== count) broken ??= { seq: row.seq, why: `row ${count} is missing` };
    if (row.previous !== lastHash) {
      broken ??= { seq: row.seq, why: 'it does not hold the SHA-256 of the row before' };
    }
    lastHash = sha256(chainedText(eventId, row));
  }
  return { rows: count, lastHash, broken };
}
