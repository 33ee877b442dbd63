import postgres from 'postgres';
import { type LogPosition, timelineOf } from '../../../domain/log-position.ts';
import { OperatorError } from '../../../domain/operator-error.ts';
import {
  connectionDetail,
  type ConnectionFault,
  connectionFault,
  describeFault,
  type ServerPlace,
} from '../../../database/connection-fault.ts';

/** Why tickets cannot be observed. The message names cause and fix, for the operator. */
export class ReplicationError extends OperatorError {
  override readonly name = 'ReplicationError';
  /** Whether a retry can help. Where not, somebody has to change something first. */
  readonly shouldRetry: boolean;
  /** A standby is there, which may become the primary at any moment. */
  readonly awaitsPromotion: boolean;

  constructor(
    message: string,
    options: { shouldRetry: boolean; awaitsPromotion?: boolean; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.shouldRetry = options.shouldRetry;
    this.awaitsPromotion = options.awaitsPromotion ?? false;
  }
}

/** The words of a connection's fault, else those for what observing alone meets; `place`: whose server it is. */
export function toReplicationError(error: unknown, place: ServerPlace): ReplicationError {
  if (error instanceof ReplicationError) return error;
  const fault = connectionFault(error, place) ?? replicationFault(error);
  return new ReplicationError(`${describeFault(fault)}${connectionDetail(error, place)}`, {
    shouldRetry: fault.shouldRetry,
    awaitsPromotion: fault.awaitsPromotion ?? false,
    cause: error,
  });
}

function replicationFault(error: unknown): ConnectionFault {
  switch (codeOf(error)) {
    case '42501':
      return {
        cause: 'The role of DATABASE_URL lacks a privilege',
        fix: 'run `npm run migrate`',
        shouldRetry: false,
      };
    case '42P01':
      return { cause: 'A table is missing', fix: 'run `npm run migrate`', shouldRetry: false };
    case '53400':
      return {
        cause: 'All replication slots are in use',
        fix: 'raise max_replication_slots, or drop a slot that nobody uses',
        shouldRetry: true,
      };
    default:
      return { cause: 'Observing failed', fix: '', shouldRetry: true };
  }
}

/**
 * The log stands at `position`, before `last`. On the same timeline it is that of an older copy, which a board takes at its
 * start. Behind a counter that starts, edges still know better; and screens go back to no former primary by themselves.
 */
export function earlierLog(position: LogPosition, last: LogPosition, isCounter: boolean): ReplicationError {
  const way =
    !isCounter && timelineOf(position) === timelineOf(last)
      ? 'restart this board if an older copy was put back on purpose'
      : 'go back to this one on purpose: `npm run return`';
  return new ReplicationError(
    `The log of the database stands at ${position}, before ${last}, which the screens have seen: ` +
      `name the server that has it all, or ${way}`,
    { shouldRetry: false },
  );
}

/** The wait for other transactions was given up (`lock_timeout`). */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof postgres.PostgresError) return error.code;
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
