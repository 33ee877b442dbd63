import { arrivalMinute } from './arrival-curve.ts';
import { readAtGate, type Reading } from './gate-readings.ts';
import type { Incident } from './incidents.ts';
import type { SimulatedTicket } from './simulated-tickets.ts';

/** An entry, or its revert. `ticket` is an index. */
export interface GateEvent {
  readonly minute: number;
  readonly ticket: number;
  readonly entrou: boolean;
  /** Whether it shares one commit with the others of its late batch. */
  readonly isLateBatch: boolean;
}

/** The shares of valid and invalid tickets whose holders get in. */
const COMING = { valid: 0.95, invalid: 0.05 };
const REVERTED = 0.003;
const REVERT_DELAY_MINUTES = { shortest: 0.5, longest: 5 };
/** The gates of a sector need so long for all its tickets, which is more than ever come. */
const MINUTES_FOR_ALL = 24;

interface Spectator {
  readonly ticket: number;
  readonly row: string;
  readonly minute: number;
  /** Undefined where the entry is not reverted. */
  readonly revertDelayMinutes: number | undefined;
}

/**
 * Returns all entries and reverts, in the order of time.
 *
 * @param random numbers from 0 to below 1; the same numbers make the same schedule
 */
export function scheduleGateEvents(
  tickets: readonly Pick<SimulatedTicket, 'isValid' | 'row'>[],
  random: () => number,
  incidents: readonly Incident[] = [],
): GateEvent[] {
  const later = incidents.reduce((sum, each) => sum + (each.kind === 'late' ? each.minutes : 0), 0);
  const spectators = drawSpectators(tickets, random).toSorted((a, b) => a.minute - b.minute);
  const events = [...new Set(tickets.map(({ row }) => row))].flatMap((row) => {
    const ofRow = spectators.filter((spectator) => spectator.row === row);
    const readings = readAtGate(
      ofRow.map(({ minute }) => minute + later),
      incidents.filter((incident) => incident.kind !== 'late' && incident.sector === row),
      tickets.filter((ticket) => ticket.row === row).length / MINUTES_FOR_ALL,
      random,
    );
    return readings.flatMap((reading) => eventsOf(reading, ofRow[reading.person]));
  });
  return events.toSorted((a, b) => a.minute - b.minute || Number(a.isLateBatch) - Number(b.isLateBatch));
}

function drawSpectators(
  tickets: readonly Pick<SimulatedTicket, 'isValid' | 'row'>[],
  random: () => number,
): Spectator[] {
  const spectators: Spectator[] = [];
  for (const [ticket, { isValid, row }] of tickets.entries()) {
    if (random() >= (isValid ? COMING.valid : COMING.invalid)) continue;
    const minute = arrivalMinute(random());
    const { shortest, longest } = REVERT_DELAY_MINUTES;
    const revertDelayMinutes = random() < REVERTED ? shortest + random() * (longest - shortest) : undefined;
    spectators.push({ ticket, row, minute, revertDelayMinutes });
  }
  return spectators;
}

function eventsOf({ minute, isLateBatch }: Reading, spectator: Spectator | undefined): GateEvent[] {
  if (!spectator) return [];
  const { ticket, revertDelayMinutes } = spectator;
  const entry = { minute, ticket, entrou: true, isLateBatch };
  if (revertDelayMinutes === undefined) return [entry];
  return [entry, { minute: minute + revertDelayMinutes, ticket, entrou: false, isLateBatch: false }];
}
