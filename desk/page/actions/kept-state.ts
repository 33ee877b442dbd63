import { useCallback } from 'react';
import { createStore } from '../../../page/store.ts';
import { useStore } from '../../../page/use-store.ts';
import { MAX_TEXT_LENGTH } from './max-text-length.ts';
import type { Sending } from './sending.ts';

const kept = createStore<ReadonlyMap<string, unknown>>(new Map());

/**
 * React's state, but kept by the page instead of the component: typed text survives a redraw of the desk, as after a session
 * that ended. `initial` must be the same value (`Object.is`) each time; setting it forgets the key.
 */
export function useKept<T>(key: string, initial: T): readonly [T, (next: T) => void] {
  const value = useStore(kept, (values) => (values.has(key) ? (values.get(key) as T) : initial));
  const set = useCallback(
    (next: T) => keep(key, Object.is(next, initial) ? undefined : next),
    [key, initial],
  );
  return [value, set];
}

/** `undefined` forgets the key. */
export function keep(key: string, value: unknown): void {
  const values = new Map(kept.get());
  if (value === undefined) values.delete(key);
  else values.set(key, value);
  kept.set(values);
}

/** Reads the current value; `undefined` where nothing is kept. */
export function readKept(key: string): unknown {
  return kept.get().get(key);
}

/** The kept keys with one of these prefixes, without it, each once. */
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

/** The prefixes of typed text, in contrast to choices and open forms. */
const TYPED = ['note ', 'reason ', 'occurrence', 'kick-off', 'estimate '];

/** Whether leaving the page would lose typed text, or a command whose outcome is unknown. */
export function hasUnsent(): boolean {
  const values = kept.get();
  return namesOf(values, TYPED).length > 0 || [...values].some(isUnanswered);
}

function isUnanswered([key, value]: readonly [key: string, value: unknown]): boolean {
  return key.startsWith('sending ') && (value as Sending).kind !== 'refused';
}

/** What was chosen for a mark, apart from a mark under way. */
const MARK = /^(mark|estimate \w+ mark)\b/;
const TEXT = /^(note |reason |estimate how |occurrence$)/;

/** Leaves the desk to the next operator: typed texts get the name of who typed them, and what was chosen for marks is forgotten. */
export function handOver(former: string): void {
  const left = [...kept.get()].filter(([key]) => !MARK.test(key));
  kept.set(
    new Map(
      left.map(([key, value]) => [
        key,
        TEXT.test(key) ? `${former}: ${String(value)}`.slice(0, MAX_TEXT_LENGTH) : value,
      ]),
    ),
  );
}

export function forgetKept(): void {
  kept.set(new Map());
}
