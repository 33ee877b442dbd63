import type postgres from 'postgres';
import { quoteIdentifier } from '../with-connection.ts';
import type { Step } from './step.ts';
import { scramVerifier } from '../scram-verifier.ts';
import { DatabaseSetupError, errorCode } from '../setup-error.ts';

/** A role that a setting names. */
export interface Login {
  readonly setting: string;
  readonly name: string;
  readonly password: string;
}

type Report = (step: Step) => void;

/** The server's role: may observe the five columns and the sectors, and write nothing. */
export async function ensureObserver(sql: postgres.Sql, login: Login, report: Report): Promise<void> {
  const role = quoteIdentifier(login.name);
  await ensureLogin(sql, login, 'LOGIN REPLICATION', report);
  // Before any REVOKE: such a role can give itself back what is taken, and taking it would harm its own work.
  const power = await powerOverTables(sql, login.name);
  if (power !== null) throw tooMuch(login, role, power);

  const mayReplicate = await canReplicate(sql, login.name);
  if (!mayReplicate) await asFarAsAllowed(sql, [`ALTER ROLE ${role} REPLICATION`], REPLICATION_HINT);
  report({ what: `role ${role} may replicate`, done: !mayReplicate });

  const grants = [
    await connectGrant(sql, role),
    `GRANT USAGE ON SCHEMA public TO ${role}`,
    `GRANT SELECT (event_id, id, is_valid_ticket, entrou, setor) ON public.tickets TO ${role}`,
    `GRANT SELECT ON public.sectors TO ${role}`,
  ];
  const before = await observerRights(sql, login.name);
  const isRight = before.reads && before.excess === null;
  if (!isRight) {
    const revokes = ['tickets', 'sectors', 'events'].map(
      (table) => `REVOKE ALL ON public.${table} FROM ${role}`,
    );
    await asFarAsAllowed(sql, [...revokes, ...grants]);
    const { excess } = await observerRights(sql, login.name);
    if (excess !== null) throw tooMuch(login, role, excess);
  }
  report({ what: `role ${role} may read what the counts need, and no more`, done: !isRight });
}

/** The gates' role: reads and writes tickets, events and sectors. */
export async function ensureGates(sql: postgres.Sql, login: Login, report: Report): Promise<void> {
  const role = quoteIdentifier(login.name);
  await ensureLogin(sql, login, 'LOGIN', report);
  const [rights] = await sql<{ complete: boolean }[]>`
    select has_schema_privilege(r.oid, 'public', 'usage')
      and has_database_privilege(r.oid, current_database(), 'connect')
      and has_database_privilege(r.oid, current_database(), 'temporary')
      and (select bool_and(has_table_privilege(r.oid, 'public.' || t, p))
        from unnest(array['tickets', 'events', 'sectors']) t, unnest(array['select', 'insert', 'update', 'delete']) p)
      as complete
    from pg_roles r where r.rolname = ${login.name}`;
  const isRight = rights?.complete === true;
  if (!isRight) {
    await asFarAsAllowed(sql, [
      await connectGrant(sql, role, 'CONNECT, TEMPORARY'),
      `GRANT USAGE ON SCHEMA public TO ${role}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON public.tickets, public.events, public.sectors TO ${role}`,
    ]);
  }
  report({ what: `role ${role} may write tickets, events and sectors`, done: !isRight });
}

const REPLICATION_HINT = 'On Amazon RDS: GRANT rds_replication TO the role instead.';

async function ensureLogin(
  sql: postgres.Sql,
  login: Login,
  attributes: string,
  report: Report,
): Promise<void> {
  const role = quoteIdentifier(login.name);
  const [found] = await sql<{ rolcanlogin: boolean }[]>`
    select rolcanlogin from pg_roles where rolname = ${login.name}`;
  if (!found) {
    if (login.password === '') {
      throw new DatabaseSetupError(
        `The role ${role} of ${login.setting} is missing, and cannot be created without a password.`,
        `Put a password into ${login.setting}.`,
      );
    }
    try {
      await sql.unsafe(`create role ${role} ${attributes} password '${scramVerifier(login.password)}'`);
    } catch (error) {
      if (errorCode(error) !== '42501') throw error;
      throw notAllowed(`CREATE ROLE ${role} ${attributes} PASSWORD 'the one in ${login.setting}'`, error);
    }
  } else if (!found.rolcanlogin) {
    await asFarAsAllowed(sql, [`ALTER ROLE ${role} LOGIN`]);
  }
  report({ what: `role ${role} of ${login.setting}`, done: found?.rolcanlogin !== true });
}

