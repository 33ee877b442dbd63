import { createServer } from 'node:net';

/** Below what Linux, macOS and Windows give away by themselves (from 32,768 up); `fetch` refuses 10080. */
const [LEAST, COUNT] = [10_100, 21_900];
/** Whoever was given one may not listen yet. */
const given = new Set<number>();

/**
 * A port of 127.0.0.1 for a program that listens later, or again after its end: nobody is given it meanwhile. One that the
 * system gives may be another program's by then.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LEAST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    given.add(port);
    if (await isPortFree(port)) return port;
  }
}

/** Whether a program of ours could listen on it now, on 127.0.0.1. */
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
