import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../server/database/embedded/free-port.ts';
import { type Program, runProgram } from './program.ts';
import { SERVER_SETTINGS, type TestServer } from './in-process-server.ts';
import { until } from './until.ts';

/** The server as an operator runs it: `npm start`, a process of its own, with the durations of the field. */
export interface ServerProcess extends TestServer {
  readonly program: Program;
  /** Its resident memory, in MB. */
  memoryMb(): number;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export interface ServerProcessOptions {
  /** 0: a free one. */
  readonly port?: number;
  readonly env?: Record<string, string>;
}

/** What `npm start` has in its environment to serve this database. */
export function serverEnvironment(observerUrl: string, port: number): Record<string, string> {
  return { ...SERVER_SETTINGS, DATABASE_URL: observerUrl, PORT: String(port) };
}

/** Resolves once it answers. */
export async function startServerProcess(
  observerUrl: string,
  options: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const port = options.port ?? (await freePort());
  const program = runProgram('start', [], { ...serverEnvironment(observerUrl, port), ...options.env });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  await until(async () => {
    expect(program.child.exitCode, program.stderr()).toBeNull();
    await fetch(`http://127.0.0.1:${port}/healthz`);
  }, 30_000);
  return {
    program,
    pid: program.child.pid,
    url: `http://127.0.0.1:${port}`,
    database: undefined,
    metricsUrl: undefined,
    observing: program.ended.then(() => {}),
    get logged() {
      // The last line may have come in part.
      const lines = program.stdout().split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    memoryMb() {
      const status = readFileSync(`/proc/${program.child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
    },
    async kill() {
      program.child.kill('SIGKILL');
      await program.ended;
    },
    async stop() {
      program.child.kill('SIGTERM');
      expect(await program.ended, program.stderr()).toBe(0);
    },
  };
}
