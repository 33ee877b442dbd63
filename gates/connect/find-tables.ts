import type postgres from 'postgres';
import { quoteIdentifier } from '../../database/with-connection.ts';
import { GatesError } from '../cli/errors.ts';
import { qualified } from './sql.ts';
import type { Names, SourceTable, System } from './system.ts';

interface Column {
  readonly name: string;
  /** The type of the copy, of any length: that of the source if PostgreSQL has it everywhere, else text. */
  readonly type: string;
}

/** What to do where a column is missing. */
export const HOW_WITHOUT_COLUMN =
  'Give the column its name back, take a newer version of Triagem, or connect with a query of your own (--view)';

/** A table as this version of the system has it. */
export interface FoundTable {
  readonly spec: SourceTable;
  readonly schema: string;
  readonly name: string;
  /** The columns that are copied, those of the replica identity among them, in order of their names. */
  readonly columns: readonly Column[];
  readonly identity: readonly string[];
  /** The columns of the specification that this version lacks: others, or SQL, stand for them. */
  readonly absent: readonly string[];
}

interface Row {
  readonly schema: string;
  readonly name: string;
  readonly isPlain: boolean;
  /** The tables that inherit from it. */
  readonly heirs: string | null;
  readonly columns: readonly Column[];
  /** The names of generated columns. */
  readonly generated: readonly string[] | null;
  readonly identity: readonly string[] | null;
}

/** @throws GatesError that names each table and column that is missing. */
export async function findTables(sql: postgres.Sql, system: System): Promise<FoundTable[]> {
  const rows = await sql<Row[]>`
    select n.nspname as schema, c.relname as name, c.relkind = 'r' and c.relpersistence = 'p' as "isPlain",
      (select string_agg(inhrelid::regclass::text, ', ' order by inhrelid::regclass::text) from pg_inherits
        where inhparent = c.oid) as heirs,
      (select json_agg(json_build_object('name', a.attname, 'type',
          case when t.typnamespace = 'pg_catalog'::regnamespace then format_type(t.oid, -1) else 'text' end))
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select json_agg(attname) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated <> '') as generated,
      (select json_agg(a.attname order by a.attname) from pg_index i
        join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey::int2[])
        where i.indrelid = c.oid and i.indisvalid
          and (c.relreplident = 'd' and i.indisprimary or c.relreplident = 'i' and i.indisreplident)) as identity
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema$)'
    order by n.nspname <> 'public', n.nspname`;
  const found = schemasOf(rows).map((schema) => system.tables.map((spec) => tableIn(rows, schema, spec)));
  const whole = found.find((tables) => tables.every((table) => table !== undefined));
  if (!whole) {
    const missing = (found[0] ?? system.tables.map(() => undefined)).flatMap((table, index) =>
      table ? [] : [system.tables[index]?.name],
    );
    throw new GatesError(
      `The source has no table ${missing.join(', ')}: is it the database of ${system.name}?`,
    );
  }
  const tables = whole.map((row, index) => readTable(row, system.tables[index] as SourceTable));
  const faults = tables.flatMap((table) => ('fault' in table ? [table.fault] : []));
  if (faults.length > 0) throw new GatesError(`${faults.join('.\n')}.`);
  return tables as FoundTable[];
}

function schemasOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ schema }) => schema))];
}

/** A name may have its schema before it; without one, it is looked for in `schema`. */
function tableIn(rows: readonly Row[], schema: string, { name, formerName }: SourceTable): Row | undefined {
  const own = name.includes('.') ? name : `${schema}.${name}`;
  const find = (wanted: string): Row | undefined =>
    rows.find((row) => `${row.schema}.${row.name}` === wanted);
  return find(own) ?? find(`${schema}.${formerName}`);
}

function readTable(row: Row, spec: SourceTable): FoundTable | { fault: string } {
  const label = `${row.schema}.${row.name}`;
  if (!row.isPlain) return { fault: `The table ${label} of the source is partitioned, or not logged` };
  if (row.heirs !== null)
    return {
      fault: `The table ${label} of the source is inherited by ${row.heirs}, and only what stands in one table can be followed: docs/gates.md has other ways`,
    };
  if (!row.identity)
    return {
      fault: `The table ${label} of the source has no primary key as its replica identity: which row has changed could not be told`,
    };
  const has = (name: string): boolean => row.columns.some((column) => column.name === name);
  const wanted = new Set(row.identity);
  const missing: string[] = [];
  for (const name of spec.columns) {
    const former = spec.formerly?.[name];
    if (has(name)) wanted.add(name);
    else if (former !== undefined && has(former)) wanted.add(former);
    else if (spec.standIns?.[name] === undefined) missing.push(name);
  }
  if (missing.length > 0) {
    const names = row.columns.map(({ name }) => name).toSorted();
    return {
      fault: `The table ${label} of the source has no column ${missing.join(', ')}; it has ${names.join(', ')}. No ticket can be counted without it. ${HOW_WITHOUT_COLUMN}`,
    };
  }
  const generated = row.generated?.filter((name) => wanted.has(name)) ?? [];
  if (generated.length > 0) {
    return {
      fault: `The table ${label} of the source computes its column ${generated.join(', ')}, and PostgreSQL publishes no generated column: name those that it is computed from`,
    };
  }
  const columns = row.columns
    .filter(({ name }) => wanted.has(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const absent = spec.columns.filter((name) => !has(name));
  return { spec, schema: row.schema, name: row.name, columns, identity: row.identity, absent };
}

/** Names tables and columns as they were found. */
export function namesOf(tables: readonly FoundTable[]): Names {
  const find = (name: string): FoundTable | undefined => tables.find(({ spec }) => spec.name === name);
  return {
    table: (name) => {
      const found = find(name);
      return found ? tableName(found) : qualified(tables[0]?.schema ?? 'public', name);
    },
    column: (table, row, column) => {
      const found = find(table);
      const called = [column, found?.spec.formerly?.[column]].find((name) =>
        found?.columns.some((there) => there.name === name),
      );
      if (called !== undefined) return `${row}.${quoteIdentifier(called)}`;
      return found?.spec.standIns?.[column] ?? `${row}.${quoteIdentifier(column)}`;
    },
  };
}

/** Returns a line for each table that lacks columns: what stands for them. */
export function describeAbsent(tables: readonly FoundTable[]): string {
  const names = namesOf(tables);
  return tables
    .filter(({ absent }) => absent.length > 0)
    .map(({ spec, schema, name, absent }) => {
      const standIns = absent.map((column) => `${column} (${names.column(spec.name, name, column)})`);
      return `The table ${schema}.${name} has no column ${standIns.join(', ')}: what is in parentheses stands for it.\n`;
    })
    .join('');
}

export function tableName({ schema, name }: Pick<FoundTable, 'schema' | 'name'>): string {
  return qualified(schema, name);
}

/** Returns the columns of all tables as one text. */
export function shapeOf(tables: readonly Pick<FoundTable, 'schema' | 'name' | 'columns'>[]): string {
  return tables
    .map(
      (table) => `${tableName(table)} (${table.columns.map(({ name, type }) => `${name} ${type}`).join()})`,
    )
    .toSorted()
    .join('\n');
}
