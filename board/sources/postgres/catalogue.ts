import type postgres from 'postgres';
import { quoteLiteral } from '../../../database/with-connection.ts';
import { RETURNED_SQL } from '../../../domain/returned-primary.ts';
import { OBSERVED_COLUMNS, OBSERVED_COLUMNS_SORTED, PUBLICATION } from './contract.ts';
import { ReplicationError } from './replication-error.ts';
import { type Subscription, SUBSCRIPTIONS_SQL } from './subscriptions.ts';

/** What the replication stream depends on, by the database's catalogue. */
export interface Catalogue {
  readonly tickets: string | null;
  readonly plainTable: boolean | null;
  readonly rowSecurity: boolean | null;
  /** The observed columns that the table lacks, or this role may not read. */
  readonly missingColumns: readonly string[] | null;
  readonly hiddenColumns: readonly string[] | null;
  /** The observed columns with a collation for which different texts are equal. */
  readonly nondeterministicColumns: readonly string[] | null;
  /** The numbers of the observed columns, by name: names may be exchanged. */
  readonly observedColumns: string | null;
  readonly identityIndex: string | null;
  readonly identityColumns: readonly string[] | null;
  readonly publication: string | null;
  readonly publishesAllOperations: boolean | null;
  readonly ticketsPublished: string | null;
  readonly publishedColumns: readonly string[] | null;
  readonly rowFilter: boolean | null;
  readonly sectors: string | null;
  readonly sectorsPublished: string | null;
  /** Whether UPDATE and DELETE on them can be published: else PostgreSQL refuses both. */
  readonly sectorsWritable: boolean | null;
  readonly subscriptions: readonly Subscription[];
  /** The database's clock when the catalogue was read: Unix time, in milliseconds. */
  readonly databaseMs: number;
  /**
   * Where the log stood then, or a moment later: its end, with what is committed and not flushed yet. PostgreSQL sends no more
   * of it than up to `flushedLsn`.
   */
  readonly lsn: string;
  readonly flushedLsn: string;
  /** What was visible then: `xmin:xmax:xip,…`, of transactions by their numbers. */
  readonly snapshot: string;
  /** When the last transaction was committed that was replayed as a standby: Unix time, in milliseconds; null: none. */
  readonly replayedMs: number | null;
  /** For `readReturned`. */
  readonly returned: string | null;
  /** The start of the server, in microseconds: no other one has it. */
  readonly server: string;
}

/** One row, from system catalogues only; it locks nothing and any role may run it. */
const CATALOGUE_SQL = `
  with tickets as (select * from pg_class where oid = to_regclass('public.tickets')),
    identity as (
      select i.indexrelid || ':' || i.xmin as identity,
        (select json_agg(a.attname order by a.attname) from pg_attribute a
          where a.attrelid = i.indrelid and a.attnum = any (i.indkey::int2[])) as columns
      from pg_index i join tickets t on t.oid = i.indrelid
      where t.relreplident = 'i' and i.indisreplident and i.indisvalid),
    observed as (
      select o.name, a.attnum, has_column_privilege(t.oid, a.attnum, 'SELECT') as readable,
        (select not collisdeterministic from pg_collation c where c.oid = a.attcollation) as nondeterministic
      from tickets t cross join jsonb_array_elements_text(${quoteLiteral(JSON.stringify(OBSERVED_COLUMNS))}) o (name)
        left join pg_attribute a on a.attrelid = t.oid and a.attname = o.name and not a.attisdropped),
    publication as (select xmin, * from pg_publication where pubname = ${quoteLiteral(PUBLICATION)}),
    published as (
      select r.oid, r.prrelid, r.prqual is not null as filtered,
        (select json_agg(a.attname order by a.attname) from pg_attribute a
          where a.attrelid = r.prrelid and a.attnum = any (r.prattrs::int2[])) as columns
      from pg_publication_rel r join publication p on p.oid = r.prpubid)
  select
    (select oid::text from tickets) as "tickets",
    (select relkind = 'r' and not relispartition and not exists (
        select from pg_inherits where inhparent = tickets.oid or inhrelid = tickets.oid) from tickets) as "plainTable",
    (select relrowsecurity and row_security_active(oid) from tickets) as "rowSecurity",
    (select json_agg(name) from observed where attnum is null) as "missingColumns",
    (select json_agg(name) from observed where not readable) as "hiddenColumns",
    (select json_agg(name) from observed where nondeterministic) as "nondeterministicColumns",
    (select string_agg(name || ':' || attnum, ' ' order by name) from observed) as "observedColumns",
    (select identity from identity) as "identityIndex",
    (select columns from identity) as "identityColumns",
    (select oid || ':' || xmin from publication) as "publication",
    (select pubinsert and pubupdate and pubdelete and pubtruncate from publication) as "publishesAllOperations",
    (select p.oid::text from published p join tickets t on t.oid = p.prrelid) as "ticketsPublished",
    (select p.columns from published p join tickets t on t.oid = p.prrelid) as "publishedColumns",
    (select p.filtered from published p join tickets t on t.oid = p.prrelid) as "rowFilter",
    to_regclass('public.sectors')::oid::text as "sectors",
    (select oid::text from published where prrelid = to_regclass('public.sectors')) as "sectorsPublished",
    (select c.relreplident = 'f' or exists (
        select from pg_index i where i.indrelid = c.oid and i.indisvalid
          and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident))
      from pg_class c where c.oid = to_regclass('public.sectors')) as "sectorsWritable",
    ${SUBSCRIPTIONS_SQL} as "subscriptions",
    extract(epoch from clock_timestamp())::float8 * 1000 as "databaseMs",
    pg_current_wal_insert_lsn()::text as "lsn", pg_current_wal_flush_lsn()::text as "flushedLsn",
    pg_current_snapshot()::text as "snapshot",
    extract(epoch from pg_last_xact_replay_timestamp())::float8 * 1000 as "replayedMs",
    ${RETURNED_SQL} as "returned",
    (extract(epoch from pg_postmaster_start_time()) * 1000000)::int8::text as "server"`;

