import { type EarlierMatch, readEarlierMatch } from '../../desk/model/forecast/earlier-match.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { type GeneratedMatch, generateMatch } from '../../gates/simulator/generated/generated-match.ts';
import type { MatchShape } from '../../gates/simulator/generated/match-shapes.ts';
import { playMatch } from '../../desk/tool/play-match.ts';
import { seededRandom } from '../../gates/simulator/generated/random.ts';

/** A whole minute; that of match n is n weeks later. */
const FIRST_KICK_OFF_MS = Date.UTC(2026, 0, 4, 22);
const WEEK_MS = 7 * 24 * 3_600_000;
/** From 15,000 to 44,000 tickets are sold. */
const LEAST_SOLD = 0.35;
const GROUP_SIZE = 2.2;

export interface InventedMatch {
  readonly match: GeneratedMatch;
  /** Of its sectors, and then the others. */
  readonly codes: readonly string[];
  readonly kickOffMs: number;
  /** As the record tells it afterwards. */
  readonly earlier: EarlierMatch;
}

export interface Season {
  readonly seed: number;
  readonly shape: MatchShape;
  /** How much later than usual all come, in minutes; by default some are late and some early. */
  readonly lateness?: number;
  /** By default those of the default venue. */
  readonly sectors?: readonly { readonly code: string; readonly capacity?: number }[];
}

/** Match n of a season: sold anew, on another week. */
export function inventMatch(season: Season, n: number): InventedMatch {
  const { seed, shape, lateness, sectors = DEFAULT_VENUE.sectors } = season;
  const random = seededRandom(seed * 100_003 + n);
  const sold = LEAST_SOLD + (1 - LEAST_SOLD) * random();
  const match = generateMatch({
    seed: Math.floor(random() * 2 ** 32),
    shape,
    groupSize: GROUP_SIZE,
    sectors: sectors.map(({ code, capacity = 0 }) => ({
      code,
      valid: Math.round(capacity * sold * (0.9 + 0.1 * random())),
    })),
    ...(lateness !== undefined && { lateness }),
  });
  const kickOffMs = FIRST_KICK_OFF_MS + n * WEEK_MS;
  const codes = [...sectors.map(({ code }) => code), ''];
  return { match, codes, kickOffMs, earlier: record({ match, codes, kickOffMs }, `${n}`) };
}

function record({ match, codes, kickOffMs }: Omit<InventedMatch, 'earlier'>, eventId: string): EarlierMatch {
  const series = new FlowSeries({ sectorCount: codes.length });
  playMatch(match, series, { kickOffMs });
  const counts = series
    .minutes(0, Infinity)
    .flatMap(({ minuteMs, sectors }) =>
      sectors.map((row, place) => ({ ...row, minuteMs, sector: codes[place] ?? '' })),
    );
  const earlier = readEarlierMatch({ eventId, counts, source: 'simulated', log: [], kickOffAtMs: kickOffMs });
  if ('unfit' in earlier) throw new Error(`a generated match is ${earlier.unfit}`);
  return earlier;
}
