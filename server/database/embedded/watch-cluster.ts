import { statfs } from 'node:fs/promises';
import type { Cluster } from './cluster.ts';
import { DiskFullError, errorMessage, explainFolderError } from '../setup-error.ts';

const LOOK_INTERVAL_MS = 500;
const LONGEST_DELAY_MS = 10_000;
/** Four files of the log: what is left below it is soon gone. */
const LOW_DISK_BYTES = 64 * 1024 * 1024;

/** Where the embedded database says what happens to it. */
export type DatabaseLog = (line: string, level?: 'info' | 'warn' | 'error') => void;

export interface ClusterWatch {
  /** Why the server does not run, and its mend; `undefined` while it does. */
  readonly trouble: string | undefined;
  /** What will soon be trouble. */
  readonly warning: string | undefined;
  /** Waits for a start under way. */
  end(): Promise<void>;
}

/** Starts the server again when it is gone though nobody stopped it (out of memory, a mistaken kill). */
export function watchCluster(
  cluster: Cluster,
  options: {
    readonly folder: string;
    readonly start: () => Promise<void>;
    readonly log: DatabaseLog;
  },
): ClusterWatch {
  const { folder, start, log } = options;
  let ended = false;
  let delayMs = LOOK_INTERVAL_MS;
  let trouble: string | undefined;
  let warning: string | undefined;
  let look: Promise<void> = Promise.resolve();
  let timer = setTimeout(tick, LOOK_INTERVAL_MS).unref();

  function tick(): void {
    look = lookOnce().then(() => {
      if (!ended) timer = setTimeout(tick, delayMs).unref();
    });
  }

  async function lookOnce(): Promise<void> {
    if (cluster.isAlive()) await lookAtDisk();
    else await startAgain();
  }

  async function startAgain(): Promise<void> {
    if (trouble === undefined) {
      trouble = 'The embedded PostgreSQL is gone: it is being started again';
      log(trouble, 'warn');
    }
    try {
      await start();
      log('PostgreSQL runs again');
      trouble = undefined;
      delayMs = LOOK_INTERVAL_MS;
    } catch (error) {
      const reason = whyNot(explainFolderError(error, folder));
      // One line per reason, not one per attempt.
      if (reason !== trouble) log(reason, 'error');
      trouble = reason;
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
    }
  }

  async function lookAtDisk(): Promise<void> {
    const disk = await statfs(folder).catch(() => undefined);
    if (!disk) return;
    const freeBytes = disk.bavail * disk.bsize;
    if (freeBytes > 2 * LOW_DISK_BYTES) warning = undefined;
    else if (freeBytes < LOW_DISK_BYTES && warning === undefined) {
      warning = `The disk of the data folder ${folder} is all but full: free some space, or the gates cannot write any more`;
      log(warning, 'warn');
    }
  }

  return {
    get trouble() {
      return trouble;
    },
    get warning() {
      return warning;
    },
    async end() {
      ended = true;
      clearTimeout(timer);
      await look;
    },
  };
}

function whyNot(error: unknown): string {
  if (error instanceof DiskFullError) {
    return `The disk of the data folder ${error.folder} is full: free some space, and the embedded PostgreSQL starts by itself; nothing committed is lost`;
  }
  return `The embedded PostgreSQL does not start: ${errorMessage(error)}`;
}
