import { GATES_OPEN_MINUTE } from '../arrival-curve.ts';
import { passGate } from '../gate-queue.ts';
import { readAtGate, type Reading } from '../gate-readings.ts';
import type { Incident } from '../incidents.ts';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';
import { type ArrivalQuantile, type MatchShape, quantilesOf } from './match-shapes.ts';
import { exponential, geometric, normal, type Random, seededRandom } from './random.ts';

export interface MatchOptions {
  /** The same options give the same match. */
  readonly seed: number;
  readonly shape?: MatchShape;
  /** In the order of the venue; by default thirteen with 40,623 valid tickets. */
  readonly sectors?: readonly { readonly code: string; readonly valid: number }[];
  /** Mean size of the groups that arrive together. */
  readonly groupSize?: number;
  /** What the gates of a sector pass per minute, in sixtieths of its valid tickets; by default 1.2 or 2.5, by the seed. */
  readonly capacity?: number;
  /** The share of the valid tickets whose holders come; by default 0.88 ± 0.05, by the seed. */
  readonly coming?: number;
  /** How much later than usual all come, in minutes; by default 0 ± 6, by the seed. */
  readonly lateness?: number;
  readonly incidents?: readonly Incident[];
}

/** All times are milliseconds to kick-off, negative before it. */
export interface GeneratedMatch {
  readonly gatesOpenMs: number;
  readonly sectors: readonly GeneratedSector[];
}

interface GeneratedSector {
  readonly code: string;
  readonly valid: number;
  /** Of each entry that was read when it happened, in order. */
  readonly entriesMs: Float64Array;
  /** Entries that were read together, later than they happened. */
  readonly lots: readonly { readonly atMs: number; readonly count: number }[];
}

const DEFAULT_SECTORS = DEFAULT_VENUE.sectors.map(({ code, capacity = 0 }) => ({
  code,
  valid: Math.round(capacity * 0.93),
}));
const CAPACITIES = [1.2, 2.5] as const;
const COMING = { mean: 0.88, deviation: 0.05, ofSector: 0.02, least: 0.6, most: 0.99 };
const LATENESS = { ofMatch: 6, ofSector: 3 };
/** Slow noise of the rate, in common and of each sector: deviation of its logarithm, and how long it is remembered. */
const NOISE = { deviation: 0.25, memoryMinutes: 5, stepMinutes: 0.5 };
const FIRST_MINUTE = -240;
const LAST_MINUTE = 120;

/** An invented match, after the model of docs/flow.md. */
export function generateMatch(options: MatchOptions): GeneratedMatch {
  const { seed, shape = 'default', sectors = DEFAULT_SECTORS, groupSize = 1, incidents = [] } = options;
  const random = seededRandom(seed);
  const drawnLateness = LATENESS.ofMatch * normal(random);
  const drawnComing = COMING.mean + COMING.deviation * normal(random);
  const drawnCapacity = CAPACITIES[Math.floor(random() * CAPACITIES.length)] ?? CAPACITIES[0];
  const { lateness = drawnLateness, coming = drawnComing, capacity = drawnCapacity } = options;
  const late = incidents.reduce((sum, each) => sum + (each.kind === 'late' ? each.minutes : 0), lateness);
  const common = noise(random);
  const quantiles = quantilesOf(shape, sectors.length, random);
  return {
    gatesOpenMs: GATES_OPEN_MINUTE * 60_000,
    sectors: sectors.map(({ code, valid }, place) => {
      // Of its own, so that what happens in one sector changes no other.
      const own = seededRandom(Math.floor(random() * 2 ** 32));
      const arrivals = drawArrivals({
        count: Math.round(valid * clampedShare(coming + COMING.ofSector * normal(own))),
        quantile: quantiles[place] ?? (() => 0),
        later: late + LATENESS.ofSector * normal(own),
        common,
        groupSize,
        random: own,
      });
      const ofSector = incidents.filter((each) => each.kind !== 'late' && each.sector === code);
      const perMinute = (capacity * valid) / 60;
      const undisturbed = passGate(arrivals, {
        perMinute,
        opensAtMinute: GATES_OPEN_MINUTE,
        effort: () => exponential(own),
      });
      const readings = readAtGate(undisturbed, ofSector, perMinute, own);
      const entries = readings.filter(({ isLot }) => !isLot).map(({ minute }) => minute * 60_000);
      return { code, valid, entriesMs: Float64Array.from(entries), lots: lotsOf(readings) };
    }),
  };
}

interface ArrivalOptions {
  readonly count: number;
  readonly quantile: ArrivalQuantile;
  readonly later: number;
  readonly common: Noise;
  readonly groupSize: number;
  readonly random: Random;
}

/** Minutes to kick-off, in order. */
function drawArrivals({ count, quantile, later, common, groupSize, random }: ArrivalOptions): number[] {
  const own = noise(random);
  const most = common.most * own.most;
  const arrivals: number[] = [];
  while (arrivals.length < count) {
    const minute = quantile(random()) + later;
    if (random() * most >= common.at(minute) * own.at(minute)) continue;
    const size = Math.min(geometric(random, groupSize), count - arrivals.length);
    for (let one = 0; one < size; one += 1) arrivals.push(minute);
  }
  return arrivals.toSorted((a, b) => a - b);
}

function lotsOf(readings: readonly Reading[]): GeneratedSector['lots'] {
  const lots = readings.filter(({ isLot }) => isLot);
  return [...new Set(lots.map(({ minute }) => minute))].map((minute) => ({
    atMs: minute * 60_000,
    count: lots.filter((reading) => reading.minute === minute).length,
  }));
}

interface Noise {
  at(minute: number): number;
  readonly most: number;
}

/** Mean 1; each step remembers the one before. */
function noise(random: Random): Noise {
  const { deviation, memoryMinutes, stepMinutes } = NOISE;
  const kept = Math.exp(-stepMinutes / memoryMinutes);
  let level = normal(random);
  const factors = Array.from({ length: (LAST_MINUTE - FIRST_MINUTE) / stepMinutes }, () => {
    level = kept * level + Math.sqrt(1 - kept ** 2) * normal(random);
    return Math.exp(deviation * level - deviation ** 2 / 2);
  });
  return {
    most: Math.max(...factors),
    at(minute) {
      const step = Math.floor((minute - FIRST_MINUTE) / stepMinutes);
      return factors[Math.min(Math.max(step, 0), factors.length - 1)] ?? 1;
    },
  };
}

function clampedShare(share: number): number {
  return Math.min(Math.max(share, COMING.least), COMING.most);
}
