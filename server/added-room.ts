import type { FastifyInstance } from 'fastify';
import type { ServedEvent } from '../board/http/served-event.ts';
import type { MetricAdders } from '../board/metrics/server-metrics.ts';
import type { SourceListener } from '../board/sources/source-tee.ts';

/** What an optional room adds to a process that serves screens. */
export interface AddedRoom {
  readonly listener: SourceListener;
  /** What it adds to the served event. */
  readonly served: Partial<ServedEvent>;
  readonly addRoutes: (app: FastifyInstance) => Promise<void>;
  readonly addMetrics: (adders: MetricAdders) => void;
  /** What the operator must know; `undefined` while all is well. */
  readonly warning: () => string | undefined;
  stop(): Promise<void>;
}
