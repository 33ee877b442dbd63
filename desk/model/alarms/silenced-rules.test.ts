import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repetitions } from '../../../testing/durations.ts';
import { WatchedGates } from '../../../testing/desk/watched-gates.ts';
import type { AlarmRule } from './alarm.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 19, 0);
const CODES = ['1', '2', '3', ''];
const OF_FLOW: ReadonlySet<AlarmRule> = new Set(['stopped', 'dropped', 'ground-dropped', 'several-stopped']);

/** Forty a minute in each sector, then a stop of some of them, or of the ground, at the minute that is given. */
interface Trouble {
  readonly fromMinute: number;
  /** What is left of the flow, by sector. */
  readonly left: readonly number[];
}

const anyTrouble = fc.record({
  fromMinute: fc.integer({ min: -60, max: -25 }),
  left: fc.tuple(
    fc.constantFrom(0, 0.1),
    fc.constantFrom(0, 0.1, 1),
    fc.constantFrom(0, 0.1, 1),
    fc.constant(0),
  ),
});

/** What keeps the rules from being applied, told when the trouble begins. */
const SILENCES: Readonly<Record<string, (watched: WatchedGates) => void>> = {
  'the event is marked': (watched) => void watched.say('mark', { mark: 'suspended' }),
  'the entry is closed': (watched) => void watched.say('entry-closed', {}),
  evacuation: (watched) => void watched.say('evacuation', {}),
  'the feed is not live': (watched) => watched.know({ staleForMs: 1_000 }),
  'the gates open later': (watched) =>
    void watched.say('times', { gatesOpenAtMs: KICK_OFF_MS, kickOffAtMs: KICK_OFF_MS + 60 * 60_000 }),
  'nobody says when kick-off is': (watched) =>
    void watched.say('times', { gatesOpenAtMs: null, kickOffAtMs: null }),
  'kick-off was an hour ago': (watched) =>
    void watched.say('kick-off', { kickOffAtMs: KICK_OFF_MS - 3 * 60 * 60_000 }),
};

function untilTrouble({ fromMinute }: Trouble): WatchedGates {
  const watched = new WatchedGates({
    codes: CODES,
    valid: 9_000,
    kickOffMs: KICK_OFF_MS,
    fromMinute: fromMinute - 30,
  });
  watched.warmUp(30, [40, 40, 40, 0]);
  return watched;
}

function inTrouble(watched: WatchedGates, { left }: Trouble): void {
  watched.pass(
    15,
    left.map((share) => 40 * share),
  );
}

test('rules find trouble where nothing keeps them from it', () => {
  fc.assert(
    fc.property(anyTrouble, (trouble) => {
      const watched = untilTrouble(trouble);
      inTrouble(watched, trouble);
      expect(watched.alarmLog.length).toBeGreaterThan(0);
    }),
    { numRuns: repetitions(32, 3) },
  );
});

test.each(Object.keys(SILENCES))('no rule of the flow is applied where %s', (name) => {
  fc.assert(
    fc.property(anyTrouble, (trouble) => {
      const watched = untilTrouble(trouble);
      SILENCES[name]?.(watched);
      inTrouble(watched, trouble);
      expect(watched.alarmLog).toEqual([]);
    }),
    { numRuns: repetitions(20, 3) },
  );
});

test('a suspended entry silences its sector and no other, and people have time to come once it has ended', () => {
  fc.assert(
    fc.property(anyTrouble, fc.integer({ min: 1, max: 14 }), (trouble, minutes) => {
      const watched = untilTrouble(trouble);
      const id = watched.say('mark', { mark: 'suspended' }, '1');
      watched.pass(minutes, [0, 40, 40, 0]);
      watched.say('take-back', { id, why: 'ended' });
      watched.pass(1.5, [0, 40, 40, 0]);
      expect(watched.alarmLog).toEqual([]);
      watched.pass(15, [40, 40, 40, 0]);
      expect(watched.alarmLog).toEqual([]);
      watched.say('mark', { mark: 'unscanned' }, '1');
      watched.pass(4, [0, 0, 40, 0]);
      expect(watched.alarmLog).toEqual(['stopped 2']);
    }),
    { numRuns: repetitions(32, 3) },
  );
});

test.each(['unscanned', 'elsewhere'] as const)(
  'once readings are said to be back, a sector in which nothing is read calls at once: %s',
  (mark) => {
    fc.assert(
      fc.property(anyTrouble, fc.integer({ min: 2, max: 44 }), (trouble, minutes) => {
        const watched = untilTrouble({ ...trouble, fromMinute: -60 });
        const id = watched.say('mark', { mark }, '1');
        watched.pass(minutes, [0, 40, 40, 0]);
        expect(watched.alarmLog).toEqual([]);
        watched.say('take-back', { id, why: 'ended' });
        watched.pass(1 / 6, [0, 40, 40, 0]);
        expect(watched.alarmLog).toEqual(['stopped 1']);
      }),
      { numRuns: repetitions(16, 3) },
    );
  },
);

