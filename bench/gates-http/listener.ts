import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type ProcessUsage, usageOf } from '../../testing/server/process-usage.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import type { Scope } from '../benchmark.ts';

const KEY = 'a-key-for-the-benchmark-only';

/** What a load generator is to post: each ticket enters once. */
export interface PostRun {
  readonly connections: number;
  readonly ticketsPerRequest: number;
  /** The run ends early when they are used up. */
  readonly firstTicket: number;
  readonly lastTicket: number;
  readonly durationMs: number;
}

export interface PostReport {
  readonly tickets: number;
  /** Of each request, to the end of its answer. */
  readonly latenciesMs: readonly number[];
  readonly elapsedMs: number;
}

/** The process of `gates -- listen`. */
export async function startListener(
  { signal, stops }: Scope,
  gatesUrl: string,
): Promise<{ readonly url: string; readonly key: string; readonly usage: ProcessUsage }> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'build/gates/main.js'), 'listen'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GATES_DATABASE_URL: gatesUrl,
      GATES_HTTP_KEY: KEY,
      GATES_HTTP_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  if (child.pid === undefined) throw new Error('gates -- listen could not be started');
  const gone = once(child, 'exit');
  stops.push(() => {
    child.kill('SIGKILL');
    return gone;
  });
  const [bytes] = (await once(child.stdout, 'data', { signal })) as [Buffer];
  const [, url] = /^Listening on (\S+)/.exec(bytes.toString()) ?? [];
  if (url === undefined) throw new Error('gates -- listen does not say where it listens');
  return { url, key: KEY, usage: usageOf(child.pid) };
}
