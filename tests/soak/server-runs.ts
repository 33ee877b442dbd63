import { setTimeout as sleep } from 'node:timers/promises';
import { closeOnce } from '../../testing/close-once.ts';
import type { ServerProcess } from '../../testing/server/server.ts';

/** A server that is a process of its own, which is killed and started again. */
export interface ServerRuns {
  readonly name: string;
  /** Of the one that runs now. */
  readonly pid: number;
  readonly url: string;
  /** SIGKILL, and a new one on the same port, after this long. */
  restart(signal: AbortSignal, afterMs?: number): Promise<void>;
  /** It stands still (SIGSTOP), until `resume`. */
  pause(): void;
  resume(): void;
  /** Resolves with what it wrote to stderr if it ends by itself. */
  readonly failed: Promise<string>;
}

/** `launch`: on this port, or on a free one. Resolves once it answers. It ends with the kit. */
export async function startServerRuns(
  name: string,
  launch: (port?: number) => Promise<ServerProcess>,
): Promise<ServerRuns> {
  let isWanted = true;
  let fail: (reason: string) => void = () => {};
  const failed = new Promise<string>((resolve) => (fail = resolve));
  let server = await start();
  closeOnce(async () => {
    isWanted = false;
    await server.end();
  });
  await server.serves('/healthz');
  const port = Number(new URL(server.url).port);

  async function start(samePort?: number): Promise<ServerProcess> {
    const started = await launch(samePort);
    void started.ended.then(() => {
      if (isWanted && started === server)
        fail(`the ${name} ended by itself: ${started.stderr() || 'it wrote nothing'}`);
    });
    return started;
  }

  return {
    name,
    url: server.url,
    get pid() {
      return server.pid;
    },
    async restart(signal, afterMs = 0) {
      isWanted = false;
      await server.end('SIGKILL');
      await sleep(afterMs, undefined, { signal });
      server = await start(port);
      isWanted = true;
    },
    pause: () => void server.child.kill('SIGSTOP'),
    resume: () => void server.child.kill('SIGCONT'),
    failed,
  };
}
