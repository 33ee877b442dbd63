import type { FastifyInstance } from 'fastify';
import { lookup } from 'node:dns/promises';
import { fileURLToPath } from 'node:url';
import type { ListenConfig } from '../board-config.ts';
import { addressOf, explainListenError, type ListenAddress } from '../listening.ts';
import type { MetricsSource } from '../../board/metrics/server-metrics.ts';
import type { TicketSource } from '../../board/sources/ticket-source.ts';
import type { Stops } from './stops.ts';

/** Beside the compiled server, where the build puts it. */
export const WEB_ROOT = fileURLToPath(new URL('../../web/', import.meta.url));

/**
 * How many connections may wait to be accepted, within net.core.somaxconn. Node's default of 511 is less than the screens
 * that may reconnect at once: one that finds no place tries again after a second.
 */
const BACKLOG = 4_096;

/** Where this process listens: HOST and PORT, and METRICS_HOST and METRICS_PORT where they are set. */
export interface Places {
  readonly board: ListenAddress;
  readonly metrics: ListenAddress | undefined;
  readonly all: readonly ListenAddress[];
}

export function placesOf({ host, port, metrics: metricsAt }: ListenConfig): Places {
  const board: ListenAddress = { host, port, prefix: '' };
  const metrics: ListenAddress | undefined = metricsAt && { ...metricsAt, prefix: 'METRICS_' };
  return { board, metrics, all: metrics ? [board, metrics] : [board] };
}

/** Returns what keeps the counts from being live. */
export function notReadyReason({ state }: Pick<TicketSource, 'state'>): string | undefined {
  if (state.kind === 'live') return undefined;
  return state.kind === 'waiting' ? state.reason : state.kind;
}

/** Returns what a browser on this machine opens. @throws ConfigError: it cannot listen there */
export async function listen(app: FastifyInstance, { board }: Places): Promise<string> {
  const { host, port } = board;
  // By its address: for the name "localhost" Fastify opens a second server, which would lack our limits.
  const listening = async (): Promise<string> =>
    app.listen({
      port,
      host: (await lookup(host)).address,
      backlog: BACKLOG,
      listenTextResolver: () => 'listening',
    });
  await explainListenError(listening(), board);
  const address = app.server.address();
  return addressOf(host, typeof address === 'object' && address ? address.port : port);
}

/** Returns where Prometheus reads; `undefined`: nowhere. @throws ConfigError: it cannot listen there */
export async function serveMetrics(
  { metrics }: Places,
  source: MetricsSource,
  stops: Stops,
): Promise<string | undefined> {
  if (!metrics) return undefined;
  // Imported on demand: the library takes 40 ms to load.
  const { createMetricsServer } = await import('../../board/metrics/metrics-server.ts');
  const server = createMetricsServer(source);
  stops.add(() => server.stop());
  const port = await explainListenError(server.listen(metrics), metrics);
  return `${addressOf(metrics.host, port)}/metrics`;
}
