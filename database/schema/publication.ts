import type postgres from 'postgres';
import {
  IDENTITY_INDEX,
  OBSERVED_COLUMNS_SORTED,
  OBSERVED_COLUMNS_SQL,
  PUBLICATION,
  PUBLISHED_TABLES_SQL,
  TABLES,
} from '../../board/sources/postgres/contract.ts';
import { DatabaseSetupError } from '../setup-error.ts';
import type { Step } from './step.ts';

/** @throws DatabaseSetupError: somebody else has made a publication of our name */
export async function assertPublicationOurs(sql: postgres.Sql): Promise<void> {
  if (await isPublicationRight(sql)) return;
  const [found] = await sql<{ owner: string; isOurs: boolean; others: string | null }[]>`
    select pg_get_userbyid(p.pubowner) as owner,
      p.pubowner = (select oid from pg_roles where rolname = current_user) or p.pubowner in (
        select relowner from pg_class where oid in (to_regclass('public.tickets'), to_regclass('public.sectors'))
      ) as "isOurs",
      case when p.puballtables then 'all tables' else (
        select string_agg(distinct schemaname || '.' || tablename, ', ') from pg_publication_tables t
        where t.pubname = p.pubname
          and not (schemaname = 'public' and tablename = any (string_to_array(${TABLES.join()}, ',')))
      ) end as others
    from pg_publication p where p.pubname = ${PUBLICATION}`;
  if (!found || (found.isOurs && found.others === null)) return;
  const why = found.others === null ? `it belongs to ${found.owner}` : `it publishes ${found.others}`;
  throw new DatabaseSetupError(
    `A publication "${PUBLICATION}" is there already, and not Triagem's: ${why}.`,
    `If nothing subscribes to it, run DROP PUBLICATION ${PUBLICATION}; and then this again. Else give Triagem a database of its own.`,
  );
}

/**
 * A replica identity that a publication's columns do not cover makes every UPDATE fail: a wrong publication is dropped before
 * the identity is changed. Gates do not depend on a publication.
 */
export async function dropWrongPublication(sql: postgres.Sql): Promise<void> {
  if (!(await isPublicationRight(sql))) await sql.unsafe(`drop publication if exists ${PUBLICATION}`);
}

/**
 * Restores the replica identity and then the publication, by which the server observes the tickets. Either may have been
 * altered since the schema was applied without any error: the stream would continue, and be wrong.
 */
export async function ensureObservable(sql: postgres.Sql, report: (step: Step) => void): Promise<void> {
  const hasIndex = await isIndexRight(sql);
  if (!hasIndex) {
    await sql.begin(async (transaction) => {
      await transaction.unsafe(`
        drop index if exists public.${IDENTITY_INDEX};
        create unique index ${IDENTITY_INDEX} on public.tickets (${OBSERVED_COLUMNS_SQL});
        alter table public.tickets replica identity using index ${IDENTITY_INDEX}`);
    });
  }
  report({ what: 'replica identity of public.tickets', done: !hasIndex });

  const hasPublication = await isPublicationRight(sql);
  if (!hasPublication) {
    await sql.begin(async (transaction) => {
      await transaction.unsafe(`
        drop publication if exists ${PUBLICATION};
        create publication ${PUBLICATION} for ${PUBLISHED_TABLES_SQL}`);
    });
  }
  report({ what: `publication ${PUBLICATION}`, done: !hasPublication });
}

async function isIndexRight(sql: postgres.Sql): Promise<boolean> {
  const [index] = await sql<{ columns: string }[]>`
    select (select string_agg(a.attname, ',' order by a.attname) from pg_attribute a where a.attrelid = i.indexrelid) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indexrelid = to_regclass(${`public.${IDENTITY_INDEX}`}) and i.indrelid = to_regclass('public.tickets')
      and c.relreplident = 'i' and i.indisreplident and i.indisunique and i.indisvalid and i.indimmediate
      and i.indpred is null and i.indexprs is null and i.indnkeyatts = i.indnatts`;
  return index?.columns === OBSERVED_COLUMNS_SORTED.join();
}

async function isPublicationRight(sql: postgres.Sql): Promise<boolean> {
  const [publication] = await sql<
    { operations: boolean; tickets: boolean; sectors: boolean; tables: number }[]
  >`
    select not p.puballtables and p.pubinsert and p.pubupdate and p.pubdelete and p.pubtruncate
        and not exists (select from pg_publication_namespace n where n.pnpubid = p.oid) as operations,
      (select count(*)::int from pg_publication_rel r where r.prpubid = p.oid) as tables,
      exists (
        select from pg_publication_rel r
        where r.prpubid = p.oid and r.prrelid = to_regclass('public.tickets') and r.prqual is null
          and (select string_agg(a.attname, ',' order by a.attname) from pg_attribute a
            where a.attrelid = r.prrelid and a.attnum = any (r.prattrs::int2[])) = ${OBSERVED_COLUMNS_SORTED.join()}
      ) as tickets,
      exists (
        select from pg_publication_rel r
        where r.prpubid = p.oid and r.prrelid = to_regclass('public.sectors') and r.prqual is null and r.prattrs is null
      ) as sectors
    from pg_publication p where p.pubname = ${PUBLICATION}`;
  return (
    publication !== undefined &&
    publication.operations &&
    publication.tickets &&
    publication.sectors &&
    publication.tables === 2
  );
}
