import { once } from 'node:events';

/** Rejects with the signal's reason once it aborts. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = once(signal, 'abort', { signal: over.signal }).then(() => signal.throwIfAborted());
  aborted.catch(() => {});
  try {
    return (await Promise.race([work, aborted])) as T;
  } finally {
    over.abort();
  }
}
