import { describe, expect, it } from 'vitest';
import { elapsedMs } from './page-clock.ts';

describe('elapsed time', () => {
  it('is the larger of what both clocks measured, and never negative', () => {
    const from = { monotonicMs: 1000, wallMs: 5000 };
    expect(elapsedMs(from, { monotonicMs: 2000, wallMs: 9000 })).toBe(4000);
    expect(elapsedMs(from, { monotonicMs: 2000, wallMs: 0 })).toBe(1000);
    expect(elapsedMs(from, { monotonicMs: 900, wallMs: 0 })).toBe(0);
  });
});
