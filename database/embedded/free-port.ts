import { createServer } from 'node:net';

/** Below the ephemeral ports of Linux, macOS and Windows (from 32,768 up); `fetch` refuses 10080. */
const [LEAST, COUNT] = [10_100, 21_900];
/** A program with a port may not listen on it yet. */
const given = new Set<number>();

/**
 * Returns a port of 127.0.0.1 for a program that listens later, or again after a restart. An ephemeral port could be another
 * program's by then.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LEAST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    given.add(port);
    if (await isPortFree(port)) return port;
  }
}

/** Whether a program could listen on the port of 127.0.0.1 now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
