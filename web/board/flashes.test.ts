import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECTOR_CODES, type SectorCode } from '../../domain/venue.ts';
import { type BoardState, INITIAL_BOARD } from '../live/board-state.ts';
import { createStore } from '../live/board-store.ts';
import { STAGE_MS, STAGES, watchFlashes } from './flashes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function withCounts(counts: Partial<Record<SectorCode, number>>): BoardState {
  const sectors = Object.fromEntries(SECTOR_CODES.map((code) => [code, counts[code] ?? 0]));
  const admissions = { total: 0, others: 0, sectors: sectors as Record<SectorCode, number> };
  return { ...INITIAL_BOARD, shown: { id: 'a:1', admissions } };
}

function watch(board = createStore<BoardState>(withCounts({ 4: 5 }))) {
  const flashes = watchFlashes(board);
  return { board, flashes, stages: () => Object.fromEntries(flashes.get()) };
}

describe('a flash', () => {
  it('begins at its peak when a count changes, for no other sector', () => {
    const { board, stages } = watch();
    board.set(withCounts({ 4: 6 }));
    expect(stages()).toEqual({ 4: 0 });
  });

  it('does not begin at the first value, nor when the same number comes again', () => {
    const { board, stages } = watch(createStore<BoardState>(INITIAL_BOARD));
    board.set(withCounts({ 4: 5 }));
    board.set(withCounts({ 4: 5 }));
    expect(stages()).toEqual({});
  });

  it('goes through its stages by itself, and tells when the last is over', () => {
    const { board, flashes, stages } = watch();
    board.set(withCounts({ 4: 6 }));
    const seen: unknown[] = [];
    flashes.subscribe(() => seen.push(stages()['4']));
    vi.advanceTimersByTime(10_000);
    expect(seen).toEqual([...Array.from({ length: STAGES - 1 }, (_, index) => index + 1), undefined]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('starts anew from its peak when the count changes again', () => {
    const { board, stages } = watch();
    board.set(withCounts({ 4: 6 }));
    vi.advanceTimersByTime(2.5 * STAGE_MS);
    expect(stages()).toEqual({ 4: 2 });
    board.set(withCounts({ 4: 7 }));
    expect(stages()).toEqual({ 4: 0 });
    vi.advanceTimersByTime(STAGE_MS - 1);
    expect(stages()).toEqual({ 4: 0 });
  });

  it('changes its stage together with the next counts, where they come soon', () => {
    const { board, flashes, stages } = watch();
    board.set(withCounts({ 4: 6 }));
    let changes = 0;
    flashes.subscribe(() => (changes += 1));
    for (let count = 1; count <= 30; count += 1) {
      vi.advanceTimersByTime(100);
      board.set(withCounts({ 4: 6, 6: count }));
    }
    expect(changes).toBe(30);
    expect(stages()).toEqual({ 6: 0 });
  });

  it('never peaks more than three times in a second, whatever a count does', () => {
    const { board, flashes, stages } = watch();
    const peaksAtMs: number[] = [];
    let before: number | undefined;
    flashes.subscribe(() => {
      const stage = stages()['4'];
      if (stage === 0 && before !== 0) peaksAtMs.push(Date.now());
      before = stage;
    });
    // Each time as soon as the peak is over: the worst that counts can do.
    for (let count = 6; count < 40; count += 1) {
      board.set(withCounts({ 4: count }));
      vi.advanceTimersByTime(STAGE_MS);
      board.set({ ...board.get() });
    }
    expect(peaksAtMs.length).toBeGreaterThan(10);
    const perSecond = peaksAtMs.map(
      (startMs) => peaksAtMs.filter((at) => at >= startMs && at < startMs + 1_000).length,
    );
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(3);
  });
});
