/** A call unanswered for so long gets another one beside it. */
const ASK_AGAIN_AFTER_MS = 2_000;

/**
 * A fetch that asks again, beside the call that has no answer yet. A network that comes back may have forgotten
 * every connection: what was asked on one of those is never answered, and giving it up sooner would give up a
 * server that is only slow. The first answer wins; the other calls are given up. Rejects when no call is left.
 */
export function askAgain(
  fetch: typeof globalThis.fetch,
  afterMs = ASK_AGAIN_AFTER_MS,
): typeof globalThis.fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const calls = new Set<AbortController>();
      const settle = (winner?: AbortController): void => {
        clearInterval(timer);
        for (const call of calls) if (call !== winner) call.abort();
      };
      const ask = async (): Promise<void> => {
        const call = new AbortController();
        calls.add(call);
        // The answer of the winner can still be given up by its caller.
        init?.signal?.addEventListener('abort', () => call.abort(), { once: true });
        if (init?.signal?.aborted) call.abort();
        try {
          const response = await fetch(input, { ...init, signal: call.signal });
          settle(call);
          resolve(response);
        } catch (error) {
          calls.delete(call);
          if (calls.size > 0) return;
          settle();
          reject(error);
        }
      };
      const timer = setInterval(() => void ask(), afterMs);
      void ask();
    });
}
