import { useCallback } from 'react';
import { createStore } from '../../../page/store.ts';
import { useStore } from '../../../page/use-store.ts';
import type { Sending } from './sending.ts';

const kept = createStore<ReadonlyMap<string, unknown>>(new Map());

/**
 * As React's state, but of the page instead of the component: what is typed is still there when the desk is drawn anew,
 * after a session that ended, for one. `initial` must be a value that compares as the same each time; setting it forgets.
 */
export function useKept<T>(key: string, initial: T): readonly [T, (next: T) => void] {
  const value = useStore(kept, (values) => (values.has(key) ? (values.get(key) as T) : initial));
  const set = useCallback(
    (next: T) => {
      const values = new Map(kept.get());
      if (Object.is(next, initial)) values.delete(key);
      else values.set(key, next);
      kept.set(values);
    },
    [key, initial],
  );
  return [value, set];
}

/** As it is now. `undefined`: nothing is kept. */
export function readKept(key: string): unknown {
  return kept.get().get(key);
}

/** What follows one of these prefixes in the names of what is kept, each once. */
export function useKeptNames(prefixes: readonly string[]): readonly string[] {
  const names = useStore(kept, (values) => namesOf(values, prefixes).join('\n'));
  return names === '' ? [] : names.split('\n');
}

function namesOf(values: ReadonlyMap<string, unknown>, prefixes: readonly string[]): readonly string[] {
  const names = [...values.keys()].flatMap((key) => {
    const prefix = prefixes.find((each) => key.startsWith(each));
    return prefix === undefined ? [] : [key.slice(prefix.length)];
  });
  return [...new Set(names)];
}

/** What somebody has typed: not what was only chosen, or is merely open. */
const TYPED = ['note ', 'reason ', 'occurrence', 'kick-off', 'estimate '];

/** Whether something would be lost if the page were left: what was typed, and a command whose answer is not known. */
export function hasUnsent(): boolean {
  const values = kept.get();
  return namesOf(values, TYPED).length > 0 || [...values].some(isUnanswered);
}

function isUnanswered([key, value]: readonly [key: string, value: unknown]): boolean {
  return key.startsWith('sending ') && (value as Sending).kind !== 'refused';
}

/** Whoever leaves has been asked. */
export function forgetKept(): void {
  kept.set(new Map());
}
