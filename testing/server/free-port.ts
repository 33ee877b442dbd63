import { isPortFree } from '../../database/embedded/free-port.ts';

/** Each worker of a run has its own ports, below the ephemeral ones. `fetch` refuses 10080. */
const [LEAST, WORKERS, EACH] = [10_100, 64, 340];
const FIRST = LEAST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS) * EACH;

let last = Math.floor(Math.random() * EACH);

/**
 * A port of 127.0.0.1 for a program that listens later, or again after its end: no other worker is given it meanwhile, and
 * this one not before all others were.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    last = (last + 1) % EACH;
    // Another may be asked for meanwhile.
    const port = FIRST + last;
    if (await isPortFree(port)) return port;
  }
}
