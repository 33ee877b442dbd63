import { expect, test } from 'vitest';
import { formatPosition, shortTimelineAt } from '../../domain/log-position.ts';
import { Fellows } from './fellows.ts';
import type { Primary } from './wire.ts';

const positionAt = (timeline: number, system = '7580123456789012345') => formatPosition(system, timeline, 5n);
const primaryAt = (timeline: number, server?: string, system?: string): Primary => {
  return { timeline: shortTimelineAt(positionAt(timeline, system)), server };
};

test('counters elsewhere are those that count another timeline, while edges report them', () => {
  const fellows = new Fellows('own');
  const elsewhere = (timeline: number, nowMs: number): string[] =>
    fellows.elsewhere(positionAt(timeline), 'x', nowMs);
  expect(elsewhere(1, 0)).toEqual([]);
  fellows.note('e1', { a: primaryAt(1), b: primaryAt(2) }, 0);
  expect(fellows.elsewhere(undefined, 'x', 0)).toEqual([]);
  expect(elsewhere(1, 0)).toEqual(['b']);
  expect(elsewhere(2, 0)).toEqual(['a']);
  // Another edge reports b alone: a is forgotten after a while.
  fellows.note('e2', { b: primaryAt(2) }, 2_000);
  expect(elsewhere(2, 3_000)).toEqual(['a']);
  expect(elsewhere(2, 3_001)).toEqual([]);
  expect(elsewhere(1, 5_000)).toEqual(['b']);
  expect(elsewhere(1, 5_001)).toEqual([]);
  // What this edge hears of no more is over.
  fellows.note('e2', { a: primaryAt(1) }, 5_000);
  expect(elsewhere(1, 5_000)).toEqual([]);
  fellows.note('e1', { b: primaryAt(1) }, 6_000);
  expect(elsewhere(1, 6_000)).toEqual([]);
});

test('so are those that count another server of the same timeline', () => {
  const fellows = new Fellows('own');
  fellows.note(
    'e1',
    { own: primaryAt(1), a: primaryAt(2, 'x'), b: primaryAt(2, 'y'), unknown: primaryAt(2) },
    0,
  );
  expect(fellows.elsewhere(positionAt(2), 'x', 0)).toEqual(['b']);
  expect(fellows.elsewhere(positionAt(2), undefined, 0)).toEqual([]);
});

test('so are those that count another database', () => {
  const fellows = new Fellows('own');
  fellows.note('e1', { a: primaryAt(1, 'x', '5'), b: primaryAt(1, 'y', '5') }, 0);
  expect(fellows.elsewhere(positionAt(1), 'x', 0)).toEqual(['a', 'b']);
  expect(fellows.elsewhere(positionAt(1, '5'), undefined, 0)).toEqual([]);
});
