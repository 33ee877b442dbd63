import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/database/embedded/free-port.ts';
import type { Scope } from '../benchmark.ts';
import { type ChildProgram, startProgram } from './child-program.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { ACCOUNT, openStreamClient, type StreamClient } from './stream-client.ts';

/** The server as an operator runs it: a process of its own. */
export interface Server extends ChildProgram {
  readonly url: string;
  /** When it was asked for, by `performance.now()`. */
  readonly spawnedAtMs: number;
}

const POLL_MS = 5;
const FIRST_COUNTS_LIMIT_MS = 60_000;

/** Resolves at once: the port opens a little later. With `isProbed`, it serves `longestStallMs` (stall-probe.ts). */
export async function startServer(
  scope: Scope,
  observerUrl: string,
  { isProbed = false, env = {} }: { readonly isProbed?: boolean; readonly env?: Record<string, string> } = {},
): Promise<Server> {
  const port = await freePort();
  const probe = `--import=${new URL('stall-probe.js', import.meta.url).href}`;
  const spawnedAtMs = performance.now();
  const program = startProgram(scope, '../../server/start.js', {
    flags: [...operatorsFlags(), ...(isProbed ? [probe] : [])],
    env: {
      DATABASE_URL: observerUrl,
      PORT: String(port),
      DASHBOARD_EMAIL: ACCOUNT.email,
      DASHBOARD_KEY: ACCOUNT.key,
      SESSION_SECRET: 'the-secret-of-every-benchmark',
      ...env,
    },
  });
  return { ...program, url: `http://127.0.0.1:${port}`, spawnedAtMs };
}

/** The first viewer of a server that is starting: it asks until it is let in, and has counts that are live. */
export async function openFirstViewer(
  scope: Scope,
  server: Server,
): Promise<{ readonly viewer: StreamClient; readonly liveAtMs: number }> {
  const giveUpAtMs = performance.now() + FIRST_COUNTS_LIMIT_MS;
  for (;;) {
    try {
      const viewer = await openStreamClient(scope, server.url);
      return { viewer, liveAtMs: await viewer.until(({ counts, isLive }) => counts !== undefined && isLive) };
    } catch (error) {
      server.signal.throwIfAborted();
      // Refused, or reset: the server tries its port before it begins, and opens it later.
      const isEarly =
        error instanceof Error && 'code' in error && /ECONN(REFUSED|RESET)/.test(String(error.code));
      if (!isEarly || performance.now() > giveUpAtMs) throw error;
    }
    await sleep(POLL_MS);
  }
}

/** What `npm start` tells Node: a server that is measured runs as the operator's does. */
function operatorsFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}
