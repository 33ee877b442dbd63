import { beforeAll, beforeEach } from 'vitest';

/**
 * What the tests of a file share: `open` is called before the first of them, and what it has opened stands behind the
 * returned object from then on. What the kit opens, it closes (close-after-tests.ts). `limitMs`: where that may take longer
 * than anything else that is opened.
 */
export function openForAll<T extends object>(open: () => T | Promise<T>, limitMs?: number): T {
  return openBefore(beforeAll, open, limitMs);
}

/** As `openForAll`, but each test gets one of its own. */
export function openForEach<T extends object>(open: () => T | Promise<T>): T {
  return openBefore(beforeEach, open);
}

function openBefore<T extends object>(
  hook: typeof beforeAll,
  open: () => T | Promise<T>,
  limitMs?: number,
): T {
  let opened = {} as T;
  hook(async () => {
    opened = await open();
  }, limitMs);
  return new Proxy({} as T, {
    get(_target, key) {
      const value: unknown = Reflect.get(opened, key);
      // A method of a class finds its object again.
      return typeof value === 'function' && !Object.hasOwn(opened, key) ? value.bind(opened) : value;
    },
    set: (_target, key, value) => Reflect.set(opened, key, value),
    ownKeys: () => Reflect.ownKeys(opened),
    getOwnPropertyDescriptor: (_target, key) => Reflect.getOwnPropertyDescriptor(opened, key),
  });
}
