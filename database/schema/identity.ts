import type postgres from 'postgres';
import { IDENTITY_INDEX, OBSERVED_COLUMNS, PUBLICATION } from '../../board/sources/postgres/contract.ts';
import type { TableProblem, ExistingTable } from './existing-table.ts';

/**
 * The replica identity of the tickets is a unique index on the observed columns. Without a narrower key, that index would
 * refuse rows that the table has allowed until then.
 */
export async function keyProblems(sql: postgres.Sql, { name }: ExistingTable): Promise<TableProblem[]> {
  const [key] = await sql<{ exists: boolean }[]>`
    select exists (
      select from pg_index i
      where i.indrelid = to_regclass(${`public.${name}`}) and i.indisunique and i.indisvalid and i.indimmediate
        and i.indpred is null and i.indexprs is null and not exists (
          select from unnest(i.indkey::int2[]) with ordinality k (attnum, place)
            join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
          where k.place <= i.indnkeyatts and not a.attname = any (string_to_array(${OBSERVED_COLUMNS.join()}, ',')))) as exists`;
  if (key?.exists === true) return [];
  return [
    {
      why: 'it has no key within event_id and id, so that the index by which it is observed could make a write fail that is right',
      clause: 'ADD PRIMARY KEY (event_id, id)',
    },
  ];
}

/**
 * An UPDATE fails while a publication's columns do not cover the table's new replica identity, or while its row filter reads a
 * column outside that. For a table that is not ours, any publication is in the way: its subscribers find rows by the identity
 * of before.
 */
export async function publicationProblems(
  sql: postgres.Sql,
  { name, isOurs }: ExistingTable,
): Promise<TableProblem[]> {
  const isHarmless = isOurs || (await isObservable(sql, name));
  const publications = await sql<{ name: string; isPartial: boolean }[]>`
    select p.pubname as name,
      t.rowfilter is not null or not t.attnames @> string_to_array(${OBSERVED_COLUMNS.join()}, ',')::name[] as "isPartial"
    from pg_publication p join pg_publication_tables t using (pubname)
    where t.schemaname = 'public' and t.tablename = ${name} and p.pubname <> ${PUBLICATION} and (p.pubupdate or p.pubdelete)`;
  return publications.flatMap((publication): TableProblem[] => {
    if (publication.isPartial) {
      return [
        {
          why: `the publication "${publication.name}" publishes a part of it, and an UPDATE on it may fail once it is observed`,
        },
      ];
    }
    if (isHarmless) return [];
    return [
      {
        why: `the publication "${publication.name}" publishes it, and its subscribers would stop once its replica identity is the one by which it is observed`,
      },
    ];
  });
}

/** A replica identity that somebody has set on a table that is not ours is relied on: it is not replaced. */
export async function ownIdentityProblems(
  sql: postgres.Sql,
  { name, isOurs }: ExistingTable,
): Promise<TableProblem[]> {
  if (isOurs || (await isObservable(sql, name))) return [];
  const [identity] = await sql<{ kind: string }[]>`
    select relreplident as kind from pg_class where oid = to_regclass(${`public.${name}`})`;
  if (identity?.kind !== 'f' && identity?.kind !== 'i') return [];
  return [
    { why: 'it has a replica identity that somebody has set, in the place of which ours would have to come' },
  ];
}

/** Whether an earlier migration has set the replica identity by which the table is observed. */
async function isObservable(sql: postgres.Sql, name: string): Promise<boolean> {
  const [index] = await sql`
    select from pg_index
    where indrelid = to_regclass(${`public.${name}`}) and indexrelid = to_regclass(${`public.${IDENTITY_INDEX}`})
      and indisreplident`;
  return index !== undefined;
}

/**
 * In a published table without a replica identity, every UPDATE and DELETE fails. An identity without event_id or code would
 * not identify the sector whose document is removed.
 */
export async function identityProblems(sql: postgres.Sql, { name }: ExistingTable): Promise<TableProblem[]> {
  const [identity] = await sql<
    { kind: string; columns: string[] | null; hasKey: boolean; published: boolean }[]
  >`
    select c.relreplident as kind,
      exists (select from pg_index where indrelid = c.oid and indisprimary) as "hasKey",
      exists (
        select from pg_publication_rel r join pg_publication p on p.oid = r.prpubid
        where r.prrelid = c.oid and p.pubname = ${PUBLICATION}) as published,
      (
        select array_agg(a.attname::text)
        from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey::int2[])
        where i.indrelid = c.oid and i.indisvalid and i.indimmediate
          and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident)
      ) as columns
    from pg_class c where c.oid = to_regclass(${`public.${name}`})`;
  if (!identity || identity.kind === 'f') return [];
  const clause = identity.hasKey ? 'REPLICA IDENTITY DEFAULT' : 'ADD PRIMARY KEY (event_id, code)';
  if (identity.columns === null) {
    const why = 'it has no replica identity (no primary key, say), and every UPDATE and DELETE on it';
    if (!identity.published) return [{ why: `${why} would fail once it is observed`, clause }];
    await sql.unsafe(`alter publication ${PUBLICATION} drop table public.sectors`);
    return [{ why: `${why} has failed since it was published; it is not published any more`, clause }];
  }
  if (['event_id', 'code'].every((column) => identity.columns?.includes(column))) return [];
  return [
    {
      why: 'its replica identity lacks event_id or code, so that the removal of a sector would not be observed',
      clause,
    },
  ];
}
