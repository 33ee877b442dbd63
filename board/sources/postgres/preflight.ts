import type postgres from 'postgres';
import {
  describeFault,
  poolerFault,
  type ServerPlace,
  standbyFault,
} from '../../../database/connection-fault.ts';
import { SEARCH_PATH } from '../../../database/with-connection.ts';
import { type Catalogue, findCatalogueError, prepareCatalogue, readCatalogue } from './catalogue.ts';
import { MIN_SERVER_VERSION, REQUIRED_WAL_LEVEL } from './contract.ts';
import { ReplicationError } from './replication-error.ts';

interface ServerFacts {
  readonly searchPath: string;
  readonly version: number;
  readonly isStandby: boolean;
  readonly walLevel: string;
  readonly mayReplicate: boolean;
  readonly mayWrite: boolean | null;
  readonly role: string;
}

const FACTS_SQL = `
  select pg_catalog.current_setting('search_path') as "searchPath",
    current_setting('server_version_num')::int as "version",
    pg_is_in_recovery() as "isStandby",
    current_setting('wal_level') as "walLevel",
    current_user as "role",
    (select rolreplication or rolsuper
        or exists (select from pg_roles where rolname = 'rds_replication' and pg_has_role(oid, 'usage'))
      from pg_roles where rolname = current_user) as "mayReplicate",
    (select has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
        or has_any_column_privilege(oid, 'INSERT, UPDATE')
      from pg_class where oid = to_regclass('public.tickets')) as "mayWrite"`;

/** Prepares `readCatalogue`, and returns the catalogue. @throws ReplicationError unless this server and role can be observed. */
export async function checkServer(sql: postgres.Sql, place: ServerPlace): Promise<Catalogue> {
  // Sent first, as the library rejects no other statement where the connection cannot be made.
  const asked = sql.unsafe<[ServerFacts]>(FACTS_SQL).execute();
  const preparing = prepareCatalogue(sql);
  preparing.catch(() => {});
  const reading = readCatalogue(sql);
  // Of a server that cannot be observed it may fail: what is known of the server says why.
  reading.catch(() => {});
  const [facts] = await asked;
  const fault = (message: string): ReplicationError => new ReplicationError(message, { shouldRetry: false });

  // First: with another search path, the other facts may be anybody's.
  if (facts.searchPath !== SEARCH_PATH) throw fault(describeFault(poolerFault(place)));
  if (facts.version < MIN_SERVER_VERSION) {
    throw fault(`PostgreSQL ${Math.floor(facts.version / 10_000)} is too old: use 15 or newer`);
  }
  if (facts.isStandby) throw fault(describeFault(standbyFault(place)));
  if (facts.walLevel !== REQUIRED_WAL_LEVEL) {
    throw fault(
      `wal_level is ${facts.walLevel}: ALTER SYSTEM SET wal_level = ${REQUIRED_WAL_LEVEL}, and restart PostgreSQL`,
    );
  }
  if (!facts.mayReplicate) {
    throw fault(
      `The role ${facts.role} may not replicate: run \`npm run migrate\`, or ALTER ROLE … REPLICATION`,
    );
  }
  if (facts.mayWrite) {
    throw fault(
      `The role ${facts.role} of DATABASE_URL may write tickets, and an observer must not: ` +
        'name a role of its own there and run `npm run migrate`',
    );
  }
  const catalogue = await reading;
  const catalogueFault = findCatalogueError(catalogue);
  if (catalogueFault) throw catalogueFault;
  return catalogue;
}

/** The oldest transaction that has written and is still open, as process and role, for the operator; `undefined`: none. */
export async function describeBlocker(sql: postgres.Sql): Promise<string | undefined> {
  const [oldest] = await sql<{ pid: number | null; role: string | null; standbys: string }[]>`
    select l.pid, a.usename as role, current_setting('synchronous_standby_names') as standbys
    from pg_locks l left join pg_stat_activity a using (pid)
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.pid is distinct from pg_backend_pid()
    order by age(l.transactionid) desc limit 1`;
  if (!oldest) return undefined;
  const { pid, role, standbys } = oldest;
  const blocker = pid === null ? 'a prepared transaction' : `process ${pid} of role ${role ?? 'unknown'}`;
  // Another role's wait is not shown to this one.
  const waits = `; if its commit waits for a synchronous standby (synchronous_standby_names is "${standbys}"), let that run`;
  return `${blocker}${standbys === '' ? '' : waits}`;
}
