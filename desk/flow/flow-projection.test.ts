import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { formatPosition } from '../../domain/log-position.ts';
import { withReturn } from '../../domain/returned-primary.ts';
import { FlowSeries } from '../model/series/flow-series.ts';
import type { LateBatch } from '../model/series/late-batches.ts';
import { MINUTE_MS } from '../model/series/minute.ts';
import { stillToEnter } from '../model/series/still-to-enter.ts';
import { repetitions } from '../../testing/durations.ts';
import type { ObservedTicket, TicketChange } from '../../board/sources/ticket-source.ts';
import { REAL_TIME, speedUp } from './flow-clock.ts';
import { FlowProjection } from './flow-projection.ts';

const NOON_MS = Date.UTC(2026, 4, 3, 12);
const HOUR_MS = 60 * MINUTE_MS;
const EVENT = 'event';

let monotonicMs = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => monotonicMs));
afterEach(() => void vi.restoreAllMocks());

/** How much later than its time a change may become visible at this source. */
const DELAY_MS = 1_000;

/** A projection of sectors 'A' and 'B', and a source whose clock begins at noon and can be set. */
function open({ admitted = 0, clock = REAL_TIME, beginMs = 0, tookOverMs = null as number | null } = {}) {
  const lots: LateBatch[] = [];
  const series = new FlowSeries({ sectorCount: 3, onLateBatch: (lot) => lots.push(lot) });
  const interrupted: (readonly [fromMs: number, toMs: number])[] = [];
  const projection = new FlowProjection({
    eventId: EVENT,
    rows: [
      { code: 'A', codes: ['A'] },
      { code: 'B', codes: ['B'] },
    ],
    series,
    clock,
    onMinutes: () => {},
    onInterrupted: (fromMs, toMs) => interrupted.push([fromMs, toMs]),
  });
  let aheadMs = NOON_MS - performance.now();
  const nowMs = (): number => performance.now() + aheadMs;
  let setByMs = 0;
  const instant = (agoMs = 0) => ({ sourceMs: nowMs() - agoMs, readAtMs: performance.now() - agoMs });
  const flow = {
    series,
    interrupted,
    nowMs,
    set: (byMs: number): void => {
      aheadMs += byMs;
      setByMs += byMs;
    },
    advanceTo: (ms: number): void => void (monotonicMs += ms),
    snapshot: (inside: number, timeline = 1, replayedMs: number | null = null): void =>
      projection.snapshot({
        epoch: 'epoch',
        position: formatPosition('1', timeline, 0n),
        replayedMs,
        takenAt: instant(),
        groups: [{ eventId: EVENT, ticket: ticket('A', true), count: inside }],
        sectors: new Map(),
      }),
    change: (change: TicketChange, madeAtMs = nowMs()): void => projection.change(change, madeAtMs),
    truncate: () => projection.truncate(nowMs()),
    restored: (eventId?: string): void => projection.restored(eventId),
    lots,
    commit: (): void => projection.commit(),
    enter: (atMs?: number): void => {
      flow.change({ before: ticket('A', false), after: ticket('A', true) }, atMs);
      flow.commit();
    },
    elapsedMsSince: (ms: number): number => projection.elapsedMsSince(ms),
    stale: (): void => projection.stale('connecting', performance.now()),
    catchUp: (): void => {
      if (setByMs !== 0) projection.clockSet(setByMs, instant());
      setByMs = 0;
      projection.caughtUpTo(instant(DELAY_MS));
    },
    minute: (minuteMs: number) => series.minutes(minuteMs, minuteMs + 1)[0]?.sectors,
    /** Reads the clock every two seconds for `ms`, as a server does. */
    watch: (ms: number): void => {
      for (let goneMs = 0; goneMs < ms; goneMs += 2_000) {
        flow.advanceTo(2_000);
        flow.catchUp();
      }
    },
  };
  flow.advanceTo(beginMs);
  flow.snapshot(admitted, 1, tookOverMs);
  return flow;
}

function ticket(setor: string, entrou: boolean, eventId = EVENT): ObservedTicket {
  return { eventId, id: 't', setor, entrou, isValidTicket: true } as ObservedTicket;
}

