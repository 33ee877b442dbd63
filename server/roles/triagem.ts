import type { EmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import type { FanOutLimits } from '../../board/fan-out/in-process.ts';
import type { FlowClock } from '../parts.ts';
import type { HttpLimits } from '../../board/http/http-limits.ts';
import type { ObservingLimits } from '../../board/sources/postgres/limits.ts';

/** A running process, of whatever role. */
export interface Triagem {
  readonly url: string;
  /** Where Prometheus reads; `undefined` without METRICS_PORT. */
  readonly metricsUrl: string | undefined;
  /** The embedded PostgreSQL, where DATABASE_URL names no other. */
  readonly database?: EmbeddedDatabase | undefined;
  /** Rejects with a ReplicationError when the tickets can never be observed as things are; of an edge, never. */
  readonly observing: Promise<void>;
  /** Whether the first attempt to observe has neither succeeded nor failed yet. */
  readonly isStarting?: () => boolean;
  /** Ends the streams, then the replication session, then the embedded database. */
  stop(): Promise<void>;
}

/** What a test, or the demo, sets otherwise than a server of the field has it. */
export interface Overrides {
  /** The folder of the built screen. */
  readonly webRoot?: string;
  readonly limits?: ObservingLimits;
  readonly fanOut?: Partial<FanOutLimits>;
  readonly httpLimits?: HttpLimits;
  readonly sessionLifetimeMs?: number;
  readonly deskSessionLifetimeMs?: number;
  readonly flowClock?: FlowClock;
  /** The embedded database runs, and nothing has read it. */
  readonly onDatabase?: (database: EmbeddedDatabase) => Promise<void>;
  /** Ends a start that is under way: what it started is stopped, and it rejects. */
  readonly signal?: AbortSignal;
}
