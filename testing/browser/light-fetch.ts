import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';

/**
 * The part of `fetch` that screens need, at a fraction of its cost, as hundreds of screens share a process. Like a
 * browser's, it resolves paths against the origin, sends the origin's cookies, and opens at most six connections.
 */
export interface LightFetch {
  readonly fetch: typeof fetch;
  /** The number of received bytes, including headers and chunk framing. */
  readonly wireBytes: number;
  close(): void;
}

interface LightFetchOptions {
  readonly maxConnections?: number | undefined;
  /** The host name of the requests, by default the origin's. */
  readonly host?: string | undefined;
  /** The self-signed certificate of an `https:` origin. */
  readonly certificate?: string | undefined;
}

export function createLightFetch(
  origin: string,
  { maxConnections = 6, host, certificate }: LightFetchOptions = {},
): LightFetch {
  const pooled = { keepAlive: true, maxSockets: maxConnections, scheduling: 'fifo' } as const;
  const agent = certificate === undefined ? new Agent(pooled) : new TlsAgent({ ...pooled, ca: certificate });
  const send = certificate === undefined ? request : tlsRequest;
  const sockets = new Set<Socket>();
  let closedBytes = 0;
  let cookie = '';
  const lightFetch = (path: string, init: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...(host === undefined ? {} : { host }),
        ...(init.headers as Record<string, string>),
        ...(cookie ? { cookie } : {}),
      };
      const call = send(new URL(path, origin), { method: init.method ?? 'GET', headers, agent });
      init.signal?.addEventListener('abort', () => call.destroy(new Error('aborted')), { once: true });
      call.on('error', reject);
      call.on('socket', (socket) => {
        if (sockets.has(socket)) return;
        sockets.add(socket);
        socket.once('close', () => {
          sockets.delete(socket);
          closedBytes += socket.bytesRead;
        });
      });
      call.on('response', (message) => {
        cookie = message.headers['set-cookie']?.[0]?.split(';')[0] ?? cookie;
        // A cut answer rejects its reader; without a reader the error is ignored.
        message.on('error', () => {});
        resolve(responseOf(message));
      });
      call.end(init.body ?? undefined);
    });
  return {
    fetch: lightFetch as typeof fetch,
    get wireBytes() {
      return [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, closedBytes);
    },
    close: () => agent.destroy(),
  };
}

function responseOf(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  const bytes = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const response = {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name: string) => message.headers[name]?.toString() ?? null },
    body: {
      cancel: async () => void message.resume(),
      getReader: () => ({ read: () => bytes.next(), cancel: async () => void message.destroy() }),
    },
    async json() {
      let text = '';
      for await (const part of message as AsyncIterable<Buffer>) text += part.toString();
      return JSON.parse(text) as unknown;
    },
  };
  return response as unknown as Response;
}
