import { createHash } from 'node:crypto';
import type { LogEntry } from '../../desk/model/log/flow-log.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { type Minute, MINUTE_MS } from '../../desk/model/series/minute.ts';
import type { Venue } from '../../domain/venue.ts';
import { generateTickets, seatsIn } from '../../gates/simulator/simulated-tickets.ts';
import { generateMatch } from '../../gates/simulator/generated/generated-match.ts';
import { playMatch } from '../../desk/tool/play-match.ts';
import { seededRandom } from '../../gates/simulator/generated/random.ts';

/** A generated match in the form of the record. */
export interface InventedMatch {
  readonly eventId: string;
  readonly minutes: readonly Minute[];
  readonly times: LogEntry;
}

/** A forecast needs nine matches for a percentage. */
const MATCHES = 12;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** An hour after kick-off all have entered. */
const UNTIL_MINUTE = 62;
/** Close to the simulation, in which 95% come, through gates that admit all tickets in 24 minutes. */
const COMING = { least: 0.92, most: 0.97 };
const CAPACITY = 2.5;

/** Returns the ids of a venue's earlier matches, which depend on its sectors only. */
export function earlierMatchIds(venue: Venue): readonly string[] {
  const sectors = JSON.stringify(validBySector(venue));
  return Array.from({ length: MATCHES }, (_, index) =>
    createHash('sha256').update(`triagem demo ${index} ${sectors}`).digest('hex').slice(0, 32),
  );
}

/** Generates the match `index` + 1 weeks ago, with a crowd that varies around the simulation's. */
export function inventMatch(venue: Venue, index: number, nowMs: number): InventedMatch {
  const eventId = earlierMatchIds(venue)[index];
  if (eventId === undefined) throw new RangeError(`there is no earlier match ${index}`);
  const kickOffAtMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - (index + 1) * WEEK_MS;
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

/** Returns the numbers of valid tickets that the simulation sells. */
function validBySector(venue: Venue): { readonly code: string; readonly valid: number }[] {
  const tickets = generateTickets('', seatsIn(venue), venue).filter(({ isValid }) => isValid);
  return venue.sectors.map(({ code }) => ({ code, valid: tickets.filter(({ row }) => row === code).length }));
}