async function canReplicate(sql: postgres.Sql, name: string): Promise<boolean> {
  const [role] = await sql<{ may: boolean }[]>`
    select r.rolreplication or r.rolsuper or coalesce(
      (select pg_has_role(r.oid, m.oid, 'usage') from pg_roles m where m.rolname = 'rds_replication'), false) as may
    from pg_roles r where r.rolname = ${name}`;
  return role?.may === true;
}

/** Why no grant can hold the role back; null if one can. */
async function powerOverTables(sql: postgres.Sql, name: string): Promise<string | null> {
  const [row] = await sql<{ power: string | null }[]>`
    select case
        when r.rolsuper then 'it is a superuser'
        when pg_has_role(r.oid, c.relowner, 'member') then 'it owns public.tickets, or is a member of the role that does'
      end as power
    from pg_roles r, pg_class c where r.rolname = ${name} and c.oid = to_regclass('public.tickets')`;
  return row?.power ?? null;
}

/** `excess` names a right that the observer has and must not have, by itself, through PUBLIC or another role. */
async function observerRights(
  sql: postgres.Sql,
  name: string,
): Promise<{ reads: boolean; excess: string | null }> {
  const [rights] = await sql<{ reads: boolean; excess: string | null }[]>`
    select has_schema_privilege(r.oid, 'public', 'usage')
      and has_database_privilege(r.oid, current_database(), 'connect')
      and has_table_privilege(r.oid, 'public.sectors', 'select')
      and (select bool_and(has_column_privilege(r.oid, 'public.tickets', c, 'select'))
        from unnest(array['event_id', 'id', 'is_valid_ticket', 'entrou', 'setor']) c) as reads,
      (
        select string_agg(upper(p) || ' on public.' || t, ', ')
        from unnest(array['tickets', 'sectors', 'events']) t,
          unnest(array['insert', 'update', 'delete', 'truncate']) p
        where has_table_privilege(r.oid, 'public.' || t, p)
          or p in ('insert', 'update') and has_any_column_privilege(r.oid, 'public.' || t, p)
      ) as excess
    from pg_roles r where r.rolname = ${name}`;
  return rights ?? { reads: false, excess: null };
}

function tooMuch(login: Login, role: string, excess: string): DatabaseSetupError {
  return new DatabaseSetupError(
    `The role ${role} of ${login.setting} may do more than observe: ${excess}.`,
    `Let ${login.setting} name a role of its own (it is created here), or take the rights away from PUBLIC and from the roles it is a member of.`,
  );
}

async function connectGrant(sql: postgres.Sql, role: string, rights = 'CONNECT'): Promise<string> {
  const [row] = await sql<{ name: string }[]>`select current_database() as name`;
  return `GRANT ${rights} ON DATABASE ${quoteIdentifier(row?.name ?? '')} TO ${role}`;
}

/** Runs the statements in one transaction; without the right to, says them, for somebody who has it. */
async function asFarAsAllowed(sql: postgres.Sql, statements: readonly string[], hint = ''): Promise<void> {
  try {
    await sql.begin(async (transaction) => {
      for (const statement of statements) await transaction.unsafe(statement);
    });
  } catch (error) {
    if (errorCode(error) !== '42501') throw error;
    throw notAllowed(statements.join('; '), error, hint);
  }
}

function notAllowed(statements: string, cause: unknown, hint = ''): DatabaseSetupError {
  return new DatabaseSetupError(
    'The user of MIGRATE_DATABASE_URL has not the right to set up this role.',
    `As a superuser: ${statements}; then run this again. ${hint}`.trim(),
    { cause },
  );
}
