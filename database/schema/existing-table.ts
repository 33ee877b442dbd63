import type postgres from 'postgres';
import { MADE_BY_TRIAGEM } from './schema-files.ts';

/** An existing table, as the catalogue describes it. */
export interface ExistingTable {
  readonly schema: string;
  readonly name: string;
  /** Made by a migration of ours, not brought by a gate system. */
  readonly isOurs: boolean;
  /** Not partitioned, inherited, a view or the like. */
  readonly isPlain: boolean;
  readonly isLogged: boolean;
  readonly hasRowSecurity: boolean;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly isNotNull: boolean;
    readonly isGenerated: boolean;
    /** Different texts may be equal by its collation. */
    readonly isNondeterministic: boolean;
  }[];
}

/** Why a table cannot be used; `clause` is that of the ALTER TABLE that fixes it, if the table is ours. */
export interface TableProblem {
  readonly why: string;
  readonly clause?: string;
}

/** Returns `undefined` where there is no table of this name. */
export async function readTable(
  sql: postgres.Sql,
  name: string,
  schema = 'public',
): Promise<ExistingTable | undefined> {
  const [table] = await sql<(Omit<ExistingTable, 'schema' | 'name' | 'columns'> & { oid: number })[]>`
    select c.oid, obj_description(c.oid, 'pg_class') is not distinct from ${MADE_BY_TRIAGEM} as "isOurs",
      relkind = 'r' and not exists (
        select from pg_inherits i where c.oid in (i.inhparent, i.inhrelid)) as "isPlain",
      relpersistence = 'p' as "isLogged", relrowsecurity as "hasRowSecurity"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${name}`;
  if (!table) return undefined;
  const columns = await sql<ExistingTable['columns'][number][]>`
    select attname as name, format_type(atttypid, null) as type, attnotnull as "isNotNull",
      attgenerated <> '' as "isGenerated",
      exists (select from pg_collation c where c.oid = attcollation and not collisdeterministic) as "isNondeterministic"
    from pg_attribute where attrelid = ${table.oid} and attnum > 0 and not attisdropped`;
  const { oid: _oid, ...rest } = table;
  return { ...rest, schema, name, columns };
}
