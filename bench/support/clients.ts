import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../benchmark.ts';
import { type ChildProgram, startProgram } from './child-program.ts';

/** Files that a process has open beside its streams. */
const SPARE_FILES = 200;
const QUIET_MS = 400;

/** Thousands of clients in a process of their own (clients-process.ts). */
export function startClients(scope: Scope, most: number): ChildProgram {
  // Node raises its limit to the hard one.
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const limit = Number(/Max open files\s+\d+\s+(\d+)/.exec(limits)?.[1] ?? Infinity);
  const needed = most + SPARE_FILES;
  if (limit < needed) {
    throw new Error(
      `${most} viewers need as many open files, and ${limit} are allowed: raise the limit with ulimit -n ${needed}`,
    );
  }
  return startProgram(scope, '../support/clients-process.js', 'napping');
}

/** How many complete `counts` frames they have got in all, once no more come. Rejects if one lost its stream. */
export async function framesWhenQuiet({ call }: ChildProgram, signal: AbortSignal): Promise<number> {
  for (let before = -1; ;) {
    const frames = await call<number>('frames');
    if (frames === before) return frames;
    before = frames;
    await sleep(QUIET_MS, undefined, { signal });
  }
}
