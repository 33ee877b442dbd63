import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../testing/free-port.ts';
import { type ProcessUsage, usageOf } from '../../testing/process-usage.ts';
import { startProgram } from '../../testing/program.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import type { Scope } from '../benchmark.ts';

// Not compiled into the build: it serves the scripts that run before there is one.
const script = pathToFileURL(join(PROJECT_ROOT, 'tools/system-programs.mjs')).href;
const { findNatsServer } = (await import(script)) as { findNatsServer: () => string | undefined };

const POLL_MS = 20;

interface BenchNats {
  readonly url: string;
  readonly usage: ProcessUsage;
}

/** One server of the benchmark's own. Resolves once it takes connections. */
export async function startNats({ signal, stops }: Scope): Promise<BenchNats> {
  const path = findNatsServer();
  if (path === undefined) {
    throw new Error(
      'This benchmark needs nats-server. Install it (on Debian: apt-get install nats-server), or set NATS_SERVER_PATH.',
    );
  }
  const port = await freePort();
  const { child, end, stderr } = startProgram(path, ['-a', '127.0.0.1', '-p', String(port)]);
  stops.push(() => end('SIGKILL'));
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`nats-server ended: ${stderr()}`);
    await sleep(POLL_MS, undefined, { signal });
  }
  return { url: `nats://127.0.0.1:${port}`, usage: usageOf(child.pid ?? 0) };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
