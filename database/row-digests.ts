import type postgres from 'postgres';
import type { Texts } from '../domain/compare-changing.ts';
import { quoteIdentifier } from './with-connection.ts';

/** A table and those of its columns that are compared. */
export interface ComparedTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly { readonly name: string }[];
}

/** The rows of a table are in so many groups, as hexadecimal digits: a commit changes a few of them. */
const GROUP_DIGITS = 3;

/** How values are written as text, which a role, a database or a server may set otherwise. */
const AS_TEXT = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
};

/**
 * Returns a query of `key` (a table and a group of its rows) and `digest`. Two databases whose rows of a group are the same, in
 * whatever order, return the same digest; two that differ in one column of one row do not.
 */
export function rowDigests(tables: readonly ComparedTable[]): string {
  const rows = tables.map(({ schema, name, columns }) => {
    const row = columns.map((column) => `t.${quoteIdentifier(column.name)}`).join(', ');
    const table = `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
    return `select '${`${schema}.${name}`.replaceAll("'", "''")}' as name, md5(convert_to(row(${row})::text, 'UTF8')) as hash from ${table} t`;
  });
  return `select name || ' ' || left(hash, ${GROUP_DIGITS}) as key,
    count(*) || ' ' || sum(('x' || right(hash, 16))::bit(64)::bigint) as digest
  from (${rows.join('\n    union all ')}) hashed group by 1`;
}

/** Returns the table of a key. */
export function tableOfDigest(key: string): string {
  return key.slice(0, -GROUP_DIGITS - 1);
}

/** Reads a query of `key` and `digest` with values written as text in one way. */
export async function readDigests(sql: postgres.Sql, query: string): Promise<Texts> {
  const settings = Object.entries(AS_TEXT).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  const results = await sql.unsafe(`select ${settings.join(', ')}; ${query}`).simple();
  const rows = (results as unknown as { key: string; digest: string }[][])[1] ?? [];
  return new Map(rows.map(({ key, digest }) => [key, digest]));
}
