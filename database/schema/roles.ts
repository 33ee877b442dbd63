import type postgres from 'postgres';
import {
  KEPT_COLUMNS,
  OBSERVED_COLUMNS,
  OBSERVER_GRANTS_SQL,
  TABLES,
} from '../../board/sources/postgres/contract.ts';
import { quoteIdentifier } from '../with-connection.ts';
import { readOwner } from './owner.ts';
import type { Step } from './step.ts';
import { scramVerifier } from '../scram-verifier.ts';
import { DatabaseSetupError, errorCode } from '../setup-error.ts';

/** A role that a setting names. */
export interface Login {
  readonly setting: string;
  readonly name: string;
  readonly password: string;
}

export type Report = (step: Step) => void;

/**
 * Ensures that each login exists, and that the observer may replicate. One message has the statements that the owner may not
 * run, for a superuser.
 *
 * @throws DatabaseSetupError
 */
export async function ensureLogins(
  sql: postgres.Sql,
  observer: Login | undefined,
  writers: readonly Login[],
  report: Report,
): Promise<void> {
  if (observer) await assertNoPower(sql, observer, ['public.tickets'], MORE_THAN_OBSERVE);
  const left: string[] = [];
  for (const login of observer ? [observer, ...writers] : writers) {
    left.push(...(await ensureLogin(sql, login, login === observer, report)));
  }
  if (left.length > 0) throw await forSuperuser(sql, left);
}

/**
 * It comes before any change to a role: one with power over the tables could grant itself again what is revoked, and revoking
 * would harm its own work.
 *
 * @throws DatabaseSetupError
 */
export async function assertNoPower(
  sql: postgres.Sql,
  login: Login,
  tables: readonly string[],
  what: string,
): Promise<void> {
  for (const table of tables) {
    const power = await powerOver(sql, login.name, table);
    if (power !== null) throw tooMuch(login, what, power);
  }
}

const MORE_THAN_OBSERVE = 'more than observe';

/** Grants the rights of the server's role: it observes the five columns, sectors and event details, and writes nothing. */
export async function ensureObserver(sql: postgres.Sql, login: Login, report: Report): Promise<void> {
  const role = quoteIdentifier(login.name);
  const grants = [
    await connectGrant(sql, role),
    ...OBSERVER_GRANTS_SQL.map((grant) => `GRANT ${grant} TO ${role}`),
  ];
  const before = await observerRights(sql, login.name);
  const isRight = before.reads && before.excess === null;
  if (!isRight) {
    const revokes = TABLES.map((table) => `REVOKE ALL ON public.${table} FROM ${role}`);
    await grantAll(sql, [...revokes, ...grants]);
    const after = await observerRights(sql, login.name);
    if (after.excess !== null) throw tooMuch(login, MORE_THAN_OBSERVE, after.excess);
    // PostgreSQL only warns where it may grant some of the rights, but not this one.
    if (!after.reads) throw await forOwner(sql, grants);
  }
  report({ what: `role ${role} may read what the counts need, and no more`, done: !isRight });
}

/** Grants the rights of the gates' role: it reads and writes all tables. */
export async function ensureGates(sql: postgres.Sql, login: Login, report: Report): Promise<void> {
  const role = quoteIdentifier(login.name);
  const [rights] = await sql<{ complete: boolean }[]>`
    select has_schema_privilege(r.oid, 'public', 'usage')
      and has_database_privilege(r.oid, current_database(), 'connect')
      and has_database_privilege(r.oid, current_database(), 'temporary')
      and (select bool_and(has_table_privilege(r.oid, 'public.' || t, p))
        from unnest(string_to_array(${TABLES.join()}, ',')) t, unnest(array['select', 'insert', 'update', 'delete']) p)
      as complete
    from pg_roles r where r.rolname = ${login.name}`;
  const isRight = rights?.complete === true;
  if (!isRight) {
    await grantAll(sql, [
      await connectGrant(sql, role, 'CONNECT, TEMPORARY'),
      `GRANT USAGE ON SCHEMA public TO ${role}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ${TABLES.map((table) => `public.${table}`).join(', ')} TO ${role}`,
    ]);
  }
  report({ what: `role ${role} may write tickets, sectors, events and their details`, done: !isRight });
}

/** Returns the statements that are left for a superuser. */
async function ensureLogin(
  sql: postgres.Sql,
  login: Login,
  replicates: boolean,
  report: Report,
): Promise<string[]> {
  const role = quoteIdentifier(login.name);
  const [found] = await sql<{ rolcanlogin: boolean }[]>`
    select rolcanlogin from pg_roles where rolname = ${login.name}`;
  if (!found && login.password === '') {
    throw new DatabaseSetupError(
      `The role ${role} of ${login.setting} is missing, and cannot be created without a password.`,
      `Put a password into ${login.setting}.`,
    );
  }
  if (!found) {
    const create = (attributes: string): string =>
      `CREATE ROLE ${role} ${attributes} PASSWORD '${scramVerifier(login.password)}'`;
    // A role that may create roles may still not be allowed to grant REPLICATION.
    const whole = create(replicates ? 'LOGIN REPLICATION' : 'LOGIN');
    if (!(await isAllowed(sql, whole)) && !(await isAllowed(sql, create('LOGIN')))) return [whole];
  } else if (!found.rolcanlogin && !(await isAllowed(sql, `ALTER ROLE ${role} LOGIN`))) {
    return [`ALTER ROLE ${role} ${replicates ? 'LOGIN REPLICATION' : 'LOGIN'}`];
  }
  report({ what: `role ${role}`, done: found?.rolcanlogin !== true });
  if (!replicates) return [];

  const mayReplicate = await canReplicate(sql, login.name);
  const grant = `ALTER ROLE ${role} REPLICATION`;
  if (!mayReplicate && !(await isAllowed(sql, grant))) return [grant];
  report({ what: `role ${role} may replicate`, done: !mayReplicate });
  return [];
}

