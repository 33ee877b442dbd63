import type postgres from 'postgres';
import { DatabaseSetupError } from '../setup-error.ts';

/** The types that will do for each column, the first being the one we make. */
const REQUIRED_COLUMNS = {
  events: { id: ['text', 'character varying'] },
  sectors: { event_id: ['text', 'character varying'], code: ['text', 'character varying'], data: ['jsonb'] },
  tickets: {
    event_id: ['text', 'character varying'],
    id: ['text', 'character varying'],
    is_valid_ticket: ['boolean'],
    entrou: ['boolean'],
    setor: ['text', 'character varying'],
  },
} as const satisfies Record<string, Record<string, readonly string[]>>;

/** @throws DatabaseSetupError for a server that cannot do what observing needs. */
export async function assertServerFits(sql: postgres.Sql): Promise<void> {
  const [server] = await sql<{ version: number; text: string; wal_level: string; recovering: boolean }[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as text,
      current_setting('wal_level') as wal_level, pg_is_in_recovery() as recovering`;
  if (!server) throw new Error('the server did not say its version');
  if (server.version < 150_000) {
    throw new DatabaseSetupError(
      `This is PostgreSQL ${server.text}; publications of single columns came with 15.`,
      'Use PostgreSQL 15 or newer.',
    );
  }
  if (server.recovering) {
    throw new DatabaseSetupError(
      'This server is a standby and cannot be written.',
      'Let MIGRATE_DATABASE_URL and DATABASE_URL name the primary.',
    );
  }
  if (server.wal_level !== 'logical') {
    throw new DatabaseSetupError(
      `The server's wal_level is "${server.wal_level}", so that its changes cannot be observed.`,
      'As a superuser: ALTER SYSTEM SET wal_level = logical; then restart PostgreSQL. (Amazon RDS: rds.logical_replication = 1; Cloud SQL: cloudsql.logical_decoding = on.)',
    );
  }
}

/** Tables that are there already are kept, if they can be observed. @throws DatabaseSetupError if not. */
export async function assertTablesFit(sql: postgres.Sql): Promise<void> {
  for (const [table, columns] of Object.entries(REQUIRED_COLUMNS)) await assertTableFits(sql, table, columns);
}

async function assertTableFits(
  sql: postgres.Sql,
  table: string,
  columns: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const [found] = await sql<
    { oid: number; relkind: string; persistence: string; row_security: boolean; inherited: boolean }[]
  >`
    select c.oid::int8::text as oid, c.relkind, c.relpersistence as persistence, c.relrowsecurity as row_security,
      exists (select from pg_inherits i where c.oid in (i.inhparent, i.inhrelid)) as inherited
    from pg_class c where c.oid = to_regclass(${`public.${table}`})`;
  if (!found) return;
  const name = `public.${table}`;
  if (found.relkind !== 'r' || found.inherited) {
    throw new DatabaseSetupError(
      `${name} is not one plain table (it is partitioned, inherited, a view or the like), and would be observed in part only.`,
      `Rename it, and let the gates write to the plain table that this makes: ALTER TABLE ${name} RENAME TO ${table}_old;`,
    );
  }
  if (found.persistence !== 'p') {
    throw new DatabaseSetupError(
      `${name} is unlogged, so that its changes cannot be observed.`,
      `ALTER TABLE ${name} SET LOGGED;`,
    );
  }
  if (found.row_security) {
    throw new DatabaseSetupError(
      `${name} has row security, which would hide tickets from the counts.`,
      `ALTER TABLE ${name} DISABLE ROW LEVEL SECURITY;`,
    );
  }
  const present = await sql<{ name: string; type: string; not_null: boolean; generated: boolean }[]>`
    select attname as name, format_type(atttypid, null) as type, attnotnull as not_null, attgenerated <> '' as generated
    from pg_attribute where attrelid = to_regclass(${name}) and attnum > 0 and not attisdropped`;
  const mends: string[] = [];
  for (const [column, types] of Object.entries(columns)) {
    const is = present.find((candidate) => candidate.name === column);
    const wanted = types[0] ?? 'text';
    if (!is) {
      mends.push(`ADD COLUMN ${column} ${wanted} NOT NULL`);
      continue;
    }
    if (is.generated) mends.push(`ALTER COLUMN ${column} DROP EXPRESSION`);
    if (!types.includes(is.type))
      mends.push(`ALTER COLUMN ${column} TYPE ${wanted} USING ${column}::${wanted}`);
    if (!is.not_null) mends.push(`ALTER COLUMN ${column} SET NOT NULL`);
  }
  if (mends.length === 0) return;
  throw new DatabaseSetupError(
    `A table ${name} is there already, but not as Triagem needs it.`,
    `ALTER TABLE ${name} ${mends.join(', ')};`,
  );
}
