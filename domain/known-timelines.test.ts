import { expect, test } from 'vitest';
import { KnownTimelines } from './known-timelines.ts';

test('a timeline is newer or former only of a system of which another one was known', () => {
  const known = new KnownTimelines();
  const of = (timeline: number, systemId = 'a') => {
    const server = { systemId, timeline };
    return [known.isNewer(server), known.isFormer(server)];
  };
  expect(of(2)).toEqual([false, false]);
  known.note({ systemId: 'a', timeline: 2 });
  known.note({ systemId: 'a', timeline: 1 });
  expect([of(1), of(2), of(3), of(3, 'b')]).toEqual([
    [false, true],
    [false, false],
    [true, false],
    [false, false],
  ]);
});
