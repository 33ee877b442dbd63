import { repetitions } from '../../../testing/durations.ts';

const ROUNDS = repetitions(12, 1);
/** Of a loss that differs from another one by a duration or by the process that has it. */
const FULL_ONLY = repetitions(12, 0);
const [FIVE, TWICE] = [repetitions(5, 0), repetitions(2, 0)];
const FIVE_OR_ONCE = repetitions(5, 1);
/** Commits a second. */
const [RATE, HIGH] = [repetitions(200, 60), repetitions(500, 200)];

/** One loss of one topology, and what those who watch it may notice. */
export type Row = readonly [
  /** As the topology names what it does. */
  loss: string,
  /** Those that the loss affects. All others stay live under the same epoch. */
  screens: 'all lose it' | 'some lose it' | 'may lose it' | 'stay live',
  /** All screens are live by a state committed since, at the latest; from the moment that the topology names. */
  liveWithinMs: number,
  /** Of the screens that the loss affects. */
  epoch: 'same' | 'new' | 'any',
  /** Of the flow, while the loss lasts: whether some may be missing. */
  minutes: 'complete' | 'gap',
  /** In a row. None: in a full run only. */
  times: number,
  /** What gates write meanwhile. */
  commitsPerSecond: number,
];

/**
 * The table of faults. Each topology is started once, with screens, operators at desks, and gates that write; its losses
 * follow one another from the top down. After each one all screens are live in time and equal a recount by SQL, and every
 * command that was answered with success is in the log. At the end nothing wrong was displayed, no screen has gone back,
 * and the recorded minutes are those that SQL recounts. Losses that may leave a gap come last: around a gap, a missing
 * minute is no fault.
 */
