/** A value that can be read and subscribed to. */
export interface ReadableStore<T> {
  readonly get: () => T;
  /** Calls `listener` after each change. Returns the way to unsubscribe. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** Its owner's side. Knows nothing of what it holds, nor of React. */
export interface Store<T> extends ReadableStore<T> {
  /** Sets the value and calls every listener before it returns; the same value (`Object.is`) calls none. */
  readonly set: (next: T) => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
