import type { EmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import { launchServer } from '../../testing/server/server.ts';
import type { Fault } from './faults.ts';
import type { SampledProcesses } from './process-samples.ts';
import { startServerRuns } from './server-runs.ts';

/** What screens are served by: one process, or many. */
export interface System {
  readonly url: string;
  /** Of an `https:` address, which nobody else signed. */
  readonly certificate?: string;
  /** Those whose memory and files are measured. */
  readonly processes: readonly SampledProcesses[];
  /** What can be done to its parts. */
  readonly faults: readonly Fault[];
  /** Resolves with what one of its processes said if it ends by itself. */
  readonly failed: Promise<string>;
}

/** `env`: settings of the processes that serve screens. */
export type StartSystem = (
  database: EmbeddedDatabase,
  env: Readonly<Record<string, string>>,
) => Promise<System>;

/** All in one process. */
export const startServer: StartSystem = async ({ observerUrl }, env) => {
  const server = await startServerRuns('server', (port) =>
    launchServer(observerUrl, { env, ...(port !== undefined && { port }) }),
  );
  return {
    url: server.url,
    processes: [{ name: server.name, pids: () => [server.pid] }],
    faults: [
      {
        name: 'server killed (SIGKILL), started again',
        weight: 3,
        isEnd: true,
        inject: (signal) => server.restart(signal),
      },
    ],
    failed: server.failed,
  };
};
