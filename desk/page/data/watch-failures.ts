import { createStore, type ReadableStore } from '../../../page/store.ts';

/** Why there is no stream. `status`: of the server's last answer; null: it gave none. */
export interface Failure {
  readonly status: number | null;
  /** How long after the first one it was. */
  readonly lastsMs: number;
}

export interface WatchedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** The newest one since the last stream; `undefined`: none. */
  readonly failure: ReadableStore<Failure | undefined>;
  /** A stream has begun. */
  readonly opened: () => void;
}

/** The same `fetch`, which keeps what failed. An ended session (401) is none: a form asks for another. */
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
