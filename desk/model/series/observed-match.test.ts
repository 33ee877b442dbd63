import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repetitions } from '../../../testing/durations.ts';
import { FlowSeries, type SectorChange } from './flow-series.ts';
import { BUCKET_MS, bucketOf, MINUTE_MS, type Minute, minuteOf } from './minute.ts';

/**
 * A match in a database that has a clock, and a server that observes it as servers do: it gets commits late, loses its
 * connection, is killed, and finds that the clock was set. What the series says is held against all commits and their
 * times, whether they were observed or not.
 */

const SECTORS = 3;
const START_MS = Date.UTC(2026, 4, 3, 18, 0);

interface Ticket {
  /** Another event's tickets have no sector here. */
  readonly sector: number | undefined;
  readonly isAdmitted: boolean;
  readonly isValid: boolean;
}

interface Commit {
  readonly position: number;
  readonly atMs: number;
  readonly changes: readonly SectorChange[];
  run: number;
}

/** The clock was read after `position` commits. */
interface ClockReading {
  readonly position: number;
  readonly atMs: number;
}

interface Pass extends ClockReading {
  readonly run: number;
}

/** From when to when the server saw everything. */
interface Observation {
  readonly fromMs: number;
  toMs: number;
  readonly run: number;
}

class Database {
  readonly tickets = new Map<number, Ticket>();
  readonly commits: Commit[] = [];
  /** What the clock is ahead of the time that elapses. */
  aheadMs = 0;
  elapsedMs = 0;

  get clockMs(): number {
    return START_MS + this.elapsedMs + this.aheadMs;
  }

  commit(after: ReadonlyMap<number, Ticket | undefined>, beforeMs: number, run: number): void {
    const changes = Array.from({ length: SECTORS }, (_, sector) => changeOf(sector));
    for (const [id, ticket] of after) {
      move(changes, this.tickets.get(id), ticket);
      if (ticket) this.tickets.set(id, ticket);
      else this.tickets.delete(id);
    }
    const position = this.commits.length + 1;
    const changed = changes.filter(
      (row) => row.valid !== 0 || row.entered + row.reverted !== 0 || row.moved !== 0,
    );
    this.commits.push({ position, atMs: this.clockMs - beforeMs, changes: changed, run });
  }

  totals() {
    return Array.from({ length: SECTORS }, (_, sector) => {
      const tickets = [...this.tickets.values()].filter((ticket) => ticket.sector === sector);
      return {
        admitted: tickets.filter(({ isAdmitted }) => isAdmitted).length,
        valid: tickets.filter(({ isValid }) => isValid).length,
      };
    });
  }
}

type Row = { -readonly [K in keyof SectorChange]: SectorChange[K] };

function changeOf(sector: number): Row {
  return { sector, admitted: 0, entered: 0, reverted: 0, moved: 0, valid: 0 };
}

function move(rows: readonly Row[], before: Ticket | undefined, after: Ticket | undefined): void {
  const [from, to] = [before, after].map((ticket) => rows[ticket?.sector ?? SECTORS]);
  if (from && before?.isValid) from.valid -= 1;
  if (to && after?.isValid) to.valid += 1;
  const isMoved = Boolean(before?.isAdmitted && after?.isAdmitted) && from !== to;
  if (from && before?.isAdmitted) from.admitted -= 1;
  if (to && after?.isAdmitted) to.admitted += 1;
  if (from && isMoved) from.moved -= 1;
  if (to && isMoved) to.moved += 1;
  if (from && before?.isAdmitted && !after?.isAdmitted) from.reverted += 1;
  if (to && after?.isAdmitted && !before?.isAdmitted) to.entered += 1;
}

class Server {
  readonly database: Database;
  series = new FlowSeries({ sectorCount: SECTORS });
  readonly record = new Map<number, Minute>();
  /** What the record had as the process began. */
  restored = new Map<number, Minute>();
  isRestored = true;
  readonly advances: Pass[] = [];
  observations: Observation[] = [];
  isConnected = false;
  delivered = 0;
  run = 1;
  #aheadMs = 0;
  #readings: ClockReading[] = [];

  constructor(database: Database) {
    this.database = database;
  }

  get isClockSet(): boolean {
    return this.database.aheadMs !== this.#aheadMs;
  }

