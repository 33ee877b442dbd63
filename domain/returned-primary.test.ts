import { expect, test } from 'vitest';
import { describeTimeline, formatReturned, readReturned, withReturn } from './returned-primary.ts';

test('a return is read as it was written, also by version 1.1, and none has a rank without a place in a position', () => {
  const returned = { rank: 1_795_000_000, by: "Ana d'Ávila", atMs: 1_795_000_000_000 };
  expect(readReturned(formatReturned(returned))).toEqual(returned);
  expect(readReturned('gone back to: {"count":1001,"by":"Ana","atMs":0}')).toMatchObject({ rank: 1_001 });
  expect(readReturned('of somebody else')).toBeUndefined();
  for (const rank of [0, 1.5, 2 ** 32])
    expect(() => formatReturned({ ...returned, rank })).toThrow('set the clock right');
});

test('a timeline after a return is named by its time: later promotions have it as well', () => {
  const returned = { rank: Date.UTC(2026, 10, 30, 7, 11) / 1_000, by: 'Ana', atMs: 0 };
  expect([withReturn(2, undefined), withReturn(17, returned)].map(describeTimeline)).toEqual([
    '2',
    '17, after the return of 2026-11-30 07:11 UTC',
  ]);
});
