import { createStore, type ReadableStore } from './store.ts';

/**
 * Starts to load a part of the page; its store holds `undefined` until then.
 *
 * Unlike this, `React.lazy` keeps a rejection for ever, and delays a part whose fallback is displayed. The bundler's
 * run-time retries a file that does not load (rsbuild.config.ts); a file that loads but fails to run is retried here.
 */
export function loadPart<T>(load: () => Promise<T>, retryMs = 30_000): ReadableStore<T | undefined> {
  const part = createStore<T | undefined>(undefined);
  const attempt = async () => {
    try {
      part.set(await load());
    } catch (error) {
      console.error(error);
      setTimeout(() => void attempt(), retryMs);
    }
  };
  void attempt();
  return part;
}
