import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PAGE_TICK_MS } from '../../domain/freshness.ts';
import type { Instant } from './page-clock.ts';
import { startTicker } from './ticker.ts';

describe('watching time', () => {
  let now: Instant;
  let seen: string[];
  let stop: () => void;
  const visible: { visibilityState: DocumentVisibilityState } = { visibilityState: 'visible' };
  const document = Object.assign(new EventTarget(), visible);
  const window = new EventTarget();

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    now = { monotonicMs: 0, wallMs: 0 };
    seen = [];
    document.visibilityState = 'visible';
    stop = startTicker(() => now, document, window, {
      wake: () => seen.push('wake'),
      tick: () => seen.push('tick'),
    });
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
  });

  function pass(monotonicMs: number, wallMs = monotonicMs) {
    now = { monotonicMs: now.monotonicMs + monotonicMs, wallMs: now.wallMs + wallMs };
    vi.advanceTimersByTime(PAGE_TICK_MS);
  }

  it('ticks, and takes a gap of over five seconds on either clock for a sleep', () => {
    pass(1000);
    pass(5000);
    expect(seen).toEqual(['tick', 'tick']);
    pass(5001);
    pass(10, 3_600_000);
    expect(seen.slice(2)).toEqual(['wake', 'tick', 'wake', 'tick']);
  });

  it('wakes on becoming visible, not on being hidden', () => {
    document.visibilityState = 'hidden';
    document.dispatchEvent(new Event('visibilitychange'));
    expect(seen).toEqual([]);
    document.visibilityState = 'visible';
    document.dispatchEvent(new Event('visibilitychange'));
    expect(seen).toEqual(['wake', 'tick']);
  });

  it('wakes when it comes from the back/forward cache, not when it has just been loaded', () => {
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
    expect(seen).toEqual([]);
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    expect(seen).toEqual(['wake', 'tick']);
  });

  it('is silent once stopped', () => {
    stop();
    pass(10_000);
    document.dispatchEvent(new Event('visibilitychange'));
    expect(seen).toEqual([]);
  });
});