export const LOSSES = {
  'all-in-one': [
    ['the record cannot be reached', 'stay live', 3_000, 'same', 'complete', 1, RATE],
    ['the server is killed and started again', 'all lose it', 3_000, 'new', 'gap', repetitions(60, 1), HIGH],
    [
      'the server is killed while the database refuses it',
      'all lose it',
      2_000,
      'new',
      'gap',
      repetitions(1, 0),
      RATE,
    ],
    ['the walsender is terminated', 'may lose it', 2_000, 'new', 'gap', repetitions(5, 0), RATE],
    ['PostgreSQL is restarted', 'all lose it', 2_000, 'new', 'gap', repetitions(1, 0), RATE],
    ['PostgreSQL is killed and started again', 'all lose it', 2_000, 'new', 'gap', 1, RATE],
    ['PostgreSQL stands still', 'all lose it', 2_000, 'new', 'gap', 1, RATE],
    ['the standby is promoted', 'all lose it', 3_000, 'new', 'gap', repetitions(10, 0), RATE],
    ['a standby behind is promoted', 'all lose it', 3_000, 'new', 'gap', repetitions(3, 1), RATE],
  ],
  'two servers': [
    ['the recorder is killed', 'all lose it', 3_000, 'new', 'complete', ROUNDS, RATE],
    ['the other is killed', 'all lose it', 3_000, 'new', 'complete', FULL_ONLY, RATE],
    ['the recorder stands still for 3.5 s', 'may lose it', 3_000, 'any', 'complete', FULL_ONLY, RATE],
    ['the other stands still for 3.5 s', 'may lose it', 3_000, 'any', 'complete', FULL_ONLY, RATE],
    ['the recorder stands still for 1.2 s', 'may lose it', 3_000, 'any', 'complete', FULL_ONLY, RATE],
    ['the other stands still for 1.2 s', 'may lose it', 3_000, 'any', 'complete', FULL_ONLY, RATE],
    ['the recorder is cut off for 1.5 s', 'may lose it', 3_000, 'new', 'complete', FULL_ONLY, RATE],
    ['the other is cut off for 1.5 s', 'may lose it', 3_000, 'new', 'complete', FULL_ONLY, RATE],
    ['the other is cut off for 12 s', 'all lose it', 3_000, 'new', 'complete', FULL_ONLY, RATE],
    ['the recorder is cut off until it is relieved', 'all lose it', 3_000, 'new', 'complete', ROUNDS, RATE],
  ],
  'a fleet': [
    ['the counter that records is killed', 'stay live', 3_000, 'same', 'complete', repetitions(6, 1), RATE],
    ['the other counter is killed', 'stay live', 3_000, 'same', 'complete', repetitions(6, 0), RATE],
    [
      'the counter that records stands still',
      'stay live',
      3_000,
      'same',
      'complete',
      repetitions(6, 0),
      RATE,
    ],
    ['the other counter stands still', 'stay live', 3_000, 'same', 'complete', repetitions(6, 0), RATE],
    ['a NATS server is killed', 'may lose it', 3_000, 'same', 'complete', repetitions(18, 1), RATE],
    ['a NATS server is stopped', 'may lose it', 3_000, 'same', 'complete', repetitions(9, 0), RATE],
    ['a NATS server stands still', 'may lose it', 3_000, 'same', 'complete', repetitions(9, 0), RATE],
    ['an edge is killed', 'some lose it', 3_000, 'same', 'complete', repetitions(12, 0), RATE],
    ['an edge stands still', 'some lose it', 3_000, 'same', 'complete', repetitions(6, 1), RATE],
    [
      'an edge stands still until NATS drops it',
      'some lose it',
      3_000,
      'same',
      'complete',
      repetitions(1, 0),
      RATE,
    ],
    ['nginx is killed and started again', 'some lose it', 3_000, 'same', 'complete', repetitions(3, 1), RATE],
    ['the walsenders are terminated', 'may lose it', 3_000, 'same', 'gap', repetitions(4, 0), RATE],
    ['no counter is left', 'all lose it', 3_000, 'same', 'gap', repetitions(1, 0), RATE],
    ['the standby is promoted', 'all lose it', 3_000, 'any', 'gap', repetitions(5, 0), RATE],
    ['a standby behind is promoted', 'all lose it', 3_000, 'any', 'gap', repetitions(3, 0), RATE],
  ],
  // Each five times at random moments, and the pairs twice; the worst three once in every run.
  'hosts that part': [
    ['a counter is cut off from the databases', 'stay live', 3_000, 'same', 'complete', FIVE_OR_ONCE, 20],
    ['a counter is cut off from NATS', 'stay live', 3_000, 'same', 'complete', FIVE, 20],
    ['an edge is cut off from NATS', 'some lose it', 3_000, 'same', 'complete', FIVE, 20],
    ['a NATS server is isolated', 'may lose it', 3_000, 'same', 'complete', FIVE, 20],
    ['a NATS server is left to the counters', 'may lose it', 3_000, 'same', 'complete', FIVE, 20],
    ['one way between two hosts is lost', 'may lose it', 3_000, 'same', 'complete', FIVE, 20],
    ['an address moves to the other edge', 'some lose it', 3_000, 'same', 'complete', FIVE, 20],
    ['clocks differ by 90 s each way', 'stay live', 3_000, 'same', 'complete', FIVE, 20],
    ['clocks differ by an hour each way', 'stay live', 3_000, 'same', 'complete', FIVE, 20],
    ['links carry 256 kbit/s', 'may lose it', 6_000, 'same', 'gap', FIVE, 20],
    ['links are slow and lossy', 'may lose it', 6_000, 'same', 'gap', FIVE, 20],
    ['NATS servers are stopped one after another', 'may lose it', 3_000, 'same', 'gap', FIVE, 20],
    [
      'the primary is parted, and healed while it is written to',
      'all lose it',
      3_000,
      'any',
      'gap',
      FIVE_OR_ONCE,
      20,
    ],
    ['halves part, and both are written to', 'may lose it', 3_000, 'any', 'gap', FIVE_OR_ONCE, 20],
    [
      'a NATS server is isolated, and a counter from the databases',
      'may lose it',
      3_000,
      'same',
      'gap',
      TWICE,
      20,
    ],
    [
      'clocks differ by an hour, and a NATS server is isolated',
      'may lose it',
      3_000,
      'same',
      'gap',
      TWICE,
      20,
    ],
    ['links carry 256 kbit/s, and one way is lost', 'may lose it', 6_000, 'same', 'gap', TWICE, 20],
    ['clocks differ by 90 s, and one way is lost', 'may lose it', 3_000, 'same', 'gap', TWICE, 20],
    [
      'an edge is cut off from NATS, and a counter from the databases',
      'some lose it',
      3_000,
      'same',
      'gap',
      TWICE,
      20,
    ],
    ['an address moves, and a counter is cut off from NATS', 'some lose it', 3_000, 'same', 'gap', TWICE, 20],
    ['the primary is parted while clocks differ by an hour', 'all lose it', 3_000, 'any', 'gap', TWICE, 20],
    ['halves part while clocks differ by 90 s', 'may lose it', 3_000, 'any', 'gap', TWICE, 20],
    ['the primary is parted while links are slow and lossy', 'all lose it', 9_000, 'any', 'gap', TWICE, 20],
    [
      'a NATS server is isolated while links are slow and lossy',
      'may lose it',
      9_000,
      'same',
      'gap',
      TWICE,
      20,
    ],
    ['anything, at random', 'may lose it', 15_000, 'any', 'gap', repetitions(40, 0), 20],
  ],
} as const satisfies Record<string, readonly Row[]>;

export type TopologyName = keyof typeof LOSSES;
export type LossOf<Name extends TopologyName> = (typeof LOSSES)[Name][number][0];
