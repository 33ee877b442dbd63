import type postgres from 'postgres';

/** Returns who may alter the tables, for a message: their owner, else that of the database. */
export async function readOwner(sql: postgres.Sql): Promise<string> {
  const [owner] = await sql<[{ ofTables: string | null; ofDatabase: string }]>`
    select pg_get_userbyid(datdba) as "ofDatabase", (
      select string_agg(distinct pg_get_userbyid(relowner), ', ') from pg_class
      where oid in (to_regclass('public.tickets'), to_regclass('public.sectors'), to_regclass('public.events'))
    ) as "ofTables"
    from pg_database where datname = current_database()`;
  return owner.ofTables === null
    ? `the owner of the database, ${owner.ofDatabase}`
    : `the owner of the tables, ${owner.ofTables}`;
}
