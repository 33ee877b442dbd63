import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Answer, Question } from './answer-questions.ts';

/** A program of the project in a process of its own, which may answer questions (answer-questions.ts). */
export interface ChildProgram {
  readonly pid: number;
  /** Rejects when the program cannot answer, takes too long, or ends, or when the benchmark is to end. */
  ask<T>(name: string, given?: unknown): Promise<T>;
  /** SIGTERM, and SIGKILL where that is not enough; resolves once it is gone. */
  stop(): Promise<void>;
}

const ANSWER_LIMIT_MS = 60_000;
/** Its part of the 5 s in which everything must have stopped. */
const STOP_LIMIT_MS = 700;
const KEPT_STDERR_LENGTH = 4_000;

/** `program`: a compiled file, relative to the folder of this one. */
export function startChildProgram(
  program: string,
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly imports?: readonly string[];
    /** Options of Node. */
    readonly flags?: readonly string[];
    readonly signal: AbortSignal;
  },
): ChildProgram {
  const { env = {}, imports = [], signal } = options;
  signal.throwIfAborted();
  const flags = [
    ...(options.flags ?? []),
    ...imports.map((path) => `--import=${new URL(path, import.meta.url).href}`),
  ];
  const child = spawn(process.execPath, [...flags, fileURLToPath(new URL(program, import.meta.url))], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Ctrl-C in the terminal reaches the whole group: this child is stopped by us, in its turn.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);

  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let asked = 0;
  let stderr = '';
  let ended: Error | undefined;
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString()).slice(-KEPT_STDERR_LENGTH);
  });
  child.on('message', (message: Answer) => {
    const question = waiting.get(message.id);
    waiting.delete(message.id);
    if ('failure' in message) question?.reject(new Error(message.failure));
    else question?.resolve(message.answer);
  });
  const gone = once(child, 'exit');
  const rejectAll = (error: Error): void => {
    ended = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  void gone.then(() => rejectAll(new Error(`${program} ended by itself: ${stderr || 'it wrote nothing'}`)));
  const onAbort = (): void => rejectAll(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });

  return {
    pid,
    ask<T>(name: string, given?: unknown): Promise<T> {
      if (ended) return Promise.reject(ended);
      asked += 1;
      const question: Question = { id: asked, name, given };
      return new Promise((resolve, reject) => {
        const limit = setTimeout(
          () => reject(new Error(`${program} did not answer "${name}" in ${ANSWER_LIMIT_MS / 1_000} s`)),
          ANSWER_LIMIT_MS,
        );
        waiting.set(question.id, {
          resolve(answer) {
            clearTimeout(limit);
            resolve(answer as T);
          },
          reject(error) {
            clearTimeout(limit);
            reject(error);
          },
        });
        child.send(question, (error) => error && reject(error));
      });
    },
    async stop() {
      signal.removeEventListener('abort', onAbort);
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await gone;
      clearTimeout(kill);
    },
  };
}
