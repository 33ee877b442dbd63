import type { LogRow } from './flow-log.ts';

/**
 * Returns the text whose SHA-256 the next row holds as `previous`: a canonical JSON array, so that every program computes the
 * same hash (docs/record.md).
 */
export function chainedText(eventId: string, row: LogRow): string {
  const { seq, id, atMs, source, kind, by, sector, recordedOf = sector, data, figures, previous } = row;
  return canonicalJson([eventId, seq, id, atMs, source, kind, by, recordedOf, data, figures, previous]);
}

/** Returns JSON without white space, with the keys of objects in the order of their UTF-16 code units. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join()}}`;
}

export interface BrokenLink {
  /** The first row that does not match: it or one before it was changed, added or removed. */
  readonly seq: number;
  readonly why: string;
}

/** The hash of a row that was kept elsewhere. */
export interface KeptLink {
  readonly seq: number;
  readonly hash: string;
}

/**
 * Checks every row of a log, in order, against the one before. A log that was rewritten from a changed row on is consistent
 * again: only a link that was kept elsewhere reveals it.
 */
export function verifyChain(
  eventId: string,
  log: readonly LogRow[],
  sha256: (text: string) => string,
  kept?: KeptLink,
): { readonly rows: number; readonly lastHash: string; readonly broken: BrokenLink | undefined } {
  let lastHash = '';
  let broken: BrokenLink | undefined;
  for (const [index, row] of log.entries()) {
    if (row.seq !== index + 1) broken ??= { seq: index + 1, why: 'it is missing' };
    if (row.previous !== lastHash) {
      broken ??= { seq: row.seq, why: 'it does not hold the SHA-256 of the row before it' };
    }
    lastHash = sha256(chainedText(eventId, row));
    if (row.seq === kept?.seq && lastHash !== kept.hash) {
      broken ??= { seq: row.seq, why: 'its SHA-256 is not the one that was kept' };
    }
  }
  if (kept && !log.some(({ seq }) => seq === kept.seq)) {
    broken ??= { seq: kept.seq, why: 'it is missing' };
  }
  return { rows: log.length, lastHash, broken };
}
