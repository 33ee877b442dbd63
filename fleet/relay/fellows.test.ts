import { expect, test } from 'vitest';
import { formatPosition, shortTimelineAt } from '../../domain/log-position.ts';
import { Fellows } from './fellows.ts';

const positionAt = (timeline: number, system = '7580123456789012345') => formatPosition(system, timeline, 5n);
const primaryAt = (timeline: number, system?: string) => shortTimelineAt(positionAt(timeline, system));

test('counters elsewhere are those that count another timeline of the same system, while edges report them', () => {
  const fellows = new Fellows();
  expect(fellows.elsewhere(positionAt(1), 0)).toEqual([]);
  fellows.note({ a: primaryAt(1), b: primaryAt(2), other: primaryAt(9, '5') }, 0);
  expect(fellows.elsewhere(undefined, 0)).toEqual([]);
  expect(fellows.elsewhere(positionAt(1), 0)).toEqual(['b']);
  expect(fellows.elsewhere(positionAt(2), 0)).toEqual(['a']);
  // Another edge reports b alone: a is forgotten after a while.
  fellows.note({ b: primaryAt(2) }, 2_000);
  expect(fellows.elsewhere(positionAt(2), 3_000)).toEqual(['a']);
  expect(fellows.elsewhere(positionAt(2), 3_001)).toEqual([]);
  expect(fellows.elsewhere(positionAt(1), 5_000)).toEqual(['b']);
  expect(fellows.elsewhere(positionAt(1), 5_001)).toEqual([]);
  fellows.note({ b: primaryAt(1) }, 6_000);
  expect(fellows.elsewhere(positionAt(1), 6_000)).toEqual([]);
});
