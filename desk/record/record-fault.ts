import {
  connectionDetail,
  connectionFault,
  type ConnectionFault,
  describeFault,
  type ServerPlace,
} from '../../database/connection-fault.ts';
import { errorCode } from '../../database/setup-error.ts';
import { OperatorError } from '../../domain/operator-error.ts';

/** The record cannot be used; the message names cause and fix for the operator. */
export class RecordError extends OperatorError {
  override readonly name = 'RecordError';
}

const MIGRATE = 'set RECORD_DATABASE_URL and run `npm run migrate`';

export function toRecordError(error: unknown, place: ServerPlace): RecordError {
  if (error instanceof RecordError) return error;
  const fault = recordFault(error) ??
    connectionFault(error, place) ?? { cause: 'The record failed', fix: '' };
  return new RecordError(`${describeFault(fault)}${connectionDetail(error, place)}`, { cause: error });
}

/** The tables of the record are missing, as in a database that an earlier version prepared. */
export function notPrepared(): RecordError {
  return new RecordError(`The database has no tables for the record yet: ${MIGRATE}`);
}

/** The tables of an earlier version refuse the ID of this event. */
export function tooOld(): RecordError {
  return new RecordError(
    `The tables of the record take no event but those of 32 hexadecimal characters yet: ${MIGRATE}`,
  );
}

/** What was recorded of this event is of a real match, and this server's is simulated, or the other way round. */
export function ofAnotherKind(isSimulated: boolean): RecordError {
  return new RecordError(
    isSimulated
      ? 'What is recorded of this event is real, and SIMULATED is set: take it out, or practise with another EVENT_ID or a copy'
      : 'What is recorded of this event was simulated (SIMULATED): go back to the copy from before it, or take another EVENT_ID',
  );
}

function recordFault(error: unknown): Omit<ConnectionFault, 'shouldRetry'> | undefined {
  switch (errorCode(error)) {
    case '28P01':
    case '28000':
      return {
        cause: "The database refuses the record's login",
        fix: `correct user and password in RECORD_DATABASE_URL, or run \`npm run migrate\` with it, which makes the role`,
      };
    case '3F000':
    case '42P01':
      return { cause: 'The database has no tables for the record yet', fix: MIGRATE };
    case '42501':
      return { cause: "The record's role lacks a right", fix: MIGRATE };
    case '23505':
      return {
        cause: 'Something has added to the log beside this process',
        fix: 'a restore does, and it is read again; else, RECORD_DATABASE_URL is for Triagem alone',
      };
    case '25006':
      return { cause: "The record's database is read-only", fix: 'name the primary, or free its disk' };
    case '55P03':
      return { cause: "A transaction holds a lock on the record's tables", fix: 'end it' };
    case '57P05':
      return {
        cause: "The record's session was silent for too long",
        fix: 'this process was stopped, or too busy',
      };
    default:
      return undefined;
  }
}

/** Whether the contents of a row were refused, and would be again. */
export function isRefusedRow(error: unknown): boolean {
  return error instanceof RangeError || (/^(22|23)...$/.test(errorCode(error) ?? '') && !isTakenPlace(error));
}

/** Whether something without the lock has added to the log. */
export function isTakenPlace(error: unknown): boolean {
  return errorCode(error) === '23505';
}
