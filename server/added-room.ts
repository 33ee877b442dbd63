import type { PageHasSeen } from '../board/http/seen-timeline.ts';
import type { FastifyInstance } from 'fastify';
import type { ServedEvent } from '../board/http/served-event.ts';
import type { MetricAdders } from '../board/metrics/server-metrics.ts';
import type { SourceListener } from '../board/sources/source-tee.ts';

/** What an optional room adds to a process that serves screens. */
export interface AddedRoom {
  readonly listener: SourceListener;
  /** The members of the served event that it sets. */
  readonly served: Partial<ServedEvent>;
  readonly addRoutes: (app: FastifyInstance, pageHasSeen: PageHasSeen) => Promise<void>;
  readonly addMetrics: (adders: MetricAdders) => void;
  /** Returns a warning for the operator; `undefined` if there is none. */
  readonly warning: () => string | undefined;
  stop(): Promise<void>;
}
