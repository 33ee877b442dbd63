import postgres from 'postgres';
import {
  connectionDetail,
  type ConnectionFault,
  connectionFault,
  type ServerPlace,
} from '../database/connection-fault.ts';

/** Why tickets cannot be observed. The message names cause and fix, for the operator. */
export class ObservingFault extends Error {
  /** Whether it may pass by itself. Where not, somebody has to change something first. */
  readonly canPass: boolean;

  constructor(message: string, options: { canPass: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'ObservingFault';
    this.canPass = options.canPass;
  }
}

/** The words of a connection's fault, else those for what observing alone meets; `place`: whose server it is. */
export function toFault(error: unknown, place: ServerPlace): ObservingFault {
  if (error instanceof ObservingFault) return error;
  const fault = connectionFault(error, place) ?? observingFault(error);
  return new ObservingFault(`${wordsOf(fault)}${connectionDetail(error, place)}`, {
    canPass: fault.shouldRetry,
    cause: error,
  });
}

/** Cause, then fix. */
export function wordsOf({ cause, fix }: ConnectionFault): string {
  return fix === '' ? cause : `${cause}: ${fix}`;
}

function observingFault(error: unknown): ConnectionFault {
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
      return { cause: 'The observation failed', fix: '', shouldRetry: true };
  }
}

/** The wait for other transactions was given up (`lock_timeout`). */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof postgres.PostgresError) return error.code;
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