/** Its text takes three packets, each of which a bad link may lose: a session sends it once. */
export async function prepareCatalogue(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`prepare triagem_catalogue as ${CATALOGUE_SQL}`);
}

export const EXECUTE_CATALOGUE = 'execute triagem_catalogue';

export async function readCatalogue(sql: postgres.Sql): Promise<Catalogue> {
  const [row] = await sql.unsafe<[Catalogue]>(EXECUTE_CATALOGUE);
  return row;
}

/**
 * Returns what keeps the stream from sending every change, with its fix; `undefined`: nothing. None of these breaks a running
 * stream: it would continue and leave changes out.
 */
export function findCatalogueError(catalogue: Catalogue): ReplicationError | undefined {
  const fault = (
    cause: string,
    fix = 'run `npm run migrate`, or start the board again where it brings its PostgreSQL',
  ): ReplicationError => new ReplicationError(`${cause}: ${fix}`, { shouldRetry: false });
  const observed = OBSERVED_COLUMNS_SORTED.join();

  if (catalogue.tickets === null) return fault('The table public.tickets does not exist');
  if (!catalogue.plainTable)
    return fault('The table public.tickets is partitioned or inherited', 'use one ordinary table');
  if (catalogue.missingColumns)
    return fault(`The table public.tickets lacks the column ${catalogue.missingColumns.join(', ')}`);
  if (catalogue.nondeterministicColumns)
    return fault(
      `The column ${catalogue.nondeterministicColumns.join(', ')} of public.tickets has a collation for which different texts are equal`,
      `DROP PUBLICATION ${PUBLICATION}, ALTER TABLE public.tickets ALTER COLUMN … TYPE text COLLATE "C", then \`npm run migrate\``,
    );
  if (catalogue.rowSecurity)
    return fault(
      'Row security hides tickets from the observer',
      'ALTER TABLE public.tickets DISABLE ROW LEVEL SECURITY, or give the observer BYPASSRLS',
    );
  if (catalogue.publication === null) return fault(`The publication "${PUBLICATION}" does not exist`);
  if (!catalogue.publishesAllOperations)
    return fault(
      `The publication "${PUBLICATION}" leaves out operations (insert, update, delete or truncate)`,
    );
  if (catalogue.ticketsPublished === null)
    return fault(`The table public.tickets is not in the publication "${PUBLICATION}"`);
  if (catalogue.rowFilter) return fault(`The publication "${PUBLICATION}" filters rows of public.tickets`);
  if (catalogue.publishedColumns?.join() !== observed)
    return fault(
      `The publication "${PUBLICATION}" must publish these columns of public.tickets: ${observed}`,
    );
  if (catalogue.identityIndex === null || catalogue.identityColumns?.join() !== observed)
    return fault('The replica identity of public.tickets is not its index on the observed columns');
  if (catalogue.sectorsPublished === null)
    return fault(`The table public.sectors is not in the publication "${PUBLICATION}"`);
  if (catalogue.hiddenColumns)
    return fault(
      `The role of DATABASE_URL may not read the column ${catalogue.hiddenColumns.join(', ')} of public.tickets`,
    );
  return undefined;
}

/** Returns a warning about a fault that does not affect the counts, with its fix; `undefined` if there is none. */
export function findWarning({ sectorsPublished, sectorsWritable }: Catalogue): string | undefined {
  if (sectorsPublished === null || sectorsWritable !== false) return undefined;
  return 'The table public.sectors has no replica identity, and every UPDATE and DELETE on it fails: ALTER TABLE public.sectors ADD PRIMARY KEY (event_id, code)';
}

/**
 * Whether the catalogue was read after the transaction had ended. One that is sent already may not have: it stands in the log
 * before others see what it did, and as long as a synchronous standby is waited for.
 */
export function isReadAfter({ snapshot }: Pick<Catalogue, 'snapshot'>, transactionId: number): boolean {
  const [, end = '', running = ''] = snapshot.split(':');
  const isBeforeEnd = BigInt.asIntN(32, BigInt(transactionId) - BigInt(end)) < 0n;
  return (
    isBeforeEnd && !running.split(',').some((id) => BigInt.asUintN(32, BigInt(id)) === BigInt(transactionId))
  );
}

/** The same text as long as the stream still hangs on the same things. */
export function fingerprint(catalogue: Catalogue): string {
  const { tickets, observedColumns, identityIndex, publication, ticketsPublished, sectorsPublished } =
    catalogue;
  return [tickets, observedColumns, identityIndex, publication, ticketsPublished, sectorsPublished].join(' ');
}

/** Returns the names of the observed columns in the order of their numbers. */
export function columnsInOrder({ observedColumns }: Pick<Catalogue, 'observedColumns'>): string[] {
  const columns = (observedColumns ?? '').split(' ').map((column) => column.split(':'));
  return columns.toSorted(([, a], [, b]) => Number(a) - Number(b)).map(([name = '']) => name);
}