test('a commit that is written up to a second after its time counts in its own minute', () => {
  const flow = open();
  flow.advanceTo(MINUTE_MS + 900);
  flow.catchUp();
  expect(flow.minute(NOON_MS)).toBeUndefined();
  flow.enter(NOON_MS + MINUTE_MS - 1);
  flow.advanceTo(100);
  flow.catchUp();
  expect(flow.minute(NOON_MS)?.[0]).toMatchObject({ admitted: 1, net: 1, entered: 1 });
});

test.each([
  ['had what was counted at the minute’s beginning', 2, 1_000, true],
  ['was promoted before the minute', 2, -1_000, false],
  ['was promoted twice', 3, 1_000, false],
  ['has restarted since', 2, null, false],
  ['is a primary gone back to', withReturn(2, { rank: 1, by: 'Ana', atMs: 0 }), 1_000, false],
] as const)(
  'a minute in which the primary changes is known if the new one %s',
  (_what, timeline, replayedMs, isKnown) => {
    const flow = open();
    flow.watch(MINUTE_MS);
    flow.enter();
    flow.watch(10_000);
    // The new one lacks the entry, and has two others.
    const minuteMs = NOON_MS + MINUTE_MS;
    flow.snapshot(2, timeline, replayedMs === null ? null : minuteMs + replayedMs);
    flow.watch(MINUTE_MS);
    expect(flow.minute(NOON_MS)?.[0]).toMatchObject({ net: 0 });
    expect(flow.minute(minuteMs)?.[0]?.net).toBe(isKnown ? 2 : undefined);
    flow.watch(MINUTE_MS);
    expect(flow.minute(minuteMs + MINUTE_MS)?.[0]).toMatchObject({ admitted: 2, net: 0 });
    // Nor does it become known once the record is read again.
    const recorded = flow.series.minutes(0, Infinity).filter((minute) => minute.minuteMs !== minuteMs);
    expect(flow.series.restore(recorded)).toEqual([]);
    expect(flow.minute(minuteMs) !== undefined).toBe(isKnown);
  },
);

test.each([
  ['just before', -3_000, false],
  ['within the minute', 3_000, true],
  ['long ago', -10 * MINUTE_MS, true],
  ['never', null, true],
])(
  'a minute that a process begins to watch goes on from the recorded one unless a standby took over %s',
  (_what, afterMs, isKnown) => {
    const tookOverMs = afterMs === null ? null : NOON_MS + afterMs;
    const flow = open({ admitted: 3, beginMs: 12_000, tookOverMs });
    const sectors = [4, 0, 0].map((admitted) => ({
      admitted,
      net: 0,
      entered: 0,
      reverted: 0,
      moved: 0,
      valid: 5,
      lots: 0,
    }));
    flow.series.restore([{ minuteMs: NOON_MS - MINUTE_MS, sectors }]);
    flow.watch(2 * MINUTE_MS);
    expect(flow.minute(NOON_MS)?.[0]?.net).toBe(isKnown ? -1 : undefined);
    expect(flow.minute(NOON_MS + MINUTE_MS)?.[0]).toMatchObject({ admitted: 3, net: 0 });
  },
);

test('where the clock runs faster, so does the time since the source was last heard', () => {
  const flow = open({ clock: speedUp(NOON_MS - HOUR_MS, 12) });
  const heardAtMs = performance.now();
  flow.advanceTo(10_000);
  expect(flow.elapsedMsSince(heardAtMs)).toBe(120_000);
});

test('who changes the sector or the event while inside has moved, and neither entered nor was taken back', () => {
  const flow = open();
  flow.enter();
  flow.watch(MINUTE_MS + 2_000);
  flow.change({ before: ticket('A', true), after: ticket('B', true) });
  flow.commit();
  flow.change({ before: ticket('B', true, 'another'), after: ticket('B', true) });
  flow.commit();
  flow.change({ before: ticket('A', false), after: ticket('', false) });
  flow.commit();
  flow.watch(MINUTE_MS);
  expect(flow.minute(NOON_MS + MINUTE_MS)).toMatchObject([
    { admitted: 0, net: -1, entered: 0, reverted: 0, moved: -1 },
    { admitted: 2, net: 2, entered: 0, reverted: 0, moved: 2 },
    { admitted: 0, net: 0, entered: 0, reverted: 0, moved: 0 },
  ]);
});

