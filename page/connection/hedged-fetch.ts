/** A browser has six connections for all pages of an origin. */
const MAX_OPEN = 3;

/**
 * A fetch that repeats an unanswered request every `afterMs` (a hedged request): after an outage the network may have
 * forgotten every connection, and a request on one of those is never answered. The first request is kept, as the server
 * may only be slow, and so are the latest ones. The first answer wins; the others are aborted. Rejects when none is left.
 */
export function hedgedFetch(fetch: typeof globalThis.fetch, afterMs: number): typeof globalThis.fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const requests = new Set<AbortController>();
      const settle = (winner?: AbortController): void => {
        clearInterval(timer);
        for (const request of requests) if (request !== winner) request.abort();
      };
      const send = async (): Promise<void> => {
        const request = new AbortController();
        requests.add(request);
        if (requests.size > MAX_OPEN) [...requests][1]?.abort();
        // The caller can still abort the winner while it reads the answer.
        init?.signal?.addEventListener('abort', () => request.abort(), { once: true });
        if (init?.signal?.aborted) request.abort();
        try {
          const response = await fetch(input, { ...init, signal: request.signal });
          settle(request);
          resolve(response);
        } catch (error) {
          requests.delete(request);
          if (requests.size > 0) return;
          settle();
          reject(error);
        }
      };
      const timer = setInterval(() => void send(), afterMs);
      void send();
    });
}