test('what is usual is what entered before a mark, not the few who were read under it', () => {
  const watched = untilTrouble({ fromMinute: -60, left: [] });
  const id = watched.say('mark', { mark: 'unscanned', sinceMs: watched.nowMs - 5_000 }, '1');
  watched.pass(20, [1, 40, 40, 0]);
  watched.say('take-back', { id, why: 'ended' });
  watched.pass(1, [1, 40, 40, 0]);
  expect(watched.alarmLog).toEqual([]);
  expect(watched.evaluate().sectors[0]).toBe('flowing');
  watched.pass(2, [0, 40, 40, 0]);
  expect(watched.alarmLog).toEqual(['stopped 1']);
  expect(watched.state.alarms[0]?.figures).toMatchObject({ before: 40, windowMs: 2 * 60_000 });
});

test('people have time to come once a suspended entry has ended, and no more than that', () => {
  const watched = untilTrouble({ fromMinute: -60, left: [] });
  const id = watched.say('mark', { mark: 'suspended' }, '1');
  watched.pass(20, [1, 40, 40, 0]);
  watched.say('take-back', { id, why: 'ended' });
  watched.pass(11 / 6, [0, 40, 40, 0]);
  expect(watched.alarmLog).toEqual([]);
  watched.pass(1 / 6, [0, 40, 40, 0]);
  expect(watched.alarmLog).toEqual(['stopped 1']);
});

test('a mark that was a mistake leaves the rules as if it had never been', () => {
  const watched = untilTrouble({ fromMinute: -60, left: [] });
  watched.pass(1, [0, 40, 40, 0]);
  const id = watched.say('mark', { mark: 'suspended' }, '1');
  watched.pass(0.5, [0, 40, 40, 0]);
  watched.say('take-back', { id, why: 'mistake' });
  watched.pass(0.5, [0, 40, 40, 0]);
  expect(watched.alarmLog).toEqual(['stopped 1']);
});

/** What operators do by which a rule does not apply any more: of none is it known whether what it found goes on. */
const RETIRES: Readonly<
  Record<string, (watched: WatchedGates, sectors: readonly (string | null)[]) => void>
> = {
  ...Object.fromEntries(
    (['unscanned', 'suspended', 'elsewhere'] as const).map((mark) => [
      mark,
      (watched: WatchedGates, sectors: readonly (string | null)[]) => {
        for (const sector of sectors) watched.say('mark', { mark }, sector);
      },
    ]),
  ),
  'entry closed': (watched) => void watched.say('entry-closed', {}),
  evacuation: (watched) => void watched.say('evacuation', {}),
  'another kick-off': (watched) => void watched.say('kick-off', { kickOffAtMs: watched.nowMs - 16 * 60_000 }),
};

test.each(Object.keys(RETIRES))('an alarm that operators retire is never back to normal: %s', (name) => {
  for (const [left, sectors, raised] of [
    [[0, 40, 40, 0], ['1'], 'stopped 1'],
    [[4, 40, 40, 0], ['1'], 'dropped 1'],
    [[0, 0, 0, 0], ['1', '2', '3'], 'several-stopped ground'],
    [[12, 12, 12, 0], [null], 'ground-dropped ground'],
  ] as const) {
    const watched = untilTrouble({ fromMinute: -40, left: [] });
    watched.pass(6.5, left);
    expect(watched.alarmLog.at(-1)).toBe(raised);
    const { length } = watched.alarmLog;
    RETIRES[name]?.(watched, sectors);
    watched.pass(3, left);
    expect([raised, ...watched.alarmLog.slice(length)]).toEqual([raised, 'alarm-returned withdrawn']);
  }
});

test('what was not watched is no trouble, however few entered meanwhile', () => {
  fc.assert(
    fc.property(anyTrouble, fc.integer({ min: 2, max: 12 }), (trouble, minutes) => {
      const watched = untilTrouble(trouble);
      watched.lose(minutes, 0);
      watched.pass(20, [40, 40, 40, 0]);
      expect(watched.alarmLog).toEqual([]);
    }),
    { numRuns: repetitions(32, 3) },
  );
});

test('an alarm that was raised returns where its rule does not apply any more', () => {
  fc.assert(
    fc.property(anyTrouble, fc.constantFrom(...Object.keys(SILENCES)), (trouble, name) => {
      const watched = untilTrouble(trouble);
      inTrouble(watched, trouble);
      SILENCES[name]?.(watched);
      watched.pass(1 / 6, 0);
      const flow = watched.state.alarms.filter(({ rule }) => OF_FLOW.has(rule));
      const active = flow.filter(({ returnedAtMs }) => returnedAtMs === null);
      // What is not known is over for nobody.
      expect(active.length > 0).toBe(name === 'the feed is not live');
    }),
    { numRuns: repetitions(32, 3) },
  );
});
