import type { EmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import type { FanOutLimits } from '../../board/fan-out/in-process.ts';
import type { FlowClock } from '../parts.ts';
import type { HttpLimits } from '../../board/http/http-limits.ts';
import type { ObservingLimits } from '../../board/sources/postgres/limits.ts';

/** A running process of any role. */
export interface Triagem {
  readonly url: string;
  /** Where Prometheus reads; `undefined` without METRICS_PORT. */
  readonly metricsUrl: string | undefined;
  /** The embedded PostgreSQL, where DATABASE_URL names no other. */
  readonly database?: EmbeddedDatabase | undefined;
  /** Rejects with a ReplicationError when observing the tickets cannot succeed without a change; never for an edge. */
  readonly observing: Promise<void>;
  /** Whether the first attempt to observe has neither succeeded nor failed yet. */
  readonly isStarting?: () => boolean;
  /** Stops the streams, then the replication session, then the embedded database. */
  stop(): Promise<void>;
}

/** What tests and the demo set otherwise than a real server. */
export interface Overrides {
  /** The folder of the built screen. */
  readonly webRoot?: string;
  readonly limits?: ObservingLimits;
  readonly fanOut?: Partial<FanOutLimits>;
  readonly httpLimits?: HttpLimits;
  readonly sessionLifetimeMs?: number;
  readonly deskSessionLifetimeMs?: number;
  readonly flowClock?: FlowClock;
  /** Called when the embedded database runs and nothing has read it yet. */
  readonly onDatabase?: (database: EmbeddedDatabase) => Promise<void>;
  /** Aborts a start: what it has started is stopped, and it rejects. */
  readonly signal?: AbortSignal;
}
