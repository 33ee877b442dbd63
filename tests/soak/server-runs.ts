import { launchServer, type ServerProcess } from '../../testing/server.ts';
import { type Point, slope } from '../../testing/statistics.ts';

/** The server, a process of its own, which is killed and started again. */
export interface ServerRuns {
  readonly url: string;
  /**
   * Measures memory and open files. Samples are comparable when taken in the same situation; those of a server that has
   * not settled count for the largest only.
   */
  sample(isSettled: boolean): void;
  /** In MB. `undefined`: not measured, as where the system has no /proc. */
  readonly largestMemoryMb: number | undefined;
  /** Growth per hour over all runs, by the samples. */
  growthPerHour(of: 'memoryMb' | 'openFiles'): number | undefined;
  /** SIGKILL, and a new one on the same port. */
  restart(): Promise<void>;
  /** Resolves with what it wrote to stderr if it ends by itself. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

const HOUR_MS = 3_600_000;

export async function startServerRuns(
  databaseUrl: string,
  env: Readonly<Record<string, string>>,
): Promise<ServerRuns> {
  const points = { memoryMb: [] as Point[], openFiles: [] as Point[] };
  let run = 0;
  let largestMemoryMb: number | undefined;
  let isWanted = true;
  let fail: (reason: string) => void = () => {};
  const failed = new Promise<string>((resolve) => (fail = resolve));
  let server = await start();
  await server.serves('/healthz');
  const port = Number(new URL(server.url).port);

  async function start(samePort?: number): Promise<ServerProcess> {
    run += 1;
    const started = await launchServer(databaseUrl, {
      env,
      ...(samePort !== undefined && { port: samePort }),
    });
    void started.ended.then(() => {
      if (isWanted && started === server) fail(started.stderr() || 'it wrote nothing');
    });
    return started;
  }

  return {
    url: server.url,
    sample(isSettled) {
      const x = performance.now();
      try {
        const [memory, files] = [server.usage.memoryMb(), server.usage.openFiles()];
        largestMemoryMb = Math.max(memory, largestMemoryMb ?? 0);
        if (!isSettled) return;
        points.memoryMb.push({ x, y: memory, series: run });
        points.openFiles.push({ x, y: files, series: run });
      } catch {
        // It has just ended, or the system has no /proc.
      }
    },
    get largestMemoryMb() {
      return largestMemoryMb;
    },
    growthPerHour(of) {
      const growth = slope(points[of]);
      return growth === undefined ? undefined : growth * HOUR_MS;
    },
    failed,
    async restart() {
      isWanted = false;
      await server.end('SIGKILL');
      server = await start(port);
      isWanted = true;
    },
    async stop() {
      isWanted = false;
      await server.end();
    },
  };
}
