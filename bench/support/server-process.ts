import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../server/database/embedded/free-port.ts';
import { figuresOf, type ProcessFigures } from './process-figures.ts';
import { serverFlags } from './server-flags.ts';

/** The server as an operator runs it: a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** When it was asked for, by `performance.now()`. */
  readonly spawnedAtMs: number;
  readonly figures: ProcessFigures;
  /** Throws what it wrote to stderr if it has ended by itself. */
  assertRunning(): void;
  stop(): Promise<void>;
}

export const ACCOUNT = { email: 'painel@triagem.local', key: 'the-key-of-every-benchmark' } as const;

const START = fileURLToPath(new URL('../../server/start.js', import.meta.url));
/** Its part of the 5 s in which everything must have stopped. */
const STOP_LIMIT_MS = 700;

/** Resolves at once: the port opens a little later. `env`: settings beside those of database, port and account. */
export async function startServer(
  observerUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const port = await freePort();
  const spawnedAtMs = performance.now();
  const child = spawn(process.execPath, [...serverFlags(), START], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: observerUrl,
      PORT: String(port),
      DASHBOARD_EMAIL: ACCOUNT.email,
      DASHBOARD_KEY: ACCOUNT.key,
      SESSION_SECRET: 'the-secret-of-every-benchmark',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (bytes: Buffer) => (stderr = (stderr + bytes.toString()).slice(-4_000)));
  const ended = once(child, 'exit');
  ended.catch(() => {});
  if (child.pid === undefined) throw new Error('the server could not be started');
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    url: `http://127.0.0.1:${port}`,
    spawnedAtMs,
    figures: figuresOf(child.pid),
    assertRunning() {
      if (hasEnded()) throw new Error(`the server ended by itself: ${stderr || 'it wrote nothing'}`);
    },
    async stop() {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await ended;
      clearTimeout(limit);
    },
  };
}
