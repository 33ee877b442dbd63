import { type Figure, figure, type Target } from '../report/figure.ts';
import { RATES } from '../support/rates.ts';

/** At one rate. NaN: it has no such thing. */
export interface RateSample {
  /** From the commit's acknowledgement to whoever is to know. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** At a client, of one admission; and in a second. */
  readonly bytes: number;
  readonly bytesPerSecond: number;
  /** Processor time of one admission: of the contender's process, and of all of the database's. */
  readonly serverMs: number;
  readonly databaseMs: number;
  /** What a gate waits for its commit. */
  readonly commitP50Ms: number;
  readonly commitP99Ms: number;
  /** Resident, of the contender's process. */
  readonly memoryMb: number;
}

const COLUMNS: readonly (readonly [keyof RateSample, string, string])[] = [
  ['p50Ms', 'commit → client, p50', 'ms'],
  ['p99Ms', 'commit → client, p99', 'ms'],
  ['bytes', 'bytes per admission', 'B'],
  ['bytesPerSecond', 'bytes per second', 'B/s'],
  ['serverMs', "server's processor time per admission", 'ms'],
  ['databaseMs', "database's processor time per admission", 'ms'],
  ['commitP50Ms', 'commit, p50', 'ms'],
  ['commitP99Ms', 'commit, p99', 'ms'],
  ['memoryMb', 'server memory', 'MB'],
];

/** What the board has to reach. */
const TARGETS: Readonly<Record<string, Target>> = {
  'p50Ms board 15': { atMost: 1 },
  'p50Ms board 50': { atMost: 1 },
  'p50Ms board 200': { atMost: 4 },
  'p99Ms board 15': { atMost: 5 },
  'p99Ms board 50': { atMost: 5 },
  'p99Ms board 200': { atMost: 9 },
  'bytes board 15': { atMost: 250 },
  'bytes board 50': { atMost: 250 },
  'board less floor 15': { atMost: 0.5 },
  'board less floor 50': { atMost: 0.5 },
  'board less counter 50': { atMost: 0.5 },
  'p50Ms screen 50': { atMost: 4 },
  'p99Ms screen 50': { atMost: 20 },
};

/** `of`: of each round, the samples of the rates, in their order. */
export function figuresOf<Name extends string>(
  names: readonly (Name | 'board' | 'floor' | 'counter')[],
  of: (name: Name | 'board' | 'floor' | 'counter') => readonly (readonly RateSample[])[],
): Figure[] {
  return RATES.flatMap(({ perSecond }, rate) => {
    const valuesOf = (name: (typeof names)[number], key: keyof RateSample): number[] =>
      of(name).map((rates) => rates[rate]?.[key] ?? NaN);
    const each = COLUMNS.flatMap(([key, what, unit]) =>
      names.map((name) => {
        const target = TARGETS[`${key} ${name} ${perSecond}`];
        return figure(`${what}, ${name}, at ${perSecond}/s`, unit, valuesOf(name, key), target);
      }),
    );
    const boardLess = (['floor', 'counter'] as const).map((name) => {
      const theirs = valuesOf(name, 'p50Ms');
      const more = valuesOf('board', 'p50Ms').map((ms, round) => ms - (theirs[round] ?? NaN));
      const target = TARGETS[`board less ${name} ${perSecond}`];
      return figure(`commit → client, p50, board less ${name}, at ${perSecond}/s`, 'ms', more, target);
    });
    return each.filter(({ values }) => !values.some(Number.isNaN)).concat(boardLess);
  });
}
