import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { errorMessage } from '../../database/setup-error.ts';

/** Calls a function of another process, one at a time. Rejects when it fails, its process ends, or its caller is stopped. */
export type Call = <T>(name: string, argument?: unknown) => Promise<T>;

interface Request {
  readonly name: string;
  readonly argument: unknown;
}
type Reply = { readonly result: unknown } | { readonly failure: string };

const CALL_LIMIT_MS = 60_000;

/** In a child process: serves these functions to its parent. It ends when the parent is gone. */
export function serveRpc(functions: Readonly<Record<string, (argument: never) => unknown>>): void {
  process.on('message', async ({ name, argument }: Request) => {
    let reply: Reply;
    try {
      reply = { result: await functions[name]?.(argument as never) };
    } catch (error) {
      reply = { failure: errorMessage(error) };
    }
    process.send?.(reply);
  });
  process.on('disconnect', () => process.exit(1));
}

/** In the parent: calls what `child` serves. `lastWords`: what it wrote to its standard error, where that is not ours. */
export function callerOf(child: ChildProcess, stopped: AbortSignal, lastWords = () => ''): Call {
  const gone = new AbortController();
  const { signal } = gone;
  child.once('exit', () => gone.abort(new Error(`its process ended by itself. ${lastWords()}`)));
  stopped.addEventListener('abort', () => gone.abort(stopped.reason), { once: true });
  return async <T>(name: string, argument?: unknown): Promise<T> => {
    const tooLate = new Error(`no answer in ${CALL_LIMIT_MS} ms`);
    const limit = setTimeout(() => gone.abort(tooLate), CALL_LIMIT_MS);
    const replied = once(child, 'message', { signal }) as Promise<[Reply]>;
    child.send({ name, argument } satisfies Request, (error) => error && gone.abort(error));
    const [reply] = await replied
      .catch(() => {
        throw new Error(`"${name}" was not answered`, { cause: signal.reason });
      })
      .finally(() => clearTimeout(limit));
    if ('failure' in reply) throw new Error(reply.failure);
    return reply.result as T;
  };
}
