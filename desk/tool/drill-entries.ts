import { type Minute, MINUTE_MS } from '../model/series/minute.ts';

/** The entries of a sector from the record. Minutes are relative to kick-off. */
export interface SectorEntries {
  /** When each person entered, in order, without late batches. */
  readonly minutes: readonly number[];
  readonly lots: readonly { readonly minute: number; readonly count: number }[];
}

/**
 * Spreads the entries of each minute evenly, and those of a gap over the gap. Reverted entries are balanced by the next ones.
 */
export function readEntries(minutes: readonly Minute[], place: number, kickOffAtMs: number): SectorEntries {
  const entered: number[] = [];
  const lots: { readonly minute: number; readonly count: number }[] = [];
  let owed = 0;
  let before: { readonly endMs: number; readonly admitted: number } | undefined;
  const spread = (fromMs: number, toMs: number, count: number): void => {
    const left = count - owed;
    owed = Math.max(0, -left);
    const from = (fromMs - kickOffAtMs) / MINUTE_MS;
    const length = (toMs - fromMs) / MINUTE_MS;
    for (let person = 0; person < left; person += 1) entered.push(from + ((person + 0.5) / left) * length);
  };
  for (const { minuteMs, sectors } of minutes) {
    const row = sectors[place];
    if (!row) continue;
    const endMs = minuteMs + MINUTE_MS;
    if (before && before.endMs < minuteMs)
      spread(before.endMs, minuteMs, row.admitted - row.net - before.admitted);
    spread(minuteMs, endMs, row.net - row.lots);
    if (row.lots !== 0) lots.push({ minute: (minuteMs - kickOffAtMs) / MINUTE_MS, count: row.lots });
    before = { endMs, admitted: row.admitted };
  }
  return { minutes: entered, lots };
}
