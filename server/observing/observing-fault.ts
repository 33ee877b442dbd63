import postgres from 'postgres';

/** Why tickets cannot be observed. The message names cause and mend, for the operator. */
export class ObservingFault extends Error {
  /** Whether it may pass by itself. Where not, somebody has to change something first. */
  readonly canPass: boolean;

  constructor(message: string, options: { canPass: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'ObservingFault';
    this.canPass = options.canPass;
  }
}

/** PostgreSQL's error codes (documentation, appendix A) and those of the network, in the operator's words. */
export function toFault(error: unknown): ObservingFault {
  if (error instanceof ObservingFault) return error;
  const message = error instanceof Error ? error.message : String(error);
  const known = (text: string, canPass: boolean): ObservingFault =>
    new ObservingFault(`${text} (${message})`, { canPass, cause: error });

  switch (codeOf(error)) {
    case '28P01':
    case '28000':
      return known(
        'The database refuses the login: correct user and password in DATABASE_URL, and pg_hba.conf',
        false,
      );
    case '3D000':
      return known(
        'DATABASE_URL names a database that does not exist: create it, or correct the name',
        false,
      );
    case '42501':
      return known('The role of DATABASE_URL lacks a privilege: run `npm run migrate`', false);
    case '42P01':
      return known('A table is missing: run `npm run migrate`', false);
    case '53100':
      // Its own words name a file that is another one at each attempt.
      return new ObservingFault('The disk of the database is full: free some space', {
        canPass: true,
        cause: error,
      });
    case '53400':
      return known(
        'All replication slots are in use: raise max_replication_slots, or drop a slot that nobody uses',
        true,
      );
    case '53300':
      return known('The database has no free connection: raise max_connections or max_wal_senders', true);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return known('The host of DATABASE_URL is unknown: correct it, or the name service', true);
    case 'ECONNREFUSED':
      return known(
        'Nobody answers at the address of DATABASE_URL: start PostgreSQL, or correct the address',
        true,
      );
    default:
      return known('The observation failed', true);
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
