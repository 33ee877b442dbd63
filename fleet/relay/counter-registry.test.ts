import { expect, test } from 'vitest';
import { formatPosition } from '../../domain/log-position.ts';
import { CounterRegistry } from './counter-registry.ts';
import type { FreshnessAnswer } from './wire.ts';

function answer(counter: string, run = '1', more: Partial<FreshnessAnswer> = {}): FreshnessAnswer {
  const position = formatPosition('7', 1, 5n);
  return {
    from: { counter, run },
    position,
    live: true,
    ageMs: 100,
    atMs: undefined,
    reason: undefined,
    server: 's',
    ...more,
  };
}

test('a late answer to an earlier question changes nothing', () => {
  const counters = new CounterRegistry();
  counters.answered(answer('a', '1', { live: false, reason: 'lag' }), 500, 510);
  counters.answered(answer('a'), 250, 520);
  expect(counters.isLive('7', 520)).toBe(false);
  counters.answered(answer('a'), 750, 760);
  expect(counters.isLive('7', 760)).toBe(true);
  expect(counters.isLive('8', 760)).toBe(false);
});

test('a counter that has counted nothing yet does not count as answering', () => {
  const counters = new CounterRegistry();
  counters.answered(answer('a', '1', { position: undefined }), 500, 510);
  expect(counters.answering(510)).toEqual([]);
});

test('two processes with one name are found, and a restarted one is not one of them', () => {
  const counters = new CounterRegistry();
  counters.answered(answer('a', '1'), 0, 0);
  counters.answered(answer('a', '2'), 2_000, 2_000);
  expect(counters.sharedNames(2_000)).toEqual([]);
  counters.answered(answer('a', '1'), 2_250, 2_250);
  expect(counters.sharedNames(2_250)).toEqual(['a']);
});

test('a sender with a thousand names or runs neither fills the memory nor displaces other counters', () => {
  const counters = new CounterRegistry();
  for (let n = 0; n < 1_000; n += 1) {
    counters.answered(answer('right'), n, n);
    counters.answered(answer('forged', `${n}`), n, n);
    counters.answered(answer(`name${n}`), n, n);
  }
  const answering = counters.answering(1_000).map(({ from }) => from.counter);
  expect(answering.length).toBeLessThanOrEqual(64);
  expect(answering).toContain('right');
});

test('over a slow link an answer counts for longer, but never beyond what is stale', () => {
  const counters = new CounterRegistry();
  const said = answer('a', '1', { ageMs: 0 });
  for (let askedAtMs = 0; askedAtMs < 2_000; askedAtMs += 250)
    counters.answered(said, askedAtMs, askedAtMs + 500);
  // Asked at 1,750 ms: on a quick link it counts for 900 ms.
  expect([3_600, 3_700].map((nowMs) => counters.isAnyLive(nowMs))).toEqual([true, false]);
  for (let askedAtMs = 5_000; askedAtMs < 7_000; askedAtMs += 250)
    counters.answered(said, askedAtMs, askedAtMs + 2_000);
  expect([9_600, 9_700].map((nowMs) => counters.isAnyLive(nowMs))).toEqual([true, false]);
});
