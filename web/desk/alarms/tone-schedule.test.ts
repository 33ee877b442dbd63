import { expect, test } from 'vitest';
import { NO_TONE, nextTone, TONE_EVERY_MS } from './tone-schedule.ts';

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
