import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ProcessUsage, usageOf } from '../../testing/process-usage.ts';
import type { Scope } from '../benchmark.ts';
import type { Call, Reply } from './serve-rpc.ts';

/** A program in a process of its own, whose functions can be called (serve-rpc.ts). */
export interface ChildProgram {
  readonly usage: ProcessUsage;
  /** Calls one of its functions, one at a time. Rejects when that fails, the program ends, or the benchmark does. */
  readonly call: <T>(name: string, given?: unknown) => Promise<T>;
}

const CALL_LIMIT_MS = 60_000;
/** Its part of the 5 s in which everything must have stopped. */
export const STOP_LIMIT_MS = 700;
const KEPT_STDERR_LENGTH = 4_000;

/** `file`: a compiled program, relative to the folder of this one. */
export function startProgram(scope: Scope, file: string, args: readonly string[] = []): ChildProgram {
  scope.signal.throwIfAborted();
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Ctrl-C in the terminal reaches the whole group: this child is stopped by us, in its turn.
    detached: true,
  });
  if (child.pid === undefined) throw new Error(`${file} could not be started`);
  let stderr = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString()).slice(-KEPT_STDERR_LENGTH);
  });
  const gone = once(child, 'exit');
  // SIGTERM, and SIGKILL where that is not enough.
  scope.stops.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await gone;
    clearTimeout(kill);
  });
  const call = callerOf(
    child,
    scope.signal,
    () => `${file} ended by itself: ${stderr || 'it wrote nothing'}`,
  );
  return { usage: usageOf(child.pid), call };
}

/** Calls what `child` serves. `whyGone`: for the message once it has ended. */
export function callerOf(
  child: ChildProcess,
  stopped: AbortSignal,
  whyGone: () => string,
): ChildProgram['call'] {
  const gone = new AbortController();
  child.once('exit', () => gone.abort(new Error(whyGone())));
  return async <T>(name: string, given?: unknown): Promise<T> => {
    const signal = AbortSignal.any([stopped, gone.signal, AbortSignal.timeout(CALL_LIMIT_MS)]);
    signal.throwIfAborted();
    const replied = once(child, 'message', { signal }) as Promise<[Reply]>;
    child.send({ name, given } satisfies Call, (error) => error && gone.abort(error));
    const [reply] = await replied.catch(() => {
      throw new Error(`"${name}" was not answered`, { cause: signal.reason });
    });
    if ('failure' in reply) throw new Error(reply.failure);
    return reply.answer as T;
  };
}
