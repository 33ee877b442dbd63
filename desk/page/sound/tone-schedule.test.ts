import { expect, test } from 'vitest';
import { NO_TONE, nextEvacuation, nextTone, TONE_EVERY_MS } from './tone-schedule.ts';

/** The times at which tones are due for these calls. */
function tonesAt(moments: readonly (readonly [ms: number, calls: readonly string[], mayRepeat?: boolean])[]) {
  let state = NO_TONE;
  return moments.flatMap(([ms, calls, mayRepeat = true]) => {
    const next = nextTone(state, calls, ms, mayRepeat);
    state = next.state;
    return next.isDue ? [ms] : [];
  });
}

test('a new call has a tone at once, and again every thirty seconds until it is acknowledged', () => {
  const seconds = Array.from({ length: 100 }, (_, s) => s * 1_000);
  const tones = tonesAt(seconds.map((ms) => [ms, ms >= 5_000 && ms < 70_000 ? ['a'] : []]));
  expect(tones).toEqual([5_000, 35_000, 65_000]);
});

test('another call has a tone at once, and restarts the thirty seconds', () => {
  const tones = tonesAt([
    [0, ['a']],
    [20_000, ['a', 'b']],
    [30_000, ['a', 'b']],
    [50_000, ['a', 'b']],
  ]);
  expect(tones).toEqual([0, 20_000, 50_000]);
});

test('a call that ends has no tone, and is new when it comes again', () => {
  const tones = tonesAt([
    [0, ['a']],
    [1_000, []],
    [2_000, ['a']],
  ]);
  expect(tones).toEqual([0, 2_000]);
});

test('where nobody could acknowledge, only new calls have a tone', () => {
  const tones = tonesAt([
    [0, ['a'], false],
    [TONE_EVERY_MS, ['a'], false],
    [TONE_EVERY_MS + 1, ['a'], true],
  ]);
  expect(tones).toEqual([0, TONE_EVERY_MS + 1]);
});

test.each([
  ['has one tone, however often its state comes', [null, 100, 100, 100], [100]],
  ['has no tone on a desk that opens during it', [100, 100], []],
  ['has no second tone from a server that receives it later', [null, 100, null, 100], [100]],
  ['has another tone when it is declared again', [100, null, 200], [200]],
])('an evacuation %s', (_what, states, expected) => {
  let known: number | null | undefined;
  const tones = states.filter((evacuatedAtMs) => {
    const next = nextEvacuation(known, evacuatedAtMs);
    known = next.known;
    return next.isDue;
  });
  expect(tones).toEqual(expected);
});
