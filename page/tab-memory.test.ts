import { describe, expect, it } from 'vitest';
import { openTabMemory } from './tab-memory.ts';

describe('the memory of a tab', () => {
  it('remembers every version', () => {
    const items = new Map<string, string>();
    const storage = {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
    };
    openTabMemory(() => storage).add('one');
    openTabMemory(() => storage).add('two');
    const memory = openTabMemory(() => storage);
    expect([memory.has('one'), memory.has('two'), memory.has('three')]).toEqual([true, true, false]);
  });

  it('counts everything as remembered where the browser keeps nothing', () => {
    const forbidden = {
      getItem: () => null,
      setItem() {
        throw new Error('forbidden');
      },
    };
    expect(openTabMemory(() => forbidden).has('new')).toBe(true);
  });
});