async function canReplicate(sql: postgres.Sql, name: string): Promise<boolean> {
  const [role] = await sql<{ may: boolean }[]>`
    select r.rolreplication or r.rolsuper or coalesce(
      (select pg_has_role(r.oid, m.oid, 'usage') from pg_roles m where m.rolname = 'rds_replication'), false) as may
    from pg_roles r where r.rolname = ${name}`;
  return role?.may === true;
}

/** Returns why no grant can restrict the role; null if one can. Tables that do not exist yet will be the current user's. */
async function powerOver(sql: postgres.Sql, name: string, table: string): Promise<string | null> {
  const [row] = await sql<{ power: string | null }[]>`
    select case
        when r.rolsuper then 'it is a superuser'
        when pg_has_role(r.oid, coalesce(c.relowner, owner.oid), 'member')
          then ${`it owns ${table}, or is a member of the role that does`}
      end as power
    from pg_roles r join pg_roles owner on owner.rolname = current_user
      left join (pg_class c join pg_namespace n on n.oid = c.relnamespace) on n.nspname || '.' || c.relname = ${table}
    where r.rolname = ${name}`;
  return row?.power ?? null;
}

/** `excess` names a right that the observer must not have, and has by itself, through PUBLIC or another role. */
async function observerRights(
  sql: postgres.Sql,
  name: string,
): Promise<{ reads: boolean; excess: string | null }> {
  const [rights] = await sql<{ reads: boolean; excess: string | null }[]>`
    select has_schema_privilege(r.oid, 'public', 'usage')
      and has_database_privilege(r.oid, current_database(), 'connect')
      and has_table_privilege(r.oid, 'public.sectors', 'select')
      and has_table_privilege(r.oid, 'public.event_details', 'select')
      and has_table_privilege(r.oid, 'public.refused_readings', 'select')
      and (select bool_and(has_column_privilege(r.oid, 'public.kept_readings', c, 'select'))
        from unnest(string_to_array(${KEPT_COLUMNS.join()}, ',')) c)
      and (select bool_and(has_column_privilege(r.oid, 'public.tickets', c, 'select'))
        from unnest(string_to_array(${OBSERVED_COLUMNS.join()}, ',')) c) as reads,
      (
        select string_agg(upper(p) || ' on public.' || t, ', ')
        from unnest(string_to_array(${TABLES.join()}, ',')) t,
          unnest(array['insert', 'update', 'delete', 'truncate']) p
        where has_table_privilege(r.oid, 'public.' || t, p)
          or p in ('insert', 'update') and has_any_column_privilege(r.oid, 'public.' || t, p)
      ) as excess
    from pg_roles r where r.rolname = ${name}`;
  return rights ?? { reads: false, excess: null };
}

/** `what` it may do, by the right of `excess`. */
export function tooMuch(login: Login, what: string, excess: string): DatabaseSetupError {
  return new DatabaseSetupError(
    `The role ${quoteIdentifier(login.name)} of ${login.setting} may do ${what}: ${excess}.`,
    `Let ${login.setting} name a role of its own (it is created here), or take the rights away from PUBLIC and from the roles it is a member of.`,
  );
}

export async function connectGrant(sql: postgres.Sql, role: string, rights = 'CONNECT'): Promise<string> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`;
  return `GRANT ${rights} ON DATABASE ${quoteIdentifier(row?.name ?? '')} TO ${role}`;
}

/** Runs a statement; returns false where the rights for it are missing. */
async function isAllowed(sql: postgres.Sql, statement: string): Promise<boolean> {
  try {
    await sql.unsafe(statement);
    return true;
  } catch (error) {
    if (errorCode(error) !== '42501') throw error;
    return false;
  }
}

/** Runs the statements in one transaction. */
export async function grantAll(sql: postgres.Sql, statements: readonly string[]): Promise<void> {
  try {
    await sql.begin(async (transaction) => {
      for (const statement of statements) await transaction.unsafe(statement);
    });
  } catch (error) {
    if (errorCode(error) !== '42501') throw error;
    throw await forOwner(sql, statements, error);
  }
}

/** The statements hold the password as the server would store it: they can be passed on. */
async function forSuperuser(sql: postgres.Sql, statements: readonly string[]): Promise<DatabaseSetupError> {
  const [server] = await sql<{ major: number }[]>`
    select current_setting('server_version_num')::int / 10000 as major`;
  const major = server?.major ?? 0;
  const needs =
    major < 16
      ? `CREATEROLE, and on PostgreSQL ${major} only a superuser gives REPLICATION`
      : 'CREATEROLE, and REPLICATION itself to give that to another';
  const hint = statements.some((statement) => statement.includes('REPLICATION'))
    ? ' On Amazon RDS, in place of REPLICATION: GRANT rds_replication TO the role.'
    : '';
  return new DatabaseSetupError(
    `The user of MIGRATE_DATABASE_URL may not set up these roles: it needs ${needs}.`,
    `As a superuser run\n\n${statements.map((statement) => `  ${statement};\n`).join('')}\nand then this again: it does the rest.${hint}`,
  );
}

export async function forOwner(
  sql: postgres.Sql,
  statements: readonly string[],
  cause?: unknown,
): Promise<DatabaseSetupError> {
  return new DatabaseSetupError(
    'The user of MIGRATE_DATABASE_URL may not give the rights that a role needs.',
    `As ${await readOwner(sql)}, or a superuser, run in this database\n\n${statements.map((statement) => `  ${statement};\n`).join('')}\nand then this again.`,
    { cause },
  );
}
