import { slowGate } from './gate-queue.ts';
import type { Incident } from './incidents.ts';

/** How long the readings of a lot were held back, at most. */
const LOT_HELD_MINUTES = 30;

/** That somebody got in, as it is known. */
export interface Reading {
  /** The place in the order in which people get in. */
  readonly person: number;
  /** From kick-off. */
  readonly minute: number;
  /** It comes together with the others of its lot. */
  readonly isLot: boolean;
}

/**
 * What is read at a gate where people would get in at these minutes, in order; not in the order of time.
 *
 * @param incidents those of its sector; others change nothing here
 * @param perMinute what the gate passes at most
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
    .map((minute, person) => ({ person, minute, isLot: false }))
    .filter(({ minute }) => minute < Math.min(Infinity, ...unreadFrom));
  for (const incident of incidents) {
    if (incident.kind === 'lot') readings = holdBack(readings, incident, random);
  }
  return readings;
}

/** As many as there are, spread evenly over those of the half hour before. */
function holdBack(
  readings: readonly Reading[],
  { minute: lotMinute, count }: { readonly minute: number; readonly count: number },
  random: () => number,
): Reading[] {
  const isRecent = ({ minute, isLot }: Reading): boolean =>
    !isLot && minute >= lotMinute - LOT_HELD_MINUTES && minute < lotMinute;
  let [left, wanted] = [readings.filter(isRecent).length, count];
  return readings.map((reading) => {
    if (!isRecent(reading)) return reading;
    const isHeld = random() * left < wanted;
    left -= 1;
    if (!isHeld) return reading;
    wanted -= 1;
    return { person: reading.person, minute: lotMinute, isLot: true };
  });
}