  readClock(): void {
    const { database } = this;
    if (this.isClockSet) {
      this.series.interrupt(database.clockMs - database.aheadMs + this.#aheadMs);
      this.#aheadMs = database.aheadMs;
      this.#readings = [];
      this.run += 1;
    }
    this.#readings.push({ position: database.commits.length, atMs: database.clockMs });
  }

  connect(): void {
    if (this.isConnected) return;
    // The totals are those of everything before.
    this.database.elapsedMs += 1;
    this.readClock();
    this.#readings = [];
    this.isConnected = true;
    const { clockMs, commits } = this.database;
    this.series.begin(clockMs, this.database.totals());
    for (const commit of commits.slice(this.delivered)) commit.run = this.run;
    this.delivered = commits.length;
    this.observations.push({ fromMs: clockMs, toMs: clockMs, run: this.run });
  }

  disconnect(): void {
    this.isConnected = false;
    this.#readings = [];
  }

  /** Delivers the next `count` commits, then the clock readings that they make true. */
  deliver(count: number): void {
    if (!this.isConnected) return;
    for (const commit of this.database.commits.slice(this.delivered, this.delivered + count)) {
      commit.run = this.run;
      this.series.commit(commit.atMs, commit.changes);
      this.delivered = commit.position;
    }
    for (const { atMs, position } of this.#readings.splice(0)) {
      if (position <= this.delivered) this.#advanceTo(atMs);
      else this.#readings.push({ atMs, position });
    }
  }

  #advanceTo(atMs: number): void {
    const observation = this.observations.at(-1);
    if (!observation) return;
    if (observation.run === this.run) observation.toMs = Math.max(observation.toMs, atMs);
    else this.observations.push({ fromMs: atMs, toMs: atMs, run: this.run });
    this.advances.push({ atMs, position: this.delivered, run: this.run });
    this.#write(this.series.advanceTo(atMs));
  }

  restore(): void {
    if (this.isRestored) return;
    this.isRestored = true;
    this.#write(this.series.restore([...this.restored.values()]));
  }

  /** Kills the process before it has written its last `lostCount` minutes. */
  restart(lostCount: number, isRestoredFirst: boolean): void {
    for (const minuteMs of [...this.record.keys()].slice(Math.max(0, this.record.size - lostCount))) {
      this.record.delete(minuteMs);
    }
    this.disconnect();
    this.observations = [];
    this.series = new FlowSeries({ sectorCount: SECTORS });
    this.restored = new Map(this.record);
    this.isRestored = false;
    if (isRestoredFirst) this.restore();
  }

  #write(minutes: readonly Minute[]): void {
    for (const minute of minutes) {
      expect(this.record.has(minute.minuteMs), 'a minute twice').toBe(false);
      expectRecounted(minute, this);
      this.record.set(minute.minuteMs, minute);
    }
    const minutesMs = minutes.map(({ minuteMs }) => minuteMs);
    expect(minutesMs).toEqual(minutesMs.toSorted((a, b) => a - b));
  }
}

/** A commit that turned up after its boundary counts after it. */
function countsAtMs({ atMs, position, run }: Commit, advances: readonly Pass[]): number {
  const before = advances.filter((pass) => pass.run === run && pass.position < position);
  return Math.max(atMs, ...before.map((pass) => bucketOf(pass.atMs)));
}

function expectRecounted(
  { minuteMs, sectors }: Minute,
  { database, delivered, advances, observations }: Server,
): void {
  const within = database.commits
    .slice(0, delivered)
    .filter((commit) => minuteOf(countsAtMs(commit, advances)) === minuteMs)
    .flatMap(({ changes }) => changes);
  const isWhole = observations.some(({ fromMs, toMs }) => fromMs <= minuteMs && toMs >= minuteMs + MINUTE_MS);
  for (const [sector, row] of sectors.entries()) {
    const changes = within.filter((change) => change.sector === sector);
    const sum = (key: 'admitted' | 'entered' | 'reverted' | 'moved') =>
      changes.reduce((total, change) => total + change[key], 0);
    expect(row.net, 'net').toBe(sum('admitted'));
    if (isWhole) expect(row.entered).not.toBe(null);
    if (row.entered === null) continue;
    expect(row).toMatchObject({ entered: sum('entered'), reverted: sum('reverted'), moved: sum('moved') });
  }
}

/** With a clock that nobody sets: both ends observed, in this process or in the one that wrote the minute before. */
function expectConfirmedAsObserved({ series, observations, restored, isRestored, database }: Server): void {
  const isObserved = (ms: number) => observations.some(({ fromMs, toMs }) => fromMs <= ms && toMs >= ms);
  const isRecorded = (ms: number) => isRestored && restored.has(ms);
  for (let ms = START_MS; ms < database.clockMs; ms += MINUTE_MS) {
    const isStartObserved = isObserved(ms) || isRecorded(ms - MINUTE_MS);
    const isExpected = isRecorded(ms) || (isStartObserved && isObserved(ms + MINUTE_MS));
    expect(series.isConfirmed(ms), `minute ${(ms - START_MS) / MINUTE_MS}`).toBe(isExpected);
  }
}

