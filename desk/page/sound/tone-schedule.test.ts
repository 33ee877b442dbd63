import { expect, test } from 'vitest';
import { NO_TONE, nextEvacuation, nextTone, TONE_EVERY_MS } from './tone-schedule.ts';

/** When tones are heard, of calls at moments. */
function tonesAt(moments: readonly (readonly [ms: number, calls: readonly string[], mayRepeat?: boolean])[]) {
  let state = NO_TONE;
  return moments.flatMap(([ms, calls, mayRepeat = true]) => {
    const next = nextTone(state, calls, ms, mayRepeat);
    state = next.state;
    return next.isDue ? [ms] : [];
  });
}

test('a new call is heard at once, and again every thirty seconds until it is answered', () => {
  const seconds = Array.from({ length: 100 }, (_, s) => s * 1_000);
  const heard = tonesAt(seconds.map((ms) => [ms, ms >= 5_000 && ms < 70_000 ? ['a'] : []]));
  expect(heard).toEqual([5_000, 35_000, 65_000]);
});

test('another call is heard at once, and begins the thirty seconds anew', () => {
  const heard = tonesAt([
    [0, ['a']],
    [20_000, ['a', 'b']],
    [30_000, ['a', 'b']],
    [50_000, ['a', 'b']],
  ]);
  expect(heard).toEqual([0, 20_000, 50_000]);
});

test('what is suspended or answered is not heard, and is new when it calls again', () => {
  const heard = tonesAt([
    [0, ['a']],
    [1_000, []],
    [2_000, ['a']],
  ]);
  expect(heard).toEqual([0, 2_000]);
});

test('where nobody could answer, only what is new is heard', () => {
  const heard = tonesAt([
    [0, ['a'], false],
    [TONE_EVERY_MS, ['a'], false],
    [TONE_EVERY_MS + 1, ['a'], true],
  ]);
  expect(heard).toEqual([0, TONE_EVERY_MS + 1]);
});

test.each([
  ['is heard once, however often it is told', [null, 100, 100, 100], [100]],
  ['is not heard on a desk that opens during it', [100, 100], []],
  ['is not heard again from a server that hears of it later', [null, 100, null, 100], [100]],
  ['is heard again when another one is declared', [100, null, 200], [200]],
])('an evacuation %s', (_what, told, expected) => {
  let known: number | null | undefined;
  const heard = told.filter((evacuatedAtMs) => {
    const next = nextEvacuation(known, evacuatedAtMs);
    known = next.known;
    return next.isDue;
  });
  expect(heard).toEqual(expected);
});
