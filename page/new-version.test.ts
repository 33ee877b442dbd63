import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchNewVersion } from './new-version.ts';

function pageOf(build: string) {
  const page = { live: true, served: true, reloads: 0, remembered: new Set<string>(), chance: 0.5 };
  const announce = watchNewVersion({
    build,
    isLive: () => page.live,
    random: () => page.chance,
    isServed: async () => page.served,
    memory: {
      has: (id) => page.remembered.has(id),
      add: (id) => void page.remembered.add(id),
      remove: (id) => void page.remembered.delete(id),
    },
    reload: () => void (page.reloads += 1),
  });
  return { page, announce };
}

describe('a page whose server announces a new version', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('reloads itself once, after a wait of up to 30 seconds', async () => {
    const { page, announce } = pageOf('old');
    announce('new');
    announce('new');
    await vi.advanceTimersByTimeAsync(14_999);
    expect(page.reloads).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(page.reloads).toBe(1);
    announce('new');
    await vi.advanceTimersByTimeAsync(120_000);
    expect(page.reloads).toBe(1);
  });

  it('does nothing for its own version', async () => {
    const { page, announce } = pageOf('same');
    announce('same');
    await vi.advanceTimersByTimeAsync(120_000);
    expect(page.reloads).toBe(0);
  });

  it.each(['live', 'served'] as const)('waits while not %s', async (condition) => {
    const { page, announce } = pageOf('old');
    page[condition] = false;
    announce('new');
    await vi.advanceTimersByTimeAsync(300_000);
    expect(page.reloads).toBe(0);
    page[condition] = true;
    await vi.advanceTimersByTimeAsync(15_000);
    expect(page.reloads).toBe(1);
  });

  it('stays when the old version comes back during the wait', async () => {
    const { page, announce } = pageOf('old');
    announce('new');
    announce('old');
    await vi.advanceTimersByTimeAsync(120_000);
    expect(page.reloads).toBe(0);
  });
});
