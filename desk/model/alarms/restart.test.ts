import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repetitions } from '../../../testing/durations.ts';
import { WatchedGates } from '../../../testing/desk/watched-gates.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 19, 0);
const CODES = ['1', '2', '3', '4', ''];

/** Generates periods of steady flow; a sector that stops may resume in a later period. */
const anyFlows = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 9 }),
    perMinute: fc.array(fc.constantFrom(0, 8, 40, 40), { minLength: 4, maxLength: 4 }),
  }),
  { minLength: 2, maxLength: 4 },
);

function open(): WatchedGates {
  const watched = new WatchedGates({ codes: CODES, valid: 6_000, kickOffMs: KICK_OFF_MS, fromMinute: -100 });
  watched.warmUp(30, [40, 40, 40, 40, 0]);
  return watched;
}

test('an evaluation needs only the log: with a log that was read again, the entries are the same', () => {
  fc.assert(
    fc.property(anyFlows, fc.array(fc.nat(3)), (flows, forgetBefore) => {
      const [whole, forgetful] = [open(), open()];
      for (const [index, { minutes, perMinute }] of flows.entries()) {
        if (forgetBefore.includes(index)) forgetful.forget();
        whole.pass(minutes, perMinute);
        forgetful.pass(minutes, perMinute);
      }
      expect(forgetful.log).toEqual(whole.log);
    }),
    { numRuns: repetitions(24, 3) },
  );
});

test('a stop is found at most a minute later if the server restarts during it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 24 }), fc.nat(5), (afterBuckets, beforeBuckets) => {
      const watched = open();
      watched.pass(beforeBuckets / 6, [40, 40, 40, 40, 0]);
      const stopped = [0, 40, 40, 40, 0];
      const fromMs = watched.nowMs;
      watched.pass(afterBuckets / 6, stopped);
      watched.restart();
      watched.pass(4, stopped);
      expect(watched.alarmLog).toEqual(['stopped 1']);
      expect((watched.state.alarms[0]?.sinceMs ?? Infinity) - fromMs).toBeLessThanOrEqual(180_000);
      watched.restart();
      watched.pass(3, [40, 40, 40, 40, 0]);
      expect(watched.alarmLog).toEqual(['stopped 1', 'alarm-returned resolved']);
    }),
    { numRuns: repetitions(24, 3) },
  );
});

test('a stop that began before a restart has its own beginning, and another that of the silence', () => {
  const watched = open();
  watched.pass(5, [40, 40, 40, 40, 0]);
  const fromMs = watched.nowMs;
  watched.pass(1, [0, 40, 40, 40, 0]);
  watched.lose(4, [0, 40, 40, 40, 0]);
  watched.restart();
  const restartedMs = watched.nowMs;
  watched.pass(4, [0, 0, 40, 40, 0]);
  const since = watched.state.alarms.map(
    ({ figures }) => 'silentSinceMs' in figures && figures.silentSinceMs,
  );
  expect(since).toEqual([fromMs, restartedMs]);
  // The minute of the first stop before the gap is none of the rate before it.
  expect(watched.state.alarms.map(({ figures }) => 'before' in figures && figures.before)).toEqual([40, 40]);
});

test('a stop is found after a second gap that follows the first within ten minutes', () => {
  const watched = open();
  watched.lose(2, 40);
  watched.pass(9, [40, 40, 40, 40, 0]);
  watched.lose(2, [0, 40, 40, 40, 0]);
  watched.pass(4, [0, 40, 40, 40, 0]);
  expect(watched.alarmLog).toEqual(['stopped 1']);
});

test('a rate of more than twenty minutes ago is not used as the base, however many gaps followed it', () => {
  const watched = open();
  for (let gaps = 0; gaps < 3; gaps += 1) {
    watched.lose(2, 40);
    watched.pass(6, [40, 40, 40, 40, 0]);
  }
  watched.lose(2, [0, 40, 40, 40, 0]);
  watched.pass(4, [0, 40, 40, 40, 0]);
  expect(watched.alarmLog).toEqual([]);
});

test('each alarm is raised once, and a rule has at most one alarm for each sector', () => {
  fc.assert(
    fc.property(anyFlows, (flows) => {
      const watched = open();
      for (const { minutes, perMinute } of flows) watched.pass(minutes, perMinute);
      const ids = watched.log.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const subjects = watched.state.alarms.map(({ rule, sector }) => `${rule} ${sector}`);
      expect(new Set(subjects).size).toBe(subjects.length);
    }),
    { numRuns: repetitions(24, 3) },
  );
});