const anyTicket = fc.record({
  sector: fc.constantFrom(0, 1, SECTORS - 1, undefined),
  isAdmitted: fc.boolean(),
  isValid: fc.boolean(),
});
const anyTickets = fc
  .array(fc.tuple(fc.nat(40), fc.option(anyTicket, { nil: undefined })), { maxLength: 6 })
  .map((tickets) => new Map(tickets));
const anyWaitMs = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 15_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(BUCKET_MS, 2 * BUCKET_MS, MINUTE_MS) },
  { weight: 1, arbitrary: fc.nat(200_000) },
);
/** Time passes; tickets change; the clock is read and commits are delivered, or not. */
const anySecond = fc.record({
  act: fc.constant('go on' as const),
  waitMs: anyWaitMs,
  tickets: anyTickets,
  isTruncated: fc.integer({ min: 0, max: 30 }).map((n) => n === 0),
  /** A commit has its time shortly before its place. */
  beforeMs: fc.constantFrom(0, 0, 3, 400),
  isRead: fc.integer({ min: 0, max: 6 }).map((n) => n > 0),
  delivered: fc.oneof({ weight: 4, arbitrary: fc.constant(Infinity) }, { weight: 1, arbitrary: fc.nat(4) }),
});
const anyBreak = fc.constantFrom({ act: 'disconnect' as const }, { act: 'connect' as const });
const anyRestart = fc.oneof(
  fc.record({ act: fc.constant('restart' as const), lost: fc.nat(1), isRestoredFirst: fc.boolean() }),
  fc.constant({ act: 'restore' as const }),
);
const anyStep = fc.record({
  act: fc.constant('set the clock' as const),
  byMs: fc
    .oneof(
      fc.integer({ min: -300_000, max: 300_000 }),
      fc.constantFrom(-3_600_000, 3_600_000, -60_000, -10_000),
    )
    .filter((byMs) => Math.abs(byMs) > 2_500),
});

type ValueOf<T> = T extends fc.Arbitrary<infer V> ? V : never;
type Act = ValueOf<typeof anySecond | typeof anyBreak | typeof anyRestart | typeof anyStep>;

function play(acts: readonly Act[], check: (server: Server) => void): void {
  const database = new Database();
  const server = new Server(database);
  let isSetUnobserved = false;
  server.connect();
  for (const act of acts) {
    if (act.act === 'go on') {
      database.elapsedMs += act.waitMs;
      const all = new Map([...database.tickets.keys()].map((id) => [id, undefined]));
      database.commit(act.isTruncated ? all : act.tickets, act.beforeMs, server.run);
      if (act.isRead && server.isConnected) server.readClock();
      server.deliver(act.delivered);
    }
    if (act.act === 'disconnect') server.disconnect();
    if (act.act === 'connect') server.connect();
    if (act.act === 'restore') server.restore();
    if (act.act === 'set the clock' && !server.isClockSet && !isSetUnobserved) database.aheadMs += act.byMs;
    // What it went through then is not confirmed: set once more, it could go there again.
    isSetUnobserved ||= server.isClockSet && !server.isConnected;
    if (act.act === 'restart') {
      check(server);
      server.restart(act.lost, act.isRestoredFirst);
    }
  }
  check(server);
}

const RUNS = { numRuns: repetitions(200, 30) };

const anyHistory = (...rare: fc.Arbitrary<Act>[]) =>
  fc.array(
    fc.oneof<fc.MaybeWeightedArbitrary<Act>[]>(
      { weight: 24, arbitrary: anySecond },
      { weight: 1, arbitrary: anyBreak },
      ...rare.map((arbitrary) => ({ weight: 1, arbitrary })),
    ),
    { maxLength: 150, size: 'max' },
  );

test('invariant 10: over breaks and restarts, a minute is confirmed if both its ends were observed, and is what its commits say', () => {
  fc.assert(
    fc.property(anyHistory(anyBreak, anyRestart), (acts) => {
      play(acts, expectConfirmedAsObserved);
    }),
    RUNS,
  );
});

test('invariant 10: whatever the clock is set to, a confirmed minute is what its commits say', () => {
  fc.assert(
    fc.property(anyHistory(anyStep), (acts) => {
      play(acts, () => undefined);
    }),
    RUNS,
  );
});