test('after any changes, the tickets that are valid and have not entered are those of a recount', () => {
  const kind = fc.record({
    eventId: fc.constantFrom(EVENT, 'another'),
    setor: fc.constantFrom('A', 'B', ''),
    entrou: fc.boolean(),
    isValidTicket: fc.boolean(),
  });
  const step = fc.oneof(
    { weight: 12, arbitrary: fc.tuple(fc.nat(9), fc.option(kind, { nil: undefined })) },
    { weight: 1, arbitrary: fc.constant('truncate' as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const flow = open();
      const tickets = new Map<number, ObservedTicket>();
      for (const next of steps) {
        if (next === 'truncate') {
          flow.truncate();
          tickets.clear();
        } else {
          const [id, after] = next;
          flow.change({ before: tickets.get(id), after });
          if (after) tickets.set(id, after);
          else tickets.delete(id);
        }
        flow.commit();
        const outside = ['A', 'B', ''].map((code) => {
          const counted = [...tickets.values()].filter(
            ({ eventId, setor }) => eventId === EVENT && setor === code,
          );
          return counted.filter(({ isValidTicket, entrou }) => isValidTicket && !entrou).length;
        });
        expect(flow.series.totals.map((totals) => stillToEnter(totals))).toEqual(outside);
      }
    }),
    { numRuns: repetitions(200, 40) },
  );
});

/** As many as turnstiles send at once that were offline. */
function bring(flow: ReturnType<typeof open>, count = 500): void {
  for (let n = 0; n < count; n += 1) flow.change({ before: undefined, after: ticket('B', true) });
}

test('who is restored has not entered: the minute is a gap, without a late batch, and all that follows is known', () => {
  const flow = open({ admitted: 5 });
  flow.watch(MINUTE_MS + 20_000);
  flow.restored();
  bring(flow);
  flow.commit();
  flow.watch(10_000);
  expect([0, 1].map((sector) => flow.series.lastEntryAtMs(sector))).toEqual([undefined, undefined]);
  flow.enter();
  flow.watch(2 * MINUTE_MS);
  expect(flow.lots).toEqual([]);
  expect(flow.series.lastEntryAtMs(1)).toBeUndefined();
  expect(flow.minute(NOON_MS)?.[0]).toMatchObject({ admitted: 5, net: 0 });
  expect(flow.minute(NOON_MS + MINUTE_MS)).toBeUndefined();
  expect(flow.minute(NOON_MS + 2 * MINUTE_MS)).toMatchObject([
    { admitted: 6, net: 0, entered: 0 },
    { admitted: 500, net: 0, entered: 0, lots: 0 },
    { admitted: 0 },
  ]);
});

test.each([
  ['another event is restored', (flow: ReturnType<typeof open>) => flow.restored('another')],
  [
    'a restore of its own was broken off',
    (flow: ReturnType<typeof open>) => (flow.restored(EVENT), flow.snapshot(0)),
  ],
  ['a record alone was restored', (flow: ReturnType<typeof open>) => (flow.restored(EVENT), flow.commit())],
])('where %s, what comes at once next is a late batch', (_what, restore) => {
  const flow = open();
  flow.watch(MINUTE_MS + 20_000);
  restore(flow);
  bring(flow);
  flow.commit();
  expect(flow.lots).toMatchObject([{ sector: 1, count: 500 }]);
  flow.watch(MINUTE_MS);
  expect(flow.minute(NOON_MS + MINUTE_MS)?.[1]).toMatchObject({ admitted: 500, net: 500, lots: 500 });
});

test('a truncation takes all entries back, also those of its own transaction', () => {
  const flow = open({ admitted: 5 });
  flow.watch(MINUTE_MS + 2_000);
  flow.change({ before: undefined, after: ticket('B', true) });
  flow.truncate();
  flow.change({ before: undefined, after: ticket('B', true) });
  flow.commit();
  flow.watch(MINUTE_MS);
  expect(flow.minute(NOON_MS + MINUTE_MS)).toMatchObject([
    { admitted: 0, net: -5, entered: 0, reverted: 5, moved: 0, valid: 0 },
    { admitted: 1, net: 1, entered: 2, reverted: 1, moved: 0, valid: 1 },
    { admitted: 0, net: 0 },
  ]);
  flow.truncate();
  flow.commit();
  flow.watch(MINUTE_MS);
  expect(flow.minute(NOON_MS + 2 * MINUTE_MS)).toMatchObject([
    { admitted: 0, net: 0, reverted: 0, valid: 0 },
    { admitted: 0, net: -1, reverted: 1, valid: 0 },
    { admitted: 0, net: 0 },
  ]);
});

