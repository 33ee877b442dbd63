import { type FlowClock, speedUp } from '../../desk/flow/flow-clock.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { DESK_KEY } from './desk-app.ts';
import { writeAtRandom } from '../database/random-changes.ts';
import type { ServerOptions, ServerProcess } from '../server/server.ts';
import { startServerProcess } from '../server/test-server.ts';
import { keepTicketHistory, type TicketHistory } from '../sources/ticket-history.ts';

/** How many times faster the flow's clock runs from `sinceMs` on (Unix time). */
export interface FlowSpeed {
  readonly sinceMs: number;
  readonly speed: number;
}

/** Starts a server of any role that keeps a record by such a clock. */
export function recordingBy(
  { sinceMs, speed }: FlowSpeed,
  recordUrl: string,
): Required<Pick<ServerOptions, 'script' | 'env'>> {
  return {
    script: 'testing/desk/sped-up-server.mjs',
    env: {
      RECORD_DATABASE_URL: recordUrl,
      FLOW_SPEED: String(speed),
      FLOW_SINCE_MS: String(sinceMs),
    },
  };
}

/** A database that keeps every change, for recounting the record, and whose flow runs faster than time. */
export interface RecordedFlow {
  readonly database: TestDatabase;
  readonly history: TicketHistory;
  readonly clock: FlowSpeed;
  readonly flowClock: FlowClock;
  /** A server with a desk, in a process of its own. Resolves once it is ready. */
  startServer(options?: {
    readonly port?: number;
    /** Default: the database itself. */
    readonly observerUrl?: string;
    readonly recordUrl?: string;
    readonly env?: Readonly<Record<string, string>>;
  }): Promise<ServerProcess>;
  /** Gates write at random until they are stopped. */
  startGates(): { stop(): Promise<void> };
}

const GATES = 3;

export async function startRecordedFlow(speed: number): Promise<RecordedFlow> {
  const database = await createTestDatabase();
  const history = await keepTicketHistory(database);
  const clock = { sinceMs: Date.now(), speed };
  return {
    database,
    history,
    clock,
    flowClock: speedUp(clock.sinceMs, speed),
    async startServer({
      port,
      observerUrl = database.observerUrl,
      recordUrl = database.recordUrl,
      env: ownEnv = {},
    } = {}) {
      const { script, env } = recordingBy(clock, recordUrl);
      const server = await startServerProcess(observerUrl, {
        ...(port !== undefined && { port }),
        script,
        env: { DESK_KEY, ...env, ...ownEnv },
      });
      await server.serves('/readyz');
      return server;
    },
    startGates: () => startGates(database),
  };
}

/** Lets gates write at random until they are stopped. `tryAgain` handles a failed write; without it the gates fail. */
export function startGates(
  database: Pick<TestDatabase, 'gates'>,
  tryAgain: (error: unknown) => Promise<unknown> = (error) => Promise.reject(error),
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const gates = Array.from({ length: GATES }, async () => {
    while (!stopping.signal.aborted) await writeAtRandom(database, 100, { pauseMs: 10 }).catch(tryAgain);
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(gates);
    },
  };
}

const RECORD_STATES: ReadonlySet<unknown> = new Set([
  'recording',
  'another process records',
  'not recording',
  'reading the record again',
]);

/** Whether the process leads the record, by its last log line about that. */
export function isRecording({ logged }: Pick<ServerProcess, 'logged'>): boolean {
  return logged.findLast(({ msg }) => RECORD_STATES.has(msg))?.['msg'] === 'recording';
}
