import type postgres from 'postgres';
import type { Texts } from '../domain/compare-changing.ts';

/** A table and those of its columns that are compared. */
export interface ComparedTable {
  /** The name with its schema, as `public.tickets`. */
  readonly name: string;
  readonly columns: readonly string[];
}

/** The hexadecimal digits by which the rows of a table are grouped: a commit changes few of the 4,096 groups. */
const GROUP_DIGITS = 3;

/**
 * Returns digests of the rows of tables, by table and group. Two databases whose rows of a group are the same, in whatever order
 * and with whatever settings, have the same digest; two that differ in one column of one row do not.
 */
export function readDigests(sql: postgres.Sql, tables: readonly ComparedTable[]): Promise<Texts> {
  return sql.begin(async (transaction) => {
    // Values are written as text in one way, which a role, a database or a server may set otherwise.
    await transaction`
      select set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true),
        set_config('IntervalStyle', 'postgres', true), set_config('bytea_output', 'hex', true),
        set_config('extra_float_digits', '1', true), set_config('lc_monetary', 'C', true)`;
    const digests = new Map<string, string>();
    for (const { name, columns } of tables) {
      const groups = await transaction<{ digits: string; digest: string }[]>`
        select left(hash, ${GROUP_DIGITS}) as digits,
          count(*) || ' ' || sum(('x' || right(hash, 16))::bit(64)::bigint) as digest
        from (
          select md5(convert_to(t::text, 'UTF8')) as hash
          from (select ${transaction(columns)} from ${transaction(name)}) t) hashed
        group by 1`;
      for (const { digits, digest } of groups) digests.set(`${name} ${digits}`, digest);
    }
    return digests;
  });
}

/** Returns the tables of these keys of digests, each once. */
export function tablesOf(keys: readonly string[]): string[] {
  return [...new Set(keys.map((key) => key.slice(0, -GROUP_DIGITS - 1)))];
}
