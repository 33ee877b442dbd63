import { ageOfMinuteS } from '../flow/describe-desk.ts';
import type { FlowClock } from '../flow/flow-clock.ts';
import type { FlowRecord } from './record.ts';

/** A leader is never this far behind, in real time. */
const MAX_BEHIND_MS = 180_000;

/** Returns a warning about the record for the operator, with the fix; `undefined` while all is well. */
export function recordWarning(
  record: Pick<FlowRecord, 'state' | 'entriesLost' | 'lastMinuteMs' | 'minutesWaiting'>,
  nowMs: number,
  clock: FlowClock,
): string | undefined {
  const { state, entriesLost } = record;
  if (entriesLost > 0 && state.kind !== 'away') {
    return `${entriesLost} entries of the log that were recorded are not any more, as another database has taken the place of the one that held them: they are written again as soon as this process can. If that lasts, another one records and does not let it`;
  }
  const ageS = ageOfMinuteS(record.lastMinuteMs, nowMs);
  const realMs = Date.now();
  const mostBehindMs = clock(realMs) - clock(realMs - MAX_BEHIND_MS);
  if (state.kind === 'standby' && ageS * 1_000 > mostBehindMs) {
    return `Another process holds the record, and has written no minute for ${Math.round(ageS / 60)} min. After an outage the next one comes within two minutes; else look which session has the advisory lock (docs/record.md)`;
  }
  if (state.kind !== 'away' || state.reason === 'starting') return undefined;
  return `The record of the flow cannot be written (${record.minutesWaiting} minutes wait): ${state.reason}`;
}
