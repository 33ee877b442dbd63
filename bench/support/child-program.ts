import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Scope } from '../benchmark.ts';
import { type ProcessStats, processStats } from './process-stats.ts';
import type { Call, Reply } from './serve-rpc.ts';

/** A program of the project in a process of its own, whose functions can be called (serve-rpc.ts). */
export interface ChildProgram {
  readonly stats: ProcessStats;
  /** Aborted when the program ends by itself, with what it wrote, and when the benchmark is stopped. */
  readonly signal: AbortSignal;
  /** Calls one of its functions, one at a time. Rejects when that fails, takes a minute, or `signal` is aborted. */
  call<T>(name: string, given?: unknown): Promise<T>;
}

interface Options {
  readonly args?: readonly string[];
  /** Options of Node. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const CALL_LIMIT_MS = 60_000;
/** Its part of the 5 s in which everything must have stopped. */
const STOP_LIMIT_MS = 700;
const KEPT_STDERR_LENGTH = 4_000;

/** `file`: a compiled program, relative to the folder of this one. */
export function startProgram(scope: Scope, file: string, options: Options = {}): ChildProgram {
  const { args = [], flags = [], env = {} } = options;
  scope.signal.throwIfAborted();
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [...flags, path, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Ctrl-C in the terminal reaches the whole group: this child is stopped by us, in its turn.
    detached: true,
  });
  if (child.pid === undefined) throw new Error(`${file} could not be started`);
  let stderr = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString()).slice(-KEPT_STDERR_LENGTH);
  });
  const ended = new AbortController();
  const gone = once(child, 'exit').then(() =>
    ended.abort(new Error(`${file} ended by itself: ${stderr || 'it wrote nothing'}`)),
  );
  const signal = AbortSignal.any([scope.signal, ended.signal]);
  // SIGTERM, and SIGKILL where that is not enough.
  scope.stops.push(async () => {
    if (ended.signal.aborted) return;
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await gone;
    clearTimeout(kill);
  });
  return {
    stats: processStats(child.pid),
    signal,
    async call<T>(name: string, given?: unknown): Promise<T> {
      signal.throwIfAborted();
      const limit = AbortSignal.any([signal, AbortSignal.timeout(CALL_LIMIT_MS)]);
      const replied = once(child, 'message', { signal: limit }) as Promise<[Reply]>;
      child.send({ name, given } satisfies Call, (error) => error && ended.abort(error));
      const [reply] = await replied.catch((error: unknown) => {
        signal.throwIfAborted();
        throw new Error(`${file} did not answer "${name}" in ${CALL_LIMIT_MS / 1_000} s`, { cause: error });
      });
      if ('failure' in reply) throw new Error(reply.failure);
      return reply.answer as T;
    },
  };
}
