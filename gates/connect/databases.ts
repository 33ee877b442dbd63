import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import { explainDatabaseError, type TargetSetting } from '../cli/database-errors.ts';
import { errorCode, errorMessage, GatesError, UsageError } from '../cli/errors.ts';
import { findPrimaryUrl } from '../cli/primary.ts';
import { connect, type Target } from '../cli/target.ts';
import type { Environment } from '../cli/command.ts';

export interface Place {
  readonly sql: postgres.Sql;
  readonly setting: TargetSetting;
}

/** The settings by which values become texts and dates, and texts values, and `= null` is true of null, or is not. */
const SETTINGS = [
  'TimeZone',
  'DateStyle',
  'IntervalStyle',
  'array_nulls',
  'bytea_output',
  'extra_float_digits',
  'transform_null_equals',
  'xmlbinary',
  'xmloption',
];

/** The database of the board and that of the ticketing system, each with the role that a step needs. */
export interface Databases {
  /** May make a subscription in the board's database. */
  readonly here: Place;
  /** Owns the tables of the ticketing system. */
  readonly owner: Place;
  /** Reads them, and replicates. */
  readonly reader: Place;
  /** The connection string of the reader, which the board's database keeps. */
  readonly sourceUrl: string;
  /** The name of the reader's role. */
  readonly readerRole: string;
  /** What the owner's sessions have of SETTINGS. */
  readonly sourceSettings: readonly (readonly [name: string, value: string])[];
}

/** @throws GatesError with cause and fix where one of the databases fails; else what `work` throws. */
export async function withDatabases<T>(
  env: Environment,
  target: Target,
  work: (databases: Databases) => Promise<T>,
): Promise<T> {
  const sourceUrl = env['SOURCE_DATABASE_URL']?.trim();
  if (!sourceUrl) {
    throw new UsageError(
      'SOURCE_DATABASE_URL is not set: it names the database of the ticketing system, with a role that replicates.',
    );
  }
  const ownerUrl = env['SOURCE_OWNER_URL']?.trim() || sourceUrl;
  const ownerSetting = ownerUrl === sourceUrl ? 'SOURCE_DATABASE_URL' : 'SOURCE_OWNER_URL';
  const opened: postgres.Sql[] = [];
  const open = async (url: string, setting: TargetSetting): Promise<Place> => {
    // With the settings that its sessions have of themselves, for `sourceSettings`.
    const sql = connect({ url: await findPrimaryUrl(url, setting, false) }, 1, undefined, {});
    opened.push(sql);
    return { sql, setting };
  };
  try {
    const here = await open(await hereUrl(env, target), 'MIGRATE_DATABASE_URL');
    const reader = await open(sourceUrl, 'SOURCE_DATABASE_URL');
    const owner = ownerUrl === sourceUrl ? reader : await open(ownerUrl, ownerSetting);
    const [role] = await at(reader, (sql) => sql<[{ name: string }]>`select current_user::text as name`);
    const settings = await at(
      owner,
      (sql) => sql<{ name: string; setting: string }[]>`
        select name, setting from pg_settings where name in ${sql([...SETTINGS])} order by name`,
    );
    const sourceSettings = settings.map(({ name, setting }) => [name, setting] as const);
    return await work({ here, owner, reader, sourceUrl, readerRole: role.name, sourceSettings });
  } finally {
    await Promise.all(opened.map((sql) => sql.end({ timeout: 1 })));
  }
}

/** Returns the connection string of the setting, else that of the embedded database's superuser. */
async function hereUrl(env: Environment, { folder, url }: Target): Promise<string> {
  const given = env['MIGRATE_DATABASE_URL']?.trim();
  if (given) return given;
  if (folder === undefined) {
    throw new UsageError(
      'MIGRATE_DATABASE_URL is not set: it names the database of the board, with a role that may make a subscription.',
    );
  }
  const secrets = JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8')) as { superuser: string };
  return Object.assign(new URL(url), { username: 'postgres', password: secrets.superuser }).href;
}

/** Returns a connection string with `PASSWORD` in place of its password, if it has one. */
export function hidePassword(url: string): string {
  return url
    .replace(/^(\w+:\/\/[^:@/?#]*:)[^/?#]*@/, '$1PASSWORD@')
    .replace(/([?&]password=)[^&#]*/, '$1PASSWORD');
}

/** Runs statements at one of the databases. @throws GatesError with cause and fix where it fails; else what `work` throws. */
export async function at<T>({ sql, setting }: Place, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  try {
    return await work(sql);
  } catch (error) {
    throw await explainPlace(error, setting);
  }
}

async function explainPlace(error: unknown, setting: TargetSetting): Promise<Error> {
  if (errorCode(error) === '42501') {
    const fix =
      setting === 'MIGRATE_DATABASE_URL'
        ? 'let it name a superuser, or a member of pg_create_subscription that owns the tables of Triagem and may create in the database'
        : 'let SOURCE_OWNER_URL name the owner of their tables, and SOURCE_DATABASE_URL a role with REPLICATION';
    return new GatesError(
      `The role of ${setting} has too few rights (${errorMessage(error)}): ${fix}.`,
      1,
      error,
    );
  }
  // The schema is theirs, and not for a migration of ours to mend.
  if (setting !== 'MIGRATE_DATABASE_URL' && ['42P01', '42703'].includes(errorCode(error) ?? ''))
    return new GatesError(`The source cannot answer this: ${errorMessage(error)}.`, 1, error);
  return explainDatabaseError(error, { folder: undefined, setting });
}
