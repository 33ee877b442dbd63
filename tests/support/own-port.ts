import { createServer } from 'node:net';

/** Below what Linux, macOS and Windows give away by themselves (from 32,768 up). */
const [LEAST, COUNT] = [10_000, 22_000];

/**
 * A port of 127.0.0.1 for a program that listens later: nobody is given it meanwhile. A port that the system gives may be
 * another test's by then, whose server would answer in the place of the program.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = LEAST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
