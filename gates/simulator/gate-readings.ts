import { slowGate } from './gate-queue.ts';
import type { Incident } from './incidents.ts';

/** The readings of a late batch are at most so old. */
const BATCH_HELD_MINUTES = 30;

/** The reading of one entry. */
export interface Reading {
  /** The index of the person in the order of entry. */
  readonly person: number;
  /** Minutes from kick-off. */
  readonly minute: number;
  /** Whether it arrives in a late batch. */
  readonly isLateBatch: boolean;
}

/**
 * Returns the readings of a gate where people would get in at these minutes, in order; they are not sorted by time.
 *
 * @param incidents those of the gate's sector
 * @param perMinute the capacity of the gate
 */
export function readAtGate(
  minutes: readonly number[],
  incidents: readonly Incident[],
  perMinute: number,
  random: () => number,
): readonly Reading[] {
  const slowdowns = incidents.filter((incident) => incident.kind === 'slow');
  const unreadFrom = incidents.flatMap((incident) => (incident.kind === 'unread' ? [incident.minute] : []));
  let readings = slowGate(minutes, slowdowns, perMinute)
    .map((minute, person) => ({ person, minute, isLateBatch: false }))
    .filter(({ minute }) => minute < Math.min(Infinity, ...unreadFrom));
  for (const incident of incidents) {
    if (incident.kind === 'lot') readings = holdBack(readings, incident, random);
  }
  return readings;
}

/** Moves `count` readings of the half hour before, drawn evenly, to the minute of the late batch. */
function holdBack(
  readings: readonly Reading[],
  { minute: batchMinute, count }: { readonly minute: number; readonly count: number },
  random: () => number,
): Reading[] {
  const isRecent = ({ minute, isLateBatch }: Reading): boolean =>
    !isLateBatch && minute >= batchMinute - BATCH_HELD_MINUTES && minute < batchMinute;
  let [left, wanted] = [readings.filter(isRecent).length, count];
  return readings.map((reading) => {
    if (!isRecent(reading)) return reading;
    const isHeld = random() * left < wanted;
    left -= 1;
    if (!isHeld) return reading;
    wanted -= 1;
    return { person: reading.person, minute: batchMinute, isLateBatch: true };
  });
}
