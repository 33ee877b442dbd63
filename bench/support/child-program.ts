import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ProcessUsage, usageOf } from '../../testing/server/process-usage.ts';
import type { Scope } from '../benchmark.ts';
import { type Call, callerOf } from '../../testing/server/rpc.ts';

/** A program in a process of its own, and what it serves. */
export interface ChildProgram {
  readonly usage: ProcessUsage;
  readonly call: Call;
}

/** `file`: a compiled program, relative to the folder of this one. What it says of its own end is on our standard error. */
export function startProgram({ signal, stops }: Scope, file: string, ...args: string[]): ChildProgram {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Ctrl-C in the terminal reaches the whole group: this child is stopped by us, in its turn.
    detached: true,
  });
  if (child.pid === undefined) throw new Error(`${file} could not be started`);
  const ended = once(child, 'exit');
  stops.push(() => {
    child.kill('SIGKILL');
    return ended;
  });
  return { usage: usageOf(child.pid), call: callerOf(child, signal) };
}