test('changes of a transaction whose stream broke off do not count, and its minute is marked as interrupted', () => {
  const flow = open({ admitted: 1 });
  flow.watch(MINUTE_MS + 2_000);
  flow.enter();
  flow.change({ before: ticket('A', false), after: ticket('A', true) });
  flow.snapshot(4);
  flow.enter();
  flow.watch(MINUTE_MS);
  expect(flow.minute(NOON_MS + MINUTE_MS)?.[0]).toEqual({
    admitted: 5,
    net: 4,
    entered: null,
    reverted: null,
    moved: null,
    valid: 4,
    lots: 0,
  });
});

test('a commit with a time ahead of the clock counts now, one with an earlier time in the running minute', () => {
  const flow = open();
  flow.watch(MINUTE_MS + 30_000);
  flow.enter(flow.nowMs() + 10 * MINUTE_MS);
  flow.enter(flow.nowMs() - 10 * MINUTE_MS);
  flow.watch(MINUTE_MS);
  expect(flow.minute(NOON_MS)?.[0]).toMatchObject({ admitted: 0 });
  expect(flow.minute(NOON_MS + MINUTE_MS)?.[0]).toMatchObject({ admitted: 2, net: 2, entered: 2 });
});

test.each([
  ['an hour ahead', HOUR_MS],
  ['an hour back', -HOUR_MS],
  ['six seconds ahead', 6_000],
  ['six seconds back', -6_000],
])('the clock is set %s: no minute that is known lacks a commit of its time', (_what, byMs) => {
  // A minute ends before, while and after it is seen.
  for (const second of [0, 1, 2, 3, 30, 56, 57, 58, 59]) {
    const flow = open();
    const commits: number[] = [];
    const step = (ms: number): void => {
      for (let goneMs = 0; goneMs < ms; goneMs += 500) {
        flow.advanceTo(500);
        commits.push(flow.nowMs());
        flow.enter();
        if (goneMs % 2_000 === 0) flow.catchUp();
      }
    };
    step(2 * MINUTE_MS + second * 1_000);
    const beforeMs = flow.nowMs();
    const before = commits.length;
    flow.set(byMs);
    const afterMs = flow.nowMs();
    step(4 * MINUTE_MS);
    const known = flow.series.minutes(0, Infinity);
    for (const { minuteMs, sectors } of known) {
      // What was known before the clock was set stays.
      const isOld = byMs < 0 && minuteMs + MINUTE_MS <= beforeMs;
      const told = isOld ? commits.slice(0, before) : commits;
      const inMinute = told.filter((ms) => ms >= minuteMs && ms < minuteMs + MINUTE_MS);
      expect([second, minuteMs - NOON_MS, sectors[0]?.entered]).toEqual([
        second,
        minuteMs - NOON_MS,
        inMinute.length,
      ]);
    }
    const isRecordedAgain = known.some(({ minuteMs }) => minuteMs >= Math.max(beforeMs, afterMs));
    expect(isRecordedAgain).toBe(byMs > -HOUR_MS);
  }
});

test('changes of one commit count each in the bucket of its own time, in whatever order they come', () => {
  const flow = open();
  flow.watch(MINUTE_MS + 20_000);
  const entry = { before: ticket('A', false), after: ticket('A', true) };
  const atMs = flow.nowMs();
  flow.change(entry, atMs + 50_000);
  flow.change(entry, atMs + 1_000);
  flow.advanceTo(MINUTE_MS);
  flow.change(entry, atMs + 1_000);
  flow.commit();
  expect(flow.lots).toEqual([]);
  flow.watch(MINUTE_MS);
  expect(flow.minute(NOON_MS + MINUTE_MS)?.[0]).toMatchObject({ admitted: 2, entered: 2 });
  expect(flow.minute(NOON_MS + 2 * MINUTE_MS)?.[0]).toMatchObject({ admitted: 3, entered: 1 });
});

test('each snapshot after the first one ends an interruption: since the counts were last verified', () => {
  const flow = open();
  flow.watch(10_000);
  flow.stale();
  flow.advanceTo(3_000);
  flow.snapshot(0);
  flow.stale();
  flow.advanceTo(500);
  flow.snapshot(0);
  expect(flow.interrupted).toEqual([
    [NOON_MS + 10_000, NOON_MS + 13_000],
    [NOON_MS + 13_000, NOON_MS + 13_500],
  ]);
});
