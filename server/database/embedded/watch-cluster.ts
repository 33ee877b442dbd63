import type { Cluster } from './cluster.ts';
import { errorMessage } from '../setup-error.ts';

const LOOK_INTERVAL_MS = 500;
const LONGEST_DELAY_MS = 10_000;

/**
 * Starts the server again when it is gone though nobody stopped it (out of memory, a mistaken kill). Returns the end of
 * the watch, which waits for a start under way.
 */
export function watchCluster(
  cluster: Cluster,
  options: { readonly start: () => Promise<void>; readonly log: (line: string) => void },
): () => Promise<void> {
  const { start, log } = options;
  let ended = false;
  let delayMs = LOOK_INTERVAL_MS;
  let look: Promise<void> = Promise.resolve();
  let timer = setTimeout(tick, LOOK_INTERVAL_MS).unref();

  function tick(): void {
    look = lookOnce().then(() => {
      if (!ended) timer = setTimeout(tick, delayMs).unref();
    });
  }

  async function lookOnce(): Promise<void> {
    if (cluster.isAlive()) return;
    log('PostgreSQL is gone; starting it again');
    try {
      await start();
      log('PostgreSQL runs again');
      delayMs = LOOK_INTERVAL_MS;
    } catch (error) {
      log(`PostgreSQL does not start: ${errorMessage(error)}`);
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
    }
  }

  return async () => {
    ended = true;
    clearTimeout(timer);
    await look;
  };
}
