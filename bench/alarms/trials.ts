import type { LogEntry } from '../../desk/model/log/flow-log.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { runAlarms } from '../../testing/desk/alarm-run.ts';
import {
  generateMatch,
  type GeneratedMatch,
  type MatchOptions,
} from '../../gates/simulator/generated/generated-match.ts';
import type { Random } from '../../gates/simulator/generated/random.ts';

/** One sector whose flow falls, and when that was told. */
export interface Trial {
  /** People a minute in the ten minutes before. */
  readonly perMinute: number;
  /** What is left of the flow. */
  readonly share: number;
  /** Undefined: not while it lasted. */
  readonly foundAfterMs: number | undefined;
}

interface Fall {
  readonly sector: string;
  readonly minute: number;
  readonly perMinute: number;
}

/** Minutes to kick-off within which a flow falls; it does so for LENGTH_MINUTES. */
const EARLIEST_MINUTE = -50;
const LATEST_MINUTE = -12;
const LENGTH_MINUTES = 14;
/** Falls in one match are so far apart: those of several sectors at once are another alarm. */
const APART_MINUTES = 5;
/** People a minute in the ten minutes before: the rates of which something is promised, and what is between and below. */
const CLASSES = [
  { least: 40, most: Infinity },
  { least: 20, most: 40 },
  { least: 10, most: 14 },
  { least: 4, most: 8 },
];

/** Of a match with nothing wrong: flows of each class of rates fall in it to this share. */
export function runTrials(
  calm: GeneratedMatch,
  {
    share,
    kickOffMs,
    random,
    ...options
  }: MatchOptions & { share: number; kickOffMs: number; random: Random },
): readonly Trial[] {
  const falls = chooseFalls(calm, random);
  const incidents = falls.map(({ sector, minute }) => ({
    kind: 'slow' as const,
    sector,
    minute,
    minutes: LENGTH_MINUTES,
    share,
  }));
  const log = runAlarms(generateMatch({ ...options, incidents }), { kickOffMs });
  return falls.map(({ sector, minute, perMinute }) => {
    const fromMs = kickOffMs + minute * MINUTE_MS;
    const toldMs = log.find(
      (entry) =>
        entry.atMs > fromMs && entry.atMs <= fromMs + LENGTH_MINUTES * MINUTE_MS && isOf(entry, sector),
    )?.atMs;
    return { perMinute, share, foundAfterMs: toldMs === undefined ? undefined : toldMs - fromMs };
  });
}

function isOf(entry: LogEntry, sector: string): boolean {
  if (entry.kind === 'alarm-again') return entry.sector === sector;
  if (entry.kind !== 'alarm') return false;
  const { data } = entry;
  return data.rule === 'several-stopped'
    ? data.figures.sectors.some((each) => each.sector === sector)
    : entry.sector === sector;
}

function chooseFalls({ sectors }: GeneratedMatch, random: Random): readonly Fall[] {
  const falls: Fall[] = [];
  for (const { least, most } of CLASSES) {
    const possible: Fall[] = [];
    for (let minute = EARLIEST_MINUTE; minute <= LATEST_MINUTE; minute += 1) {
      if (falls.some((fall) => Math.abs(fall.minute - minute) < APART_MINUTES)) continue;
      for (const { code, entriesMs } of sectors) {
        if (falls.some(({ sector }) => sector === code)) continue;
        const perMinute = countBetween(entriesMs, minute - 10, minute) / 10;
        if (perMinute >= least && perMinute < most) possible.push({ sector: code, minute, perMinute });
      }
    }
    const chosen = possible[Math.floor(random() * possible.length)];
    // Between two boundaries, as it happens.
    if (chosen) falls.push({ ...chosen, minute: chosen.minute + random() });
  }
  return falls;
}

function countBetween(entriesMs: Float64Array, fromMinute: number, toMinute: number): number {
  return entriesMs.reduce(
    (sum, ms) => sum + (ms >= fromMinute * MINUTE_MS && ms < toMinute * MINUTE_MS ? 1 : 0),
    0,
  );
}
