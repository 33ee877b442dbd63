import type postgres from 'postgres';
import { prepareForTables } from './backup-contents.ts';
import type { Environment } from '../cli/command.ts';
import { readDatabaseId } from '../cli/database-id.ts';
import { GatesError } from '../cli/errors.ts';
import { withSession } from '../cli/session.ts';
import { connect, findTarget, type Target } from '../cli/target.ts';

/**
 * Returns the target of the record beside the tickets, with the role that adds to it; without a record, the result of
 * `otherwise`.
 *
 * @throws GatesError where there is a record, and no setting names its role.
 */
export async function findRecord<T>(
  env: Environment,
  target: Target,
  otherwise: (target: Target) => T,
): Promise<Target | T> {
  if (env['RECORD_DATABASE_URL']?.trim()) return findTarget(env, 'RECORD_DATABASE_URL');
  const { recordUrl } = target;
  if (recordUrl !== undefined) return { ...target, url: recordUrl, setting: 'RECORD_DATABASE_URL' };
  if (!(await hasRecord(target))) return otherwise(target);
  throw new GatesError(
    'The database has a record of the flow, which the role of the tickets may not read: set RECORD_DATABASE_URL as the ' +
      'board has it, or leave the record out with --only tickets.',
  );
}

/** Returns whether a record is to be in a backup: a board with a desk keeps it, a setting names its role, or it has rows. */
export async function isRecordKept(env: Environment, target: Target): Promise<boolean> {
  const isNamed = Boolean(env['RECORD_DATABASE_URL']?.trim()) || target.recordUrl !== undefined;
  return isNamed || hasRecord(target);
}

/** Any role may ask whether anything was ever recorded. */
async function hasRecord(target: Target): Promise<boolean> {
  const sql = connect(target);
  try {
    const [row] = await sql<{ isThere: boolean }[]>`
      select exists (
        select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'triagem' and c.relname in ('log', 'minutes') and pg_catalog.pg_relation_size(c.oid) > 0
      ) as "isThere"`;
    return row?.isThere === true;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Runs `work` with the record as of the snapshot of `gates`, a `repeatable read` transaction. A record in another database
 * is read as of a moment later.
 */
export async function withRecordAsOf<T>(
  gates: postgres.Sql,
  record: Target | undefined,
  stop: AbortSignal,
  work: (record: postgres.Sql | undefined) => Promise<T>,
): Promise<T> {
  if (!record) return work(undefined);
  const databaseId = await readDatabaseId(gates);
  const [exported] = await gates<{ snapshot: string }[]>`select pg_export_snapshot() as snapshot`;
  return withSession(record, stop, async (session) => {
    const isSame = (await readDatabaseId(session.sql)) === databaseId;
    return session.transaction('', async (sql) => {
      await sql`set transaction isolation level repeatable read read only`;
      if (isSame && exported) await sql.unsafe(`set transaction snapshot '${exported.snapshot}'`);
      await prepareForTables(sql);
      return work(sql);
    });
  });
}
