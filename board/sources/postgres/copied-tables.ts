import type postgres from 'postgres';
import { absentAtSource, copiedFrom, FILLING_MARK, VIEW_SYSTEM } from '../../../domain/connection-marks.ts';

/** The types of a table's columns by their names. */
type Columns = Readonly<Record<string, string>>;

/** A table that `gates -- connect` copies from a ticketing system. */
export interface CopiedTable {
  /** With its schema. */
  readonly name: string;
  readonly comment: string;
  /** Whether the trigger that keeps the tickets in step runs for what replication writes. */
  readonly isFollowed: boolean;
  readonly columns: Columns;
}

/** The columns that a source publishes: publication, then table with its schema. */
export type PublishedTables = Readonly<Record<string, Readonly<Record<string, Columns>>>>;

/** Returns why the tickets are not those of copied tables, with the fix; undefined: they are. */
export function findCopyFault(comment: string | null, copies: readonly CopiedTable[]): string | undefined {
  const [first] = copies;
  if (!first) return undefined;
  if (comment === FILLING_MARK) return `its tickets are not filled yet: ${fixOf(first)} completes it`;
  const unfollowed = copies.find(({ isFollowed }) => !isFollowed);
  return (
    unfollowed && `the table ${unfollowed.name} has lost its trigger: ${fixOf(unfollowed)} makes it anew`
  );
}

/**
 * Returns how the source has changed since its tables were copied, with the fix; undefined: it has not. A type that not every
 * PostgreSQL has is copied as text.
 */
export function findSourceChange(
  copies: readonly CopiedTable[],
  published: Readonly<Record<string, Columns>>,
): string | undefined {
  const gone = copies.filter(({ name }) => !published[name]);
  const [first] = gone;
  if (first) {
    const names = gone.map(({ name }) => name).join(', ');
    const what = gone.length === 1 ? `the table ${names} is` : `the tables ${names} are`;
    return `${what} not published any more, or not with every change, or inherited by another: ${fixOf(first)} goes on with what is there now`;
  }
  for (const copy of copies) {
    const there = published[copy.name] ?? {};
    const fix = `${fixOf(copy)} goes on with the table as it is now, or says what it cannot count without`;
    for (const [column, type] of Object.entries(copy.columns)) {
      const now = there[column];
      if (now === undefined) {
        const others = Object.keys(there).filter((name) => copy.columns[name] === undefined);
        const renamed = others.length === 0 ? '' : `, but ${others.join(', ')}`;
        return `the table ${copy.name} has no column ${column} any more${renamed}: ${fix}`;
      }
      if (now !== type)
        return `the column ${column} of the table ${copy.name} is ${now} now, not ${type}: ${fix}`;
    }
    const appeared = absentAtSource(copy.comment).find((column) => there[column] !== undefined);
    if (appeared !== undefined)
      return `the table ${copy.name} has a column ${appeared} now, which counts: ${fix}`;
  }
  return undefined;
}

/** Returns the command that enables a subscription, and does what is left of a connection; undefined: `connect` did not make it. */
export function howToComplete([first]: readonly CopiedTable[]): string | undefined {
  return first && `${fixOf(first)} enables it, and completes what is half done`;
}

/** Returns the command that makes the copies anew; undefined: `connect` did not make them. */
export function howToCopyAnew([first]: readonly CopiedTable[]): string | undefined {
  return first && `${fixOf(first)} makes the subscription anew`;
}

/** Returns the command that lets the role of the connection read the copied tables at the source again; undefined: as above. */
export function howToGrant([first]: readonly CopiedTable[]): string | undefined {
  return first && `${fixOf(first)}, run again with its options, grants the right again`;
}

function fixOf({ comment }: CopiedTable): string {
  const system = copiedFrom(comment) ?? '';
  return `"npm run -s gates -- connect ${system === VIEW_SYSTEM ? '--view …' : system}"`;
}

/** Returns the columns that count and were not there when these tables were copied. */
export function absentColumns(copies: readonly CopiedTable[]): string[] {
  return copies.flatMap(({ comment }) => absentAtSource(comment));
}

/**
 * Asks a source which columns these publications have; those of `absent` also where their tables have them unpublished. What is
 * left out of a table's changes or rows is lost, as with the whole table, and so is what is in a table that inherits from it:
 * such a table is not there.
 */
export async function readPublished(
  sql: postgres.Sql,
  publications: readonly string[],
  absent: readonly string[],
): Promise<PublishedTables> {
  const [row] = await sql<[{ published: PublishedTables }]>`
    select coalesce(json_object_agg(pubname, tables), '{}') as published from (
      select pubname, json_object_agg(schemaname || '.' || tablename, (
        select json_object_agg(a.attname,
          case when t.typnamespace = 'pg_catalog'::regnamespace then format_type(t.oid, -1) else 'text' end)
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        where a.attrelid = to_regclass(format('%I.%I', schemaname, tablename)) and a.attnum > 0
          and (a.attname = any (attnames) or a.attname in (select json_array_elements_text(${JSON.stringify(absent)}::text::json))))) as tables
      from pg_publication_tables join pg_publication p using (pubname)
      where pubname in ${sql(publications)} and rowfilter is null and pubinsert and pubupdate and pubdelete and pubtruncate
        and not exists (select from pg_inherits where inhparent = to_regclass(format('%I.%I', schemaname, tablename)))
      group by pubname) p`;
  return row.published;
}

/**
 * Returns a text that changes whenever one of these publications, or a table or column of it, is altered, or a label of an
 * enum, which is sent as text: also where that is taken back at once, as each alteration writes a new version of its row in the
 * catalogue.
 */
export async function readDefinitions(sql: postgres.Sql, publications: readonly string[]): Promise<string> {
  const [row] = await sql<[{ definitions: string }]>`
    select coalesce(string_agg(
      concat_ws(' ', p.oid, p.xmin, r.oid, r.xmin, c.oid, c.relreplident, c.relrowsecurity, c.relforcerowsecurity,
        (select string_agg(concat_ws(' ', attnum, a.xmin), ' ' order by attnum) from pg_attribute a where attrelid = c.oid)),
      ', ' order by p.oid, c.oid), '')
      || (select coalesce(string_agg(' ' || xmin, '' order by oid), '') from pg_enum) as definitions
    from pg_publication p left join pg_publication_rel r on prpubid = p.oid left join pg_class c on c.oid = prrelid
    where pubname in ${sql(publications)}`;
  return row.definitions;
}
