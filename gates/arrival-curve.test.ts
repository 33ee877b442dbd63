import { describe, expect, it } from 'vitest';
import {
  arrivalMinute,
  GATES_OPEN_MINUTE,
  LAST_ARRIVAL_MINUTE,
  scheduleGateEvents,
} from './arrival-curve.ts';

/** mulberry32: small, and the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('arrivalMinute', () => {
  it('opens two hours before kick-off and ends a quarter of an hour after it', () => {
    expect(arrivalMinute(0)).toBe(GATES_OPEN_MINUTE);
    expect(arrivalMinute(1)).toBeCloseTo(LAST_ARRIVAL_MINUTE, 3);
  });

  it('has 44% in a quarter of an hour before kick-off, as at Castelão', () => {
    expect(arrivalMinute(0.44)).toBeCloseTo(-15, 0);
    expect(arrivalMinute(0.439)).toBeLessThan(-15);
  });

  it('never goes back in time', () => {
    const minutes = Array.from({ length: 1_001 }, (_, index) => arrivalMinute(index / 1_000));
    expect(minutes).toEqual(minutes.toSorted((a, b) => a - b));
  });
});

describe('scheduleGateEvents', () => {
  const isValid = Array.from({ length: 40_000 }, (_, index) => index % 50 !== 0);
  const events = scheduleGateEvents(isValid, seeded(7));
  const entries = events.filter(({ entrou }) => entrou);

  it('is in the order of time', () => {
    const later = events.slice(1);
    expect(later.filter(({ minute }, index) => minute < (events[index]?.minute ?? Infinity))).toEqual([]);
  });

  it('lets nobody in twice, and some stay away', () => {
    expect(new Set(entries.map(({ ticket }) => ticket)).size).toBe(entries.length);
    expect(entries.length / isValid.length).toBeGreaterThan(0.91);
    expect(entries.length / isValid.length).toBeLessThan(0.95);
  });

  it('has a few invalid tickets get in', () => {
    const invalid = entries.filter(({ ticket }) => isValid[ticket] === false).length;
    expect(invalid).toBeGreaterThan(10);
    expect(invalid).toBeLessThan(100);
  });

  it('takes a few entries back, each after it was made', () => {
    const reverts = events.filter(({ entrou }) => !entrou);
    expect(reverts.length).toBeGreaterThan(50);
    expect(reverts.length).toBeLessThan(200);
    for (const revert of reverts) {
      const entry = entries.find(({ ticket }) => ticket === revert.ticket);
      expect(entry?.minute).toBeLessThan(revert.minute);
    }
  });

  it('makes the same schedule of the same random numbers', () => {
    const scheduled = (seed: number): string => JSON.stringify(scheduleGateEvents(isValid, seeded(seed)));
    expect(scheduled(7) === JSON.stringify(events)).toBe(true);
    expect(scheduled(8) === JSON.stringify(events)).toBe(false);
  });
});
