import { type Minute, MINUTE_MS } from '../model/series/minute.ts';

/** What happened at the gate of a sector, as far as the record tells. Minutes are counted from kick-off. */
export interface SectorEntries {
  /** When each of those who came singly entered, in order. */
  readonly minutes: readonly number[];
  readonly lots: readonly { readonly minute: number; readonly count: number }[];
}

/**
 * The record tells minutes: who entered within one did so evenly. Where more were taken back than entered, the next ones
 * enter for them. What is not known of a gap is spread evenly over it: it is an exercise, and no record.
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
