import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../benchmark.ts';
import { type ChildProgram, startProgram } from '../support/child-program.ts';
import type { TimedTotal } from '../support/delays.ts';

/** What the clients' process (clients-process.ts) is asked to open. */
export interface Opening {
  readonly port: number;
  /** What each client sends: a whole HTTP request. */
  readonly request: string;
  readonly count: number;
  /** Of one stream in so many, each delivery is noted. */
  readonly sampleEvery: number;
}

/** A `counts` frame that a client has got. */
export interface Delivery extends TimedTotal {
  readonly stream: number;
}

/** Files that a process has open beside its streams. */
const SPARE_FILES = 200;
const QUIET_MS = 400;

/** Thousands of clients in a process of their own. */
export function startClients(scope: Scope, most: number): ChildProgram {
  // Node raises its limit to the hard one.
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const limit = Number(/Max open files\s+\d+\s+(\d+)/.exec(limits)?.[1] ?? Infinity);
  if (limit < most + SPARE_FILES) {
    throw new Error(
      `${most} viewers need as many open files, and ${limit} are allowed: raise the limit with ulimit -n ${most + SPARE_FILES}`,
    );
  }
  return startProgram(scope, '../viewers/clients-process.js');
}

/** How many complete `counts` frames they have got in all, once no more come. Rejects if one lost its stream. */
export async function framesWhenQuiet(clients: ChildProgram, signal: AbortSignal): Promise<number> {
  let before = -1;
  let frames = await clients.call<number>('frames');
  while (frames !== before) {
    await sleep(QUIET_MS, undefined, { signal });
    before = frames;
    frames = await clients.call<number>('frames');
  }
  return frames;
}
