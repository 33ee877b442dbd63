import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repetitions } from '../../../testing/durations.ts';
import { WatchedGates } from '../../../testing/watched-gates.ts';
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
      expect(watched.told.length).toBeGreaterThan(0);
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
      expect(watched.told).toEqual([]);
    }),
    { numRuns: repetitions(20, 3) },
  );
});

test('a mark silences its sector and no other, and what it hid is not taken for a stop afterwards', () => {
  fc.assert(
    fc.property(anyTrouble, fc.integer({ min: 1, max: 14 }), (trouble, minutes) => {
      const watched = untilTrouble(trouble);
      const id = watched.say('mark', { mark: 'unscanned' }, '1');
      watched.pass(minutes, [0, 40, 40, 0]);
      watched.say('take-back', { id });
      watched.pass(1.5, [0, 40, 40, 0]);
      expect(watched.told).toEqual([]);
      watched.pass(15, [40, 40, 40, 0]);
      expect(watched.told).toEqual([]);
      watched.say('mark', { mark: 'unscanned' }, '1');
      watched.pass(4, [0, 0, 40, 0]);
      expect(watched.told).toEqual(['stopped 2']);
    }),
    { numRuns: repetitions(32, 3) },
  );
});

test('what was not watched is no trouble, however few entered meanwhile', () => {
  fc.assert(
    fc.property(anyTrouble, fc.integer({ min: 2, max: 12 }), (trouble, minutes) => {
      const watched = untilTrouble(trouble);
      watched.lose(minutes, 0);
      watched.pass(20, [40, 40, 40, 0]);
      expect(watched.told).toEqual([]);
    }),
    { numRuns: repetitions(32, 3) },
  );
});

test('a stop after a gap is found by what entered before the gap', () => {
  const watched = untilTrouble({ fromMinute: -60, left: [] });
  watched.lose(4, 40);
  watched.pass(4, [0, 40, 40, 0]);
  expect(watched.told).toEqual(['stopped 1']);
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
