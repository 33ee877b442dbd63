import { createHash } from 'node:crypto';
import type { LogEntry } from '../../desk/model/log/flow-log.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { type Minute, MINUTE_MS } from '../../desk/model/series/minute.ts';
import type { Venue } from '../../domain/venue.ts';
import { generateTickets, seatsIn } from '../../gates/simulator/simulated-tickets.ts';
import { generateMatch } from '../../gates/simulator/generated/generated-match.ts';
import { playMatch } from '../../desk/tool/play-match.ts';
import { seededRandom } from '../../gates/simulator/generated/random.ts';

/** A match that never was, as the record has one. */
export interface InventedMatch {
  readonly eventId: string;
  readonly minutes: readonly Minute[];
  readonly times: LogEntry;
}

/** A forecast has a percentage from nine on. */
const MATCHES = 12;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Until an hour after kick-off nobody's share is open any more. */
const UNTIL_MINUTE = 62;
/** What spectators of the simulation have: 95% come, through gates that pass all tickets in 24 minutes. */
const COMING = { least: 0.92, most: 0.97 };
const CAPACITY = 2.5;

/** The ids of the earlier matches of a venue: the same for the same sectors. */
export function earlierMatchIds(venue: Venue): readonly string[] {
  const sectors = JSON.stringify(validBySector(venue));
  return Array.from({ length: MATCHES }, (_, place) =>
    createHash('sha256').update(`triagem demo ${place} ${sectors}`).digest('hex').slice(0, 32),
  );
}

/** One match a week, the first of `earlierMatchIds` last; crowds as the simulation's, earlier or later, more or fewer. */
export function inventMatch(venue: Venue, place: number, nowMs: number): InventedMatch {
  const eventId = earlierMatchIds(venue)[place];
  if (eventId === undefined) throw new RangeError(`there is no earlier match ${place}`);
  const kickOffAtMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - (place + 1) * WEEK_MS;
  const sectors = validBySector(venue);
  const seed = Number.parseInt(eventId.slice(0, 8), 16);
  const match = generateMatch({
    seed,
    shape: 'castelao',
    sectors,
    coming: COMING.least + (COMING.most - COMING.least) * seededRandom(seed)(),
    capacity: CAPACITY,
  });
  const series = new FlowSeries({ sectorCount: sectors.length + 1 });
  playMatch(match, series, { kickOffMs: kickOffAtMs, untilMinute: UNTIL_MINUTE });
  const minutes = series.minutes(0, Number.POSITIVE_INFINITY);
  return {
    eventId,
    minutes,
    times: {
      id: `times:${kickOffAtMs}`,
      atMs: minutes[0]?.minuteMs ?? kickOffAtMs,
      source: 'simulated',
      by: null,
      sector: null,
      kind: 'times',
      data: { gatesOpenAtMs: kickOffAtMs + match.gatesOpenMs, kickOffAtMs },
      figures: {
        total: {
          admitted: 0,
          valid: sectors.reduce((sum, { valid }) => sum + valid, 0),
          perMinute: null,
        },
        sector: null,
      },
    },
  };
}

/** As many as the simulation sells, and leaves valid. */
function validBySector(venue: Venue): { readonly code: string; readonly valid: number }[] {
  const tickets = generateTickets('', seatsIn(venue), venue).filter(({ isValid }) => isValid);
  return venue.sectors.map(({ code }) => ({ code, valid: tickets.filter(({ row }) => row === code).length }));
}
