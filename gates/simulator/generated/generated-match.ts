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
  /** The order is that of the venue; by default thirteen with 40,623 valid tickets. */
  readonly sectors?: readonly { readonly code: string; readonly valid: number }[];
  /** The mean size of groups that arrive together. */
  readonly groupSize?: number;
  /** The gate capacity of a sector per hour, as a multiple of its valid tickets; by default 1.2 or 2.5, by the seed. */
  readonly capacity?: number;
  /** The share of valid tickets whose holders come; by default 0.88 ± 0.05, by the seed. */
  readonly coming?: number;
  /** Minutes by which all come later than usual; by default 0 ± 6, by the seed. */
  readonly lateness?: number;
  readonly incidents?: readonly Incident[];
}

/** Times are milliseconds from kick-off, negative before it. */
export interface GeneratedMatch {
  readonly gatesOpenMs: number;
  readonly sectors: readonly GeneratedSector[];
}

interface GeneratedSector {
  readonly code: string;
  readonly valid: number;
  /** The sorted times of entries that were read at once. */
  readonly entriesMs: Float64Array;
  readonly lateBatches: readonly { readonly atMs: number; readonly count: number }[];
}

const DEFAULT_SECTORS = DEFAULT_VENUE.sectors.map(({ code, capacity = 0 }) => ({
  code,
  valid: Math.round(capacity * 0.93),
}));
const CAPACITIES = [1.2, 2.5] as const;
const COMING = { mean: 0.88, deviation: 0.05, ofSector: 0.02, least: 0.6, most: 0.99 };
const LATENESS = { ofMatch: 6, ofSector: 3 };
/** Slow log-normal noise of the rate, common to all sectors and of each: deviation, and correlation time. */
const NOISE = { deviation: 0.25, memoryMinutes: 5, stepMinutes: 0.5 };
const FIRST_MINUTE = -240;
const LAST_MINUTE = 120;

/** Generates a match by the model of docs/flow.md. */
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
    sectors: sectors.map(({ code, valid }, index) => {
      // Each sector has its own random numbers, so that a change in one changes no other.
      const own = seededRandom(Math.floor(random() * 2 ** 32));
      const arrivals = drawArrivals({
        count: Math.round(valid * clampedShare(coming + COMING.ofSector * normal(own))),
        quantile: quantiles[index] ?? (() => 0),
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
      const entries = readings.filter(({ isLateBatch }) => !isLateBatch).map(({ minute }) => minute * 60_000);
      return { code, valid, entriesMs: Float64Array.from(entries), lateBatches: lateBatchesOf(readings) };
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

/** Returns sorted minutes from kick-off. */
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

function lateBatchesOf(readings: readonly Reading[]): GeneratedSector['lateBatches'] {
  const late = readings.filter(({ isLateBatch }) => isLateBatch);
  return [...new Set(late.map(({ minute }) => minute))].map((minute) => ({
    atMs: minute * 60_000,
    count: late.filter((reading) => reading.minute === minute).length,
  }));
}

interface Noise {
  at(minute: number): number;
  readonly most: number;
}

/** Draws autocorrelated factors with mean 1. */
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
