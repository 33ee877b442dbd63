import type { FastifyInstance } from 'fastify';
import type { ServedEvent } from '../board/http/served-event.ts';
import type { MetricAdders } from '../board/metrics/server-metrics.ts';
import type { SourceListener } from '../board/sources/source-tee.ts';

/** What another room adds to a process that serves screens. */
export interface AddedRoom {
  /** Follows the tickets beside the counts. */
  readonly listener: SourceListener;
  /** What it adds to the event that is served. */
  readonly served: Partial<ServedEvent>;
  readonly addRoutes: (app: FastifyInstance) => Promise<void>;
  readonly addMetrics: (adders: MetricAdders) => void;
  /** What the operator is to know; `undefined` while all is well. */
  readonly warning: () => string | undefined;
  stop(): Promise<void>;
}
