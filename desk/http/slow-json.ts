import { setTimeout as pause } from 'node:timers/promises';

/** A sixth of what a connection may be silent (http-limits.ts), and a twelfth of what nginx allows by default. */
const SIGN_OF_LIFE_MS = 5_000;

/**
 * The JSON of what takes long to make. Until it is there a space comes now and then, which JSON allows before it: a
 * connection on which nothing passes is taken for dead.
 */
export function slowJson(made: Promise<object>, everyMs = SIGN_OF_LIFE_MS): AsyncGenerator<string> {
  // Whoever asked may be gone before anything is read.
  made.catch(() => {});
  return withSignsOfLife(made, everyMs);
}

async function* withSignsOfLife(made: Promise<object>, everyMs: number): AsyncGenerator<string> {
  for (;;) {
    const value = await Promise.race([made, pause(everyMs, undefined, { ref: false })]);
    yield value === undefined ? ' ' : JSON.stringify(value);
    if (value !== undefined) return;
  }
}
