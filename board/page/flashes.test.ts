import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECTOR_CODES, type SectorCode } from '../../domain/default-sectors.ts';
import { INITIAL_STATE, type LiveState } from '../../page/live-state.ts';
import { createStore } from '../../page/store.ts';
import { STAGE_MS, STAGES, watchFlashes } from './flashes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function withCounts(bySector: Partial<Record<SectorCode, number>>): LiveState {
  const sectors = Object.fromEntries(SECTOR_CODES.map((code) => [code, bySector[code] ?? 0]));
  const counts = { total: 0, others: 0, sectors: sectors as Record<SectorCode, number> };
  return { ...INITIAL_STATE, shown: { id: 'a:1', counts } };
}

function watch(state = createStore<LiveState>(withCounts({ 4: 5 }))) {
  const flashes = watchFlashes(state, SECTOR_CODES);
  return { state, flashes, stages: () => Object.fromEntries(flashes.get()) };
}

describe('a flash', () => {
  it('begins at its peak when a count changes, for no other sector', () => {
    const { state, stages } = watch();
    state.set(withCounts({ 4: 6 }));
    expect(stages()).toEqual({ 4: 0 });
  });

  it('does not begin at the first value, nor when the same number comes again', () => {
    const { state, stages } = watch(createStore<LiveState>(INITIAL_STATE));
    state.set(withCounts({ 4: 5 }));
    state.set(withCounts({ 4: 5 }));
    expect(stages()).toEqual({});
  });

  it('goes through its stages by itself, and notifies when the last is over', () => {
    const { state, flashes, stages } = watch();
    state.set(withCounts({ 4: 6 }));
    const seen: unknown[] = [];
    flashes.subscribe(() => seen.push(stages()['4']));
    vi.advanceTimersByTime(10_000);
    expect(seen).toEqual([...Array.from({ length: STAGES - 1 }, (_, index) => index + 1), undefined]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('starts anew from its peak when the count changes again', () => {
    const { state, stages } = watch();
    state.set(withCounts({ 4: 6 }));
    vi.advanceTimersByTime(2.5 * STAGE_MS);
    expect(stages()).toEqual({ 4: 2 });
    state.set(withCounts({ 4: 7 }));
    expect(stages()).toEqual({ 4: 0 });
    vi.advanceTimersByTime(STAGE_MS - 1);
    expect(stages()).toEqual({ 4: 0 });
  });

  it('changes its stage together with the next counts, where they come soon', () => {
    const { state, flashes, stages } = watch();
    state.set(withCounts({ 4: 6 }));
    let changes = 0;
    flashes.subscribe(() => (changes += 1));
    for (let count = 1; count <= 30; count += 1) {
      vi.advanceTimersByTime(100);
      state.set(withCounts({ 4: 6, 6: count }));
    }
    expect(changes).toBe(30);
    expect(stages()).toEqual({ 6: 0 });
  });

  it('never peaks more than three times in a second, whatever a count does', () => {
    const { state, flashes, stages } = watch();
    const peaksAtMs: number[] = [];
    let before: number | undefined;
    flashes.subscribe(() => {
      const stage = stages()['4'];
      if (stage === 0 && before !== 0) peaksAtMs.push(Date.now());
      before = stage;
    });
    // The worst case: each change comes as soon as the peak is over.
    for (let count = 6; count < 40; count += 1) {
      state.set(withCounts({ 4: count }));
      vi.advanceTimersByTime(STAGE_MS);
      state.set({ ...state.get() });
    }
    expect(peaksAtMs.length).toBeGreaterThan(10);
    const perSecond = peaksAtMs.map(
      (startMs) => peaksAtMs.filter((at) => at >= startMs && at < startMs + 1_000).length,
    );
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(3);
  });
});
