import { createStore, type ReadableStore } from './store.ts';

/**
 * A part of the page that loads on its own: `undefined` until it is there. Loading starts with this call.
 *
 * Not `React.lazy`: that keeps a rejection for ever, and holds a part back for a while once its fallback
 * has been shown. The bundler's run-time retries a file that does not load (rsbuild.config.ts). What still
 * rejects is a file that loaded and failed to run: it is retried here.
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
