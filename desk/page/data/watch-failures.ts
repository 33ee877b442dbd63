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

/** Wraps `fetch` and keeps its last failure. An ended session (401) ends an outage, as the server answers. */
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
        const { ok, status } = response;
        if (status === 401) {
          sinceMs = undefined;
          failure.set({ status, lastsMs: 0 });
        } else if (!ok) failed(status);
        return response;
      } catch (error) {
        failed(null);
        throw error;
      }
    },
  };
}
