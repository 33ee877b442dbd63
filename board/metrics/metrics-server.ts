import { createServer } from 'node:http';
import { createMetrics, type MetricsSource } from './server-metrics.ts';

/** There are few scrapers, and other clients must not load the process. */
const MAX_CONNECTIONS = 16;
const REQUEST_LIMIT_MS = 5_000;

/** Serves `GET /metrics` on a port of its own, so that a proxy of the board cannot expose it by accident. */
export interface MetricsServer {
  /** Resolves with the port. Rejects if the server cannot listen there. */
  listen(at: { readonly host: string; readonly port: number }): Promise<number>;
  stop(): Promise<void>;
}

/** Starts to measure at once. */
export function createMetricsServer(source: MetricsSource): MetricsServer {
  const metrics = createMetrics(source);
  const limits = {
    headersTimeout: REQUEST_LIMIT_MS,
    requestTimeout: REQUEST_LIMIT_MS,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 4_096,
  };
  const server = createServer(limits, (request, response) => {
    response.setHeader('connection', 'close');
    response.setHeader('x-content-type-options', 'nosniff');
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.registry.metrics().then(
      (text) => {
        response.writeHead(200, {
          'content-type': metrics.registry.contentType,
          'cache-control': 'no-store',
        });
        response.end(text);
      },
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(2 * REQUEST_LIMIT_MS);
  return {
    async listen({ host, port }) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      const address = server.address();
      return typeof address === 'object' && address ? address.port : port;
    },
    async stop() {
      metrics.stop();
      server.closeAllConnections();
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
