import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import { isCluster } from './cluster-files.ts';
import { DiskFullError, errorMessage, explainFolderError } from '../setup-error.ts';

const CHECK_INTERVAL_MS = 500;
const MAX_DELAY_MS = 10_000;
/** Four files of the write-ahead log: less is soon used up. */
const LOW_DISK_BYTES = 64 * 1024 * 1024;

export type DatabaseLog = (line: string, level?: 'info' | 'warn' | 'error') => void;

export interface ClusterSupervisor {
  /** Why the server does not run, with the fix; `undefined` while it does. */
  readonly notReadyReason: string | undefined;
  /** A condition that will soon keep the cluster from running; `undefined` if there is none. */
  readonly warning: string | undefined;
  /** Of the data folder's disk; NaN where it is not known. */
  readonly freeDiskBytes: number;
  /** Aborts a start under way: stopping the server ends it. */
  end(): Promise<void>;
}

/** Restarts a server that has ended without being stopped (out of memory, a mistaken kill). */
export function superviseCluster(
  cluster: Cluster,
  options: {
    readonly folder: string;
    readonly start: (signal: AbortSignal) => Promise<void>;
    readonly log: DatabaseLog;
  },
): ClusterSupervisor {
  const { folder, start, log } = options;
  const ending = new AbortController();
  let delayMs = CHECK_INTERVAL_MS;
  let notReadyReason: string | undefined;
  let warning: string | undefined;
  let freeDiskBytes = Number.NaN;
  let check: Promise<void> = Promise.resolve();
  let timer = setTimeout(tick, CHECK_INTERVAL_MS).unref();

  function tick(): void {
    check = checkOnce().then(() => {
      if (!ending.signal.aborted) timer = setTimeout(tick, delayMs).unref();
    });
  }

  async function checkOnce(): Promise<void> {
    await checkDisk();
    if (!cluster.isAlive()) await restart();
  }

  async function restart(): Promise<void> {
    if (notReadyReason === undefined) {
      notReadyReason = 'The embedded PostgreSQL is gone: it is being started again';
      log(notReadyReason, 'warn');
    }
    try {
      await start(ending.signal);
      log('PostgreSQL runs again');
      notReadyReason = undefined;
      delayMs = CHECK_INTERVAL_MS;
    } catch (error) {
      if (ending.signal.aborted) return;
      const reason = explainStartFailure(explainFolderError(error, folder), folder);
      // One line per reason, not one per attempt.
      if (reason !== notReadyReason) log(reason, 'error');
      notReadyReason = reason;
      delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
    }
  }

  async function checkDisk(): Promise<void> {
    const disk = await statfs(folder).catch(() => undefined);
    freeDiskBytes = disk ? disk.bavail * disk.bsize : Number.NaN;
    if (freeDiskBytes > 2 * LOW_DISK_BYTES) warning = undefined;
    else if (freeDiskBytes < LOW_DISK_BYTES && warning === undefined) {
      warning = `The disk of the data folder ${folder} is all but full: free some space, or the gates cannot write any more`;
      log(warning, 'warn');
    }
  }

  return {
    get notReadyReason() {
      return notReadyReason;
    },
    get warning() {
      return warning;
    },
    get freeDiskBytes() {
      return freeDiskBytes;
    },
    async end() {
      ending.abort();
      clearTimeout(timer);
      await check;
    },
  };
}

function explainStartFailure(error: unknown, folder: string): string {
  const cluster = join(folder, 'cluster');
  if (existsSync(cluster) && !isCluster(cluster)) {
    return `What is left in ${cluster} is no database any more, and its tickets are gone with it: if its disk is mounted again, it starts by itself; else stop the board, move ${cluster} away, start it again, and "gates -- restore" the last backup (docs/trouble.md)`;
  }
  if (!existsSync(cluster)) {
    return `The database in ${folder} is gone, with all tickets: if it is moved back, or its disk mounted again, it starts by itself; else stop the board, start it again, and "gates -- restore" the last backup (docs/trouble.md)`;
  }
  if (error instanceof DiskFullError) {
    return `The disk of the data folder ${error.folder} is full: free some space, and the embedded PostgreSQL starts by itself; nothing committed is lost`;
  }
  return `The embedded PostgreSQL does not start: ${errorMessage(error)}`;
}
