import { exponential, type Random, seededRandom } from '../../../gates/simulator/generated/random.ts';

/** What comes of the busiest minute, at minutes from kick-off; straight between two of them, nothing after the last. */
export type Crowd = readonly (readonly [minute: number, share: number])[];

/** What a sector's gates do from one minute to another. */
type GateTrouble = { readonly sector: string; readonly from: number; readonly until: number } & (
  | { /** This share of those who come; the others wait. */ readonly lets: number }
  | {
      /** People enter, and are not read: never, or all in one commit at the end. */ readonly reads:
        | 'never'
        | 'later';
    }
);

/** A match as somebody plans it, minute by minute; minutes are counted from the kick-off as it was set first. */
export interface PlannedMatch {
  readonly opensAt: number;
  readonly endsAt: number;
  readonly crowd: Crowd;
  /** The busiest minute of each sector, by its code. */
  readonly peaks: Readonly<Record<string, number>>;
  /** The share of the valid tickets whose holders come. */
  readonly comes: number;
  /** Factors by which more or fewer people come to each sector, or to this one. */
  readonly waves?: readonly {
    readonly sector?: string;
    readonly from: number;
    readonly until: number;
    readonly times: number;
  }[];
  readonly troubles?: readonly GateTrouble[];
  readonly seed: number;
}

/** What is to be committed at this minute, one commit after the other: the tickets that enter. */
export interface PlannedCommits {
  readonly minute: number;
  readonly commits: readonly (readonly string[])[];
}

/** Ten seconds: with a commit for each, a small machine plays many matches at a time. */
const STEP = 1 / 6;
/** All tickets of a sector pass its gates in this many minutes. */
const PASSED_IN = 24;

/** How many tickets each sector has. */
export function ticketsOf({ crowd, peaks, comes }: PlannedMatch): Map<string, number> {
  const busiest = comingBy(crowd, Infinity);
  return new Map(
    Object.entries(peaks).map(([sector, peak]) => [sector, Math.round((peak * busiest) / comes)]),
  );
}

function ticketId(sector: string, number: number): string {
  return `${sector}-${number}`;
}

/** People come at random at the planned rate, wait where a gate lets fewer in, and are read. */
export function planCommits(match: PlannedMatch): PlannedCommits[] {
  const random = seededRandom(match.seed);
  const sectors = [...ticketsOf(match)].map(([sector, valid]) => ({
    sector,
    valid,
    used: 0,
    waiting: 0,
    passes: 0,
    unread: [] as string[],
  }));
  const steps = Math.round((match.endsAt - match.opensAt) / STEP);
  return Array.from({ length: steps }, (_, step) => {
    const minute = match.opensAt + step * STEP;
    const read: string[] = [];
    const lots: string[][] = [];
    for (const gate of sectors) {
      const rate = rateOf(match, gate.sector, minute);
      gate.waiting += poisson(random, rate * STEP);
      const trouble = match.troubles?.find(
        ({ sector, from, until }) => sector === gate.sector && isWithin(minute, from, until),
      );
      gate.passes += (trouble && 'lets' in trouble ? trouble.lets * rate : gate.valid / PASSED_IN) * STEP;
      const passing = Math.min(gate.waiting, Math.floor(gate.passes), gate.valid - gate.used);
      // Nobody saves up what a gate could have passed.
      gate.passes = Math.min(gate.passes - passing, 1);
      gate.waiting -= passing;
      const ids = Array.from({ length: passing }, (__, index) => ticketId(gate.sector, gate.used + index));
      gate.used += passing;
      if (trouble && 'reads' in trouble) {
        if (trouble.reads === 'later') gate.unread.push(...ids);
        continue;
      }
      if (gate.unread.length > 0) lots.push(gate.unread.splice(0));
      read.push(...ids);
    }
    return { minute: minute + STEP, commits: [...lots, ...(read.length > 0 ? [read] : [])] };
  });
}

/** The share of the busiest minute that comes at a minute. */
function shareAt(crowd: Crowd, minute: number): number {
  const next = crowd.findIndex(([at]) => at > minute);
  const [from, to] = [crowd[next - 1], crowd[next]];
  if (!from || !to) return 0;
  return from[1] + ((to[1] - from[1]) * (minute - from[0])) / (to[0] - from[0]);
}

/** How many of the busiest minutes have come by then. */
export function comingBy(crowd: Crowd, untilMinute: number): number {
  let sum = 0;
  for (const [index, [at, share]] of crowd.entries()) {
    const before = crowd[index - 1];
    if (!before || before[0] >= untilMinute) continue;
    const to = Math.min(at, untilMinute);
    const shareThen = to === at ? share : shareAt(crowd, to);
    sum += ((before[1] + shareThen) / 2) * (to - before[0]);
  }
  return sum;
}

function rateOf({ crowd, peaks, waves = [] }: PlannedMatch, sector: string, minute: number): number {
  return waves
    .filter((wave) => (wave.sector ?? sector) === sector && isWithin(minute, wave.from, wave.until))
    .reduce((rate, { times }) => rate * times, (peaks[sector] ?? 0) * shareAt(crowd, minute));
}

/** Steps are thirds of no number: half of one decides. */
function isWithin(minute: number, from: number, until: number): boolean {
  return minute > from - STEP / 2 && minute < until - STEP / 2;
}

function poisson(random: Random, mean: number): number {
  let count = 0;
  for (let at = exponential(random); at < mean; at += exponential(random)) count += 1;
  return count;
}
