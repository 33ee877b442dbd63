import { setTimeout as pause } from 'node:timers/promises';
import { DIFFERING_VIEW, FILLED_MARK } from '../../domain/connection-marks.ts';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import { errorCode, GatesError, quoteValue, stopped } from '../cli/errors.ts';
import { compareTickets, findDifferentCopies } from './comparison.ts';
import type { Connection } from './connection.ts';
import { at, type Databases, type Place } from './databases.ts';
import { type FoundTable, shapeOf, tableName } from './find-tables.ts';
import { hereSql } from './here-sql.ts';
import { runSql } from './sql.ts';
import { makeSlot } from './slot.ts';
import { type HereState, readHere, readThere } from './state.ts';
import { stopWorkers } from './stop-workers.ts';

/** A part of a connection that is made at once, or not at all. */
export interface Step {
  readonly place: Place;
  readonly what: string;
  /** The statements of one transaction. */
  readonly statements: readonly string[];
  readonly isDone: () => Promise<boolean>;
  /** Does it where that is more than running the statements. */
  readonly run?: () => Promise<void>;
}

const WAIT_MS = 100;
const ATTEMPTS = 5;
/** A worker that fails is gone at once, and PostgreSQL starts the next one after seconds. */
const WORKS_MS = 1_000;
/** A table whose copy fails so often is reported; PostgreSQL tries on. */
const FAILED_COPIES = 3;

/**
 * Returns the steps in their order. After each of them, and within each, the process may be killed: those that are done are
 * found so. The board is not live from the first step in its database to the last.
 */
export async function planSteps(
  databases: Databases,
  connection: Connection,
  tables: readonly FoundTable[],
  stop: AbortSignal,
): Promise<Step[]> {
  const { here, owner, reader, readerRole } = databases;
  const { name } = connection;
  const state = await readHere(here, name);
  const sql = hereSql(connection, tables, databases, state);
  const fault = await faultOf(databases, connection, tables, state, stop);
  // What a publication left out is not sent again.
  const { isPublished: wasPublished } = await at(owner, (there) => readThere(there, name, tables));
  const isWhole = async (): Promise<boolean> =>
    fault === undefined && wasPublished && (await isCopyWhole(databases, connection, tables));
  const makingCopies = (await isWhole()) ? sql.copies : [...sql.dropCopies, ...sql.copies];
  return [
    {
      place: owner,
      what: 'the reader may read the columns',
      statements: await grants(owner, tables, readerRole),
      isDone: () =>
        at(reader, (there) => readThere(there, name, tables).then(({ isReadable }) => isReadable)),
    },
    {
      place: owner,
      what: 'a publication of these columns',
      statements: publication(name, tables),
      isDone: () =>
        at(owner, (there) => readThere(there, name, tables).then(({ isPublished }) => isPublished)),
    },
    {
      place: here,
      what: `${fault === undefined ? '' : `in place of a subscription ${fault}: `}copies of the tables, their view, and a subscription that waits`,
      statements: makingCopies,
      isDone: isWhole,
      async run() {
        await stopWorkers(databases, name, stop);
        await runAgain(here, makingCopies);
      },
    },
    {
      place: reader,
      what: 'a slot of the log',
      statements: [`select pg_create_logical_replication_slot(${quoteLiteral(name)}, 'pgoutput')`],
      isDone: async () => (await readHere(here, name)).hasBegun,
      run: () => makeSlot(reader, name),
    },
    {
      place: here,
      what: 'the subscription copies, and follows',
      statements: sql.enable,
      isDone: async () => (await readHere(here, name)).isEnabled,
    },
    {
      place: here,
      what: 'every table is copied',
      statements: [untilCopied(name)],
      isDone: async () => (await readHere(here, name)).isCopied,
      run: () => waitForCopies(here, name, stop),
    },
    {
      place: here,
      what: 'triggers, and all tickets, in one transaction',
      statements: sql.fill,
      isDone: () => isFilled(here, name),
    },
    {
      place: here,
      what: 'the tickets are those of the source',
      statements: sql.mark,
      isDone: async () => (await readHere(here, name)).comment === FILLED_MARK,
      run: async () => {
        await assertSame(databases, connection, tables, stop);
        await runAgain(here, sql.mark);
      },
    },
  ];
}

/** @throws GatesError where the same rows are other tickets here. */
async function assertSame(
  databases: Databases,
  connection: Connection,
  tables: readonly FoundTable[],
  stop: AbortSignal,
): Promise<void> {
  const { differences } = await compareTickets(databases, connection, tables, stop);
  const [first] = differences;
  if (!first) return;
  throw new GatesError(
    `${differences.length} tickets are not here what they are at the source, from the same rows; the ticket ${quoteValue(first.key)} is at the source ${first.there ?? 'missing'}, and here ${first.here ?? 'missing'}. Does the query compare texts by their order, or change their case? That depends on the collation of a database. The board is not live before they are the same: "connect --remove", then connect with another query.`,
  );
}

/** Resolves once all steps are done. */
export async function runSteps(
  steps: readonly Step[],
  stop: AbortSignal,
  report: (line: string) => void,
): Promise<void> {
  for (const { place, what, statements, isDone, run } of steps) {
    if (stop.aborted) throw stopped();
    const wasDone = await isDone();
    if (!wasDone) await (run ? run() : runAgain(place, statements));
    report(`${what}: ${wasDone ? 'already there' : 'done'}`);
  }
}

