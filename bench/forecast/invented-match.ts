import { type EarlierMatch, readEarlierMatch } from '../../domain/flow/forecast/earlier-match.ts';
import { FlowSeries } from '../../domain/flow/flow-series.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { type GeneratedMatch, generateMatch } from '../../testing/generated-match.ts';
import type { MatchShape } from '../../testing/match-shapes.ts';
import { playMatch } from '../../testing/play-match.ts';
import { seededRandom } from '../../testing/random.ts';

/** Of the sectors of a generated match, and then the others. */
export const CODES = [...DEFAULT_VENUE.sectors.map(({ code }) => code), ''];
/** A whole minute; that of match n is n weeks later. */
const FIRST_KICK_OFF_MS = Date.UTC(2026, 0, 4, 22);
const WEEK_MS = 7 * 24 * 3_600_000;
/** How many tickets are sold, of all that can be. */
const LEAST_SOLD = 0.35;

export interface InventedMatch {
  readonly match: GeneratedMatch;
  readonly kickOffMs: number;
  /** As the record tells it afterwards. */
  readonly earlier: EarlierMatch;
}

/** Match n of a season: sold anew, on another week. */
export function inventMatch(shape: MatchShape, seed: number, n: number, lateness?: number): InventedMatch {
  const random = seededRandom(seed * 100_003 + n);
  const sold = LEAST_SOLD + (1 - LEAST_SOLD) * random();
  const match = generateMatch({
    seed: Math.floor(random() * 2 ** 32),
    shape,
    groupSize: 2.2,
    sectors: DEFAULT_VENUE.sectors.map(({ code, capacity = 0 }) => ({
      code,
      valid: Math.round(capacity * sold * (0.9 + 0.1 * random())),
    })),
    ...(lateness !== undefined && { lateness }),
  });
  const kickOffMs = FIRST_KICK_OFF_MS + n * WEEK_MS;
  return { match, kickOffMs, earlier: record(match, kickOffMs, `${n}`) };
}

function record(match: GeneratedMatch, kickOffMs: number, eventId: string): EarlierMatch {
  const series = new FlowSeries({ sectorCount: CODES.length });
  playMatch(match, series, { kickOffMs });
  const counts = series
    .minutes(0, Infinity)
    .flatMap(({ minuteMs, sectors }) =>
      sectors.map((row, place) => ({ ...row, minuteMs, sector: CODES[place] ?? '' })),
    );
  const earlier = readEarlierMatch({ eventId, counts, source: 'simulated', log: [], kickOffAtMs: kickOffMs });
  if ('unfit' in earlier) throw new Error(`a generated match is ${earlier.unfit}`);
  return earlier;
}
