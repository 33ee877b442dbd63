import { isDiskFull } from './disk.ts';
import { errorCode, errorMessage, GatesError, TryAgainError, UsageError } from './errors.ts';

/** The setting that names a database and a role. */
export type TargetSetting =
  | 'GATES_DATABASE_URL'
  | 'RECORD_DATABASE_URL'
  | 'MIGRATE_DATABASE_URL'
  | 'SOURCE_DATABASE_URL'
  | 'SOURCE_OWNER_URL';

export interface DatabasePlace {
  readonly setting: TargetSetting;
  /** The data folder of the embedded database; undefined where the setting names another. */
  readonly folder: string | undefined;
}

/**
 * Returns an error whose message has cause and fix for the person at the keyboard. An error that has them already is
 * returned as it is. A TryAgainError means that the state of the database is at fault, not the statement.
 */
export async function explainDatabaseError(error: unknown, place: DatabasePlace): Promise<Error> {
  if (error instanceof GatesError || error instanceof UsageError) return error;
  const { folder, setting } = place;
  const code = errorCode(error);
  if (code === '53100' || (isUnreachable(code) && folder !== undefined && (await isDiskFull(folder)))) {
    return new TryAgainError(diskFull(place), error);
  }
  const name = folder === undefined ? `The database of ${setting}` : `The database in ${folder}`;
  const fix = BY_MESSAGE.find(([words]) => words.test(errorMessage(error)))?.[1] ?? FIXES[code ?? ''];
  if (fix !== undefined) return new TryAgainError(`${name} ${fix} (${errorMessage(error)}).`, error);
  if (isUnreachable(code)) {
    const hint = folder === undefined ? '' : ` ${COMES_BACK}`;
    return new TryAgainError(`${name} does not answer: ${withoutAddress(error)}.${hint}`, error);
  }
  const message = `${name} refused this: ${errorMessage(error)}.`;
  return SQLSTATE.test(code ?? '') && !ABOUT_DATA.test(code ?? '')
    ? new TryAgainError(message, error)
    : new GatesError(message, 1, error);
}

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** SQLSTATE classes about rows: bad values, constraints, and errors that a gate system's functions raise. */
const ABOUT_DATA = /^(22|23|44|P0)/;

export function diskFull({ folder, setting }: DatabasePlace): string {
  const where = folder === undefined ? `of ${setting}` : `in ${folder}`;
  return (
    `The disk of the database ${where} is full: free some space on it. Then a command that failed can be given again; ` +
    'a board and "listen" that run go on by themselves. Nothing that was committed is lost.'
  );
}

const COMES_BACK =
  'A running board brings its database back by itself; one that has ended, start with "npm start".';

const FIXES: Readonly<Record<string, string>> = {
  '28P01': 'refuses the login: correct user and password',
  '28000': 'refuses the login: correct the user, and pg_hba.conf',
  '3D000': 'does not exist: create it, or correct its name',
  '42501': 'gives this role too few rights: run "npm run migrate"',
  '42P01': 'lacks a table: run "npm run migrate"',
  '42703': 'lacks a column: run "npm run migrate"',
  '42P10': 'lacks a constraint: run "npm run migrate"',
  '25006': 'is a standby, or read-only: name the primary',
  '57P03': 'is starting or stopping: try again in a moment',
  '40P01': 'stopped this, as it and another transaction waited for each other: try again',
  '40003': 'did not wait for its synchronous standby',
  '53300': 'has no free connection: try again, or raise max_connections',
  ENOTFOUND: 'has a host that nobody knows: correct it, or the name service',
  EAI_AGAIN: 'has a host that nobody knows: correct it, or the name service',
};

/** What the owner of the tables runs, as they must have no row security (docs/install.md). */
export const WITHOUT_ROW_SECURITY = 'as their owner, ALTER TABLE public.tickets DISABLE ROW LEVEL SECURITY';
/** Fixes that their code does not tell apart. */
const BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/row-level security/, `has row security on a table: ${WITHOUT_ROW_SECURITY}`],
  [
    /permission denied for sequence/,
    'lets this role take no number from a sequence: GRANT USAGE ON SEQUENCE … TO the role, as its owner',
  ],
];

/** Broken, refused or silent connections, and servers that start or stop. */
function isUnreachable(code: string | undefined): boolean {
  return code !== undefined && /^(CONNECT|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|57P0|08)/.test(code);
}

/** postgres.js reports its own states in capitals, with a port that it did not use. */
function withoutAddress(error: unknown): string {
  switch (errorCode(error)) {
    case 'CONNECT_TIMEOUT':
      return 'nobody answered in time';
    case 'CONNECTION_CLOSED':
    case 'CONNECTION_DESTROYED':
    case 'CONNECTION_ENDED':
      return 'it closed the connection';
    default:
      return errorMessage(error);
  }
}