/** Whether the tickets are those of the copies, and follow them. */
async function isFilled(here: Place, name: string): Promise<boolean> {
  const { isFollowed, isGuarded } = await readHere(here, name);
  if (!isFollowed || !isGuarded) return false;
  const differing = await at(here, (sql) => sql`select from ${sql(`${name}.${DIFFERING_VIEW}`)} limit 1`);
  return differing.length === 0;
}

async function isCopyWhole(
  { here, owner }: Databases,
  { name, settings }: Connection,
  tables: readonly FoundTable[],
): Promise<boolean> {
  const { exists, shape, settings: kept, hasBegun } = await readHere(here, name);
  if (!exists || kept !== JSON.stringify(settings) || shape !== shapeOf(tables)) return false;
  // Without its slot, what was committed meanwhile can only be copied anew.
  return !hasBegun || at(owner, async (sql) => (await readThere(sql, name, tables)).hasSlot);
}

/**
 * Returns why a subscription is made anew; undefined where it is not. Watches one that has copied its tables for a second. What
 * the log has for a worker that fails at each start stays in the log: copies that are made anew, with a slot that is newer, go
 * without. A worker that runs, while nobody uses its slot at the source, reads another server. One whose slot was advanced by
 * hand left out what the log had.
 */
async function faultOf(
  databases: Databases,
  connection: Connection,
  tables: readonly FoundTable[],
  before: HereState,
  stop: AbortSignal,
): Promise<string | undefined> {
  const { here, reader } = databases;
  const { name } = connection;
  if (!before.isEnabled || !before.isCopied) return undefined;
  await pause(WORKS_MS);
  const { worker, failures } = await readHere(here, name);
  if (worker === null || worker !== before.worker || failures > before.failures) return 'whose worker fails';
  const unused = await at(
    reader,
    (sql) => sql`select from pg_replication_slots where slot_name = ${name} and not active`,
  );
  // A source gives up a worker that waits for a lock and says nothing.
  const fed = await at(
    here,
    (sql) => sql`
      select from pg_stat_subscription where subname = ${name} and pid = ${worker}
        and clock_timestamp() - last_msg_receipt_time < current_setting('wal_receiver_timeout')::interval / 2 + interval '4 s'`,
  );
  if (unused.length > 0 && fed.length > 0) return 'that reads another server';
  const there = await at(reader, (sql) => readThere(sql, name, tables));
  const isComparable = there.isReadable && there.isPublished && there.hasSlot;
  if (!isComparable || before.shape !== shapeOf(tables)) return undefined;
  const differing = await findDifferentCopies(databases, connection, tables, stop);
  return differing.length > 0 ? `whose rows of ${differing.join(', ')} are not the source's` : undefined;
}

async function grants(owner: Place, tables: readonly FoundTable[], role: string): Promise<string[]> {
  const to = quoteIdentifier(role);
  const names = [...new Set(tables.map(({ schema }) => schema))];
  const hidden = await at(
    owner,
    (sql) => sql<{ name: string }[]>`
      select nspname as name from pg_namespace
      where nspname in ${sql(names)} and not has_schema_privilege(${role}, oid, 'usage')`,
  );
  return [
    ...hidden.map(({ name }) => `grant usage on schema ${quoteIdentifier(name)} to ${to}`),
    ...tables.map((table) => `grant select (${columnsOf(table)}) on ${tableName(table)} to ${to}`),
  ];
}

function publication(name: string, tables: readonly FoundTable[]): string[] {
  const published = tables.map((table) => `table ${tableName(table)} (${columnsOf(table)})`);
  return [
    `drop publication if exists ${quoteIdentifier(name)}`,
    `create publication ${quoteIdentifier(name)} for ${published.join(', ')}`,
  ];
}

function columnsOf({ columns }: FoundTable): string {
  return columns.map(({ name }) => quoteIdentifier(name)).join(', ');
}

async function waitForCopies(here: Place, name: string, stop: AbortSignal): Promise<void> {
  const before = (await readHere(here, name)).failures;
  for (;;) {
    const { isCopied, failures } = await readHere(here, name);
    if (isCopied) return;
    if (stop.aborted) throw stopped();
    if (failures - before >= FAILED_COPIES)
      throw new GatesError(
        `The tables cannot be copied: the log of the board's PostgreSQL has the reason. Once it is mended, run this again; "--remove" takes back what is there.`,
      );
    await pause(WAIT_MS);
  }
}

/**
 * Runs statements in one transaction, which is tried again where it and another one wait for each other: the subscription's
 * worker, or a board that compares the copies.
 */
async function runAgain(place: Place, statements: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runSql(place.sql, ...statements);
    } catch (error) {
      if (errorCode(error) !== '40P01' || attempt === ATTEMPTS)
        return at(place, () => Promise.reject(error as Error));
    }
  }
}

/** Copies all tables again, and fills the tickets from them. */
export async function copyAnew(
  databases: Databases,
  connection: Connection,
  tables: readonly FoundTable[],
  stop: AbortSignal,
): Promise<void> {
  const { here } = databases;
  const sql = hereSql(connection, tables, databases, await readHere(here, connection.name));
  await stopWorkers(databases, connection.name, stop);
  await runAgain(here, [...sql.dropCopies, ...sql.copies]);
  await runSteps(await planSteps(databases, connection, tables, stop), stop, () => {});
}

function untilCopied(name: string): string {
  return `do $$
begin
  while exists (
    select from pg_subscription_rel r join pg_subscription s on s.oid = r.srsubid
    where s.subname = ${quoteLiteral(name)} and r.srsubstate <> 'r') loop
    commit;
    perform pg_sleep(0.1);
  end loop;
end $$`;
}
