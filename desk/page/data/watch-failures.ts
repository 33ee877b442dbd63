import { createStore, type ReadableStore } from '../../../page/store.ts';

/** Why there is no stream. `status`: that of the server's last answer, if any. */
export interface Failure {
  readonly status: number | null;
  /** The time since the first failure. */
  readonly lastsMs: number;
}

export interface WatchedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** The newest failure since the last stream, if any. */
  readonly failure: ReadableStore<Failure | undefined>;
  /** Must be called when a stream begins. */
  readonly opened: () => void;
}

/** Wraps `fetch` and keeps its last failure. An ended session (401) is none, as the page asks for a sign-in. */
export function watchFailures(fetch: typeof globalThis.fetch): WatchedFetch {
  const failure = createStore<Failure | undefined>(undefined);
  let sinceMs: number | undefined;
  const failed = (status: number | null): void => {
    sinceMs ??= performance.now();
    failure.set({ status, lastsMs: performance.now() - sinceMs });
  };
  return {
    failure,
    opened() {
      sinceMs = undefined;
      failure.set(undefined);
    },
    async fetch(...request) {
      try {
        const response = await fetch(...request);
        if (!response.ok && response.status !== 401) failed(response.status);
        return response;
      } catch (error) {
        failed(null);
        throw error;
      }
    },
  };
}
