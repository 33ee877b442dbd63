import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../testing/server/free-port.ts';
import { opensPort } from '../../testing/server/port.ts';
import { type ProcessUsage, usageOf } from '../../testing/server/process-usage.ts';
import { startProgram } from '../../testing/server/program.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import type { Scope } from '../benchmark.ts';

const START_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 20;

// Not compiled into the build: it serves the scripts that run before there is one.
const script = pathToFileURL(join(PROJECT_ROOT, 'tools/system-programs.mjs')).href;
const { findNatsServer } = (await import(script)) as { findNatsServer: () => string | undefined };

interface BenchNats {
  readonly url: string;
  readonly usage: ProcessUsage;
}

/** A NATS of the benchmark's own. Resolves once it takes clients. */
export async function startNats({ signal, stops }: Scope): Promise<BenchNats> {
  const program = findNatsServer();
  if (!program) {
    throw new Error(
      'This benchmark needs nats-server. Install it (on Debian: apt-get install nats-server), or set NATS_SERVER_PATH.',
    );
  }
  const port = await freePort();
  const server = startProgram(program, ['-a', '127.0.0.1', '-p', String(port)]);
  stops.push(() => server.end('SIGKILL'));
  for (const giveUpAtMs = performance.now() + START_LIMIT_MS; ;) {
    const isOpen = await opensPort(port).then(
      () => true,
      () => false,
    );
    if (isOpen) return { url: `nats://127.0.0.1:${port}`, usage: usageOf(server.child.pid ?? 0) };
    if (performance.now() > giveUpAtMs) throw new Error(`nats-server does not listen: ${server.stderr()}`);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
