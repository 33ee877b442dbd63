import { setTimeout as pause } from 'node:timers/promises';
import { SOURCE_AGE_MS } from '../../domain/freshness.ts';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import { quoteValue, stopped } from '../cli/errors.ts';
import type { Connection } from './connection.ts';
import { at, type Databases } from './databases.ts';
import { removeSchema, removeTickets } from './here-sql.ts';
import { qualified, runSql } from './sql.ts';
import { readHere } from './state.ts';
import { dropSlot } from './slot.ts';
import { stoppingSql, stopWorkers } from './stop-workers.ts';

/**
 * Removes a connection from both sides. No board is live when the tickets go: each has noticed by then that the subscription
 * is disabled. The schema, by which the connection is found, is the last: what a failure leaves is removed by the next run.
 */
export async function removeConnection(
  databases: Databases,
  connection: Connection,
  { isObserved, stop }: { readonly isObserved: boolean; readonly stop: AbortSignal },
): Promise<void> {
  const { here, reader, owner } = databases;
  const { stopping, tickets, source, schema } = await planRemoval(databases, connection);
  if (stopping.length > 0) {
    await stopWorkers(databases, connection.name, stop);
    if (isObserved) await pause(SOURCE_AGE_MS);
    if (stop.aborted) throw stopped();
  }
  await at(here, (sql) => runSql(sql, ...tickets));
  await dropSlot(reader, connection.name);
  if (source.length > 0) await at(owner, (sql) => runSql(sql, ...source));
  await at(here, (sql) => runSql(sql, schema));
  process.stderr.write('The connection is removed, on both sides.\n');
}

/** Returns the statements as a script. */
export async function describeRemoval(databases: Databases, connection: Connection): Promise<string> {
  const { here, reader, owner } = databases;
  const { stopping, tickets, source, schema } = await planRemoval(databases, connection);
  const wait = `select pg_sleep(${SOURCE_AGE_MS / 1_000})`;
  const slot = `select pg_drop_replication_slot(${quoteLiteral(connection.name)})`;
  const parts: [string, readonly string[]][] = [
    [here.setting, [...stopping, ...(stopping.length > 0 ? [wait] : []), 'begin', ...tickets, 'commit']],
    [reader.setting, [slot]],
    [owner.setting, source],
    [here.setting, [schema]],
  ];
  return parts
    .map(([setting, statements]) => `-- ${setting}\n${statements.map((text) => `${text};\n`).join('')}`)
    .join('\n');
}

interface Removal {
  /** None where there is no subscription. */
  readonly stopping: readonly string[];
  readonly tickets: readonly string[];
  readonly source: readonly string[];
  readonly schema: string;
}

/** Returns what goes with a connection, in words. */
export async function nameRemoved(databases: Databases, { name }: Connection): Promise<string> {
  const revokes = await planRevokes(databases, name);
  if (revokes.length === 0) return 'and its tickets';
  return `its tickets, and every right of the role ${quoteValue(databases.readerRole)} to columns of the source's tables, which another board with this role needs, too`;
}

/** Returns the statements that take the role's rights to columns of the published tables away, whoever gave them. */
async function planRevokes({ owner, readerRole }: Databases, name: string): Promise<string[]> {
  const published = await at(
    owner,
    (sql) => sql<{ schema: string; table: string; columns: string[] }[]>`
      select schemaname as schema, tablename as "table", (
        select coalesce(json_agg(a.attname), '[]') from pg_attribute a, aclexplode(a.attacl) acl
        where a.attrelid = to_regclass(format('%I.%I', schemaname, tablename)) and not a.attisdropped
          and acl.grantee = (select oid from pg_roles where rolname = ${readerRole})
          and acl.privilege_type = 'SELECT') as columns
      from pg_publication_tables where pubname = ${name}`,
  );
  return published
    .filter(({ columns }) => columns.length > 0)
    .map(({ schema, table, columns }) => {
      const list = columns.map(quoteIdentifier).join(', ');
      return `revoke select (${list}) on ${qualified(schema, table)} from ${quoteIdentifier(readerRole)}`;
    });
}

async function planRemoval(databases: Databases, connection: Connection): Promise<Removal> {
  const state = await readHere(databases.here, connection.name);
  const revokes = await planRevokes(databases, connection.name);
  return {
    stopping: state.exists ? stoppingSql(connection.name) : [],
    tickets: removeTickets(connection, state),
    source: [...revokes, `drop publication if exists ${quoteIdentifier(connection.name)}`],
    schema: removeSchema(connection),
  };
}
