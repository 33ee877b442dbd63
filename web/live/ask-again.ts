/** Of the calls without an answer so many are kept: a browser has six connections for all of its pages. */
const KEPT = 3;

/**
 * A fetch that asks again, every `afterMs`, beside the calls that have no answer yet. A network that comes back may have
 * forgotten every connection: what was asked on one of those is never answered. The first call is kept, as the server
 * may only be slow, and so are the last ones. The first answer wins; the other calls are given up. Rejects when no
 * call is left.
 */
export function askAgain(fetch: typeof globalThis.fetch, afterMs: number): typeof globalThis.fetch {
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
        if (calls.size > KEPT) [...calls][1]?.abort();
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
