import { DatabaseSetupError } from './setup-error.ts';

/** Why a connection to PostgreSQL cannot be used, for the operator. */
export interface ConnectionFault {
  readonly cause: string;
  readonly fix: string;
  /** Whether the cause may go by itself. */
  readonly shouldRetry: boolean;
  /** Several hosts are named, and a standby among them may become the primary at any moment. */
  readonly awaitsPromotion?: boolean;
}

/** An error whose fault is known. */
export class ConnectionFaultError extends Error {
  override readonly name = 'ConnectionFaultError';
  readonly fault: ConnectionFault;

  constructor(fault: ConnectionFault) {
    super(describeFault(fault));
    this.fault = fault;
  }
}

/** The setting that names the server, or the data folder of the embedded one. */
export type ServerPlace =
  | { readonly setting: string; readonly dataDir?: undefined }
  | { readonly dataDir: string };

/** For a pooler that is set to ignore the parameters of a session; one that refuses them causes error 08P01. */
export function poolerFault(place: ServerPlace): ConnectionFault {
  return {
    cause: `${nameOf(place)} leads to a pooler such as PgBouncer, through which nothing can be observed or recorded`,
    fix: 'name the host and port of PostgreSQL itself',
    shouldRetry: false,
  };
}

export function standbyFault(place: ServerPlace): ConnectionFault {
  return {
    cause: `The server of ${nameOf(place)} is a standby, which can be neither observed nor written`,
    fix: 'name the primary',
    shouldRetry: false,
  };
}

/** Explains error codes of PostgreSQL (documentation, appendix A), of the network and of the library; undefined: another one. */
export function connectionFault(error: unknown, place: ServerPlace): ConnectionFault | undefined {
  if (error instanceof ConnectionFaultError) return error.fault;
  const at = nameOf(place);
  const isEmbedded = place.dataDir !== undefined;
  switch (connectionCode(error)) {
    case '28P01':
    case '28000':
      return {
        cause: 'The database refuses the login',
        fix: `correct user and password in ${at}, and pg_hba.conf`,
        shouldRetry: false,
      };
    case '3D000':
      return {
        cause: `${at} names a database that does not exist`,
        fix: 'create it, or correct the name',
        shouldRetry: false,
      };
    case '08P01':
      return messageOf(error).includes('unsupported startup parameter') ? poolerFault(place) : undefined;
    case '42704':
      if (!messageOf(error).startsWith('unrecognized configuration parameter')) return undefined;
      return {
        cause: `${at} sets a parameter that the database does not know`,
        fix: 'leave it out',
        shouldRetry: false,
      };
    case '53100':
      return {
        cause: isEmbedded
          ? `The disk of the data folder ${place.dataDir} is full`
          : `The disk of the server of ${at} is full`,
        fix: 'free some space',
        shouldRetry: true,
      };
    case '40003':
      return {
        cause: 'The database did not wait for its synchronous standby',
        fix: 'let the standby run',
        shouldRetry: true,
      };
    case '53300':
      return {
        cause: 'The database has no free connection',
        fix: 'raise max_connections or max_wal_senders',
        shouldRetry: true,
      };
    case '57P03':
      return {
        cause: 'The database takes no connections while it starts, recovers or stops',
        fix: isEmbedded
          ? 'its log reports the progress'
          : 'wait for it; if it is a standby, name the primary',
        shouldRetry: true,
      };
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        cause: `The host of ${at} is unknown`,
        fix: 'correct it, or the name service',
        shouldRetry: true,
      };
    case 'ECONNREFUSED':
      return isEmbedded
        ? {
            cause: 'The embedded PostgreSQL does not run',
            fix: 'it is being started again',
            shouldRetry: true,
          }
        : {
            cause: `Nobody answers at the address of ${at}`,
            fix: 'start PostgreSQL, or correct the address',
            shouldRetry: true,
          };
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'CONNECT_TIMEOUT':
      return {
        cause: `No answer comes from the address of ${at}`,
        fix: 'correct host and port, or let the firewall pass them',
        shouldRetry: true,
      };
    case 'CONNECTION_CLOSED':
    case 'ECONNRESET':
    case 'EPIPE':
      return {
        cause: 'The database closed the connection',
        fix: 'its log has the reason',
        shouldRetry: true,
      };
    default:
      return undefined;
  }
}

export function describeFault({ cause, fix }: Pick<ConnectionFault, 'cause' | 'fix'>): string {
  return fix === '' ? cause : `${cause}: ${fix}`;
}

/** Returns the error that ends a migration: cause, then fix. */
export function setupError({ cause, fix }: ConnectionFault, error?: unknown): DatabaseSetupError {
  const detail = error === undefined ? '' : connectionDetail(error);
  const sentence = `${fix.charAt(0).toUpperCase()}${fix.slice(1)}.`;
  return new DatabaseSetupError(`${cause}${detail}.`, sentence, { cause: error });
}

/**
 * Returns the error's own message in parentheses, with host and port where they failed. Empty where it adds nothing: a full
 * disk names another file at each attempt, and an embedded server is started by this process.
 */
export function connectionDetail(error: unknown, place?: ServerPlace): string {
  if (error instanceof ConnectionFaultError) return '';
  const code = connectionCode(error);
  if (code === '53100' || (code === 'ECONNREFUSED' && place?.dataDir !== undefined)) return '';
  const message = messageOf(error);
  // The library's message: "write CONNECT_TIMEOUT 127.0.0.1:5432".
  const timedOut = /^write CONNECT_TIMEOUT (.+)$/.exec(message)?.[1];
  if (timedOut !== undefined) return ` (${timedOut} was reached, but did not answer in time)`;
  return ` (${message.replace(/^write CONNECTION_CLOSED /, 'to ')})`;
}

/** SQLSTATE, errno code or the library's code. */
function connectionCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function messageOf(error: unknown): string {
  // A name with several addresses has one error for each.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

export function nameOf(place: ServerPlace): string {
  return place.dataDir === undefined ? place.setting : 'the embedded database';
}
