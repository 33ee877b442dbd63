import postgres from 'postgres';
import { prepareForTables, seeOneInstant } from '../backup/backup-contents.ts';
import { eventColumnOf, TABLES, tableOf } from '../backup/backup-format.ts';
import { writeBackup } from '../backup/backup-writer.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { canAsk, confirm } from '../cli/confirm.ts';
import { findConnection } from '../connect/connection.ts';
import { GatesError, printable, quoteTitle, quoteValue, UsageError } from '../cli/errors.ts';
import { readEvent, reportBoards } from './event.ts';
import { withSession } from '../cli/session.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget, type Target } from '../cli/target.ts';
import { userPath } from '../cli/user-path.ts';
import { describeTickets } from './code-counts.ts';
import { type EventSummary, readSummaries } from './event-summary.ts';

const WRITTEN =
  'A gate, or another command, has written a ticket of this event since it was exported: stop those first.';
/** SQLSTATE for a row that was changed since it was exported. */
const SERIALIZATION_FAILURE = '40001';

export const deleteEvent: Command = {
  help: `Usage: npm run -s gates -- event delete --event ID [--export FILE] [--yes]

Writes the event into a backup of its own, then deletes its tickets, sectors, title and times, and the event itself, in one
transaction: what is deleted is exactly what is in the file. Its record stays. Asks first. An event that a running board
or a fleet's desk shows, or that "connect" follows, is left alone.

  --event ID     this event; it must be named
  --export FILE  the backup, a new file (default: event-ID-TIME.sql.gz in this folder)
  --yes          do not ask

"restore FILE" brings the event back, beside others. Without a file that is whole, nothing is deleted.
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      event: { type: 'string' },
      export: { type: 'string' },
      yes: { type: 'boolean', default: false },
    });
    if (values.event === undefined) throw new UsageError('--event is missing: the event must be named.');
    const eventId = readEvent(values.event, {}) ?? '';
    if (!values.yes && !canAsk()) {
      throw new UsageError('Deleting an event needs --yes, as nobody is here to be asked.');
    }
    const takenAt = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
    const path = userPath(values.export ?? `event-${eventId}-${takenAt}Z.sql.gz`, env);
    const stop = stopSignal();
    const target = await findTarget(env);
    if (target.boards.some((board) => board.eventId === eventId)) {
      throw new GatesError(`${refusal(eventId)} Nothing was deleted.`);
    }
    await withSession(target, stop, async (session) => {
      let event = await findEvent(session.sql, eventId);
      await assertNotConnected(session.sql, eventId);
      await assertNothingFollows(session.sql);
      if (await isShown(session.sql, eventId))
        throw new GatesError(`${refusal(eventId)} Nothing was deleted.`);
      if (target.hasCounters) reportBoards(target);
      const waiting = await countKept(session.sql, eventId);
      if (waiting > 0) process.stderr.write(describeKept(waiting));
      process.stderr.write(`${describe(event)}\nIt will be written to ${printable(path)} first.\n`);
      if (!values.yes) await confirm(`Delete the event ${describeShortly(event)}?`, stop);
      let bytes = 0;
      await session.transaction('Nothing was deleted.', async (sql) => {
        await seeOneInstant(sql);
        await prepareForTables(sql);
        // Gates may have written while the question was open.
        event = await findEvent(sql, eventId);
        ({ bytes } = await writeBackup({ gates: sql, record: undefined }, path, eventId));
        process.stderr.write(`Written to ${printable(path)} (${bytes} bytes); deleting...\n`);
        const times = await deleteRows(sql, eventId);
        const [left] = await readSummaries(sql, eventId);
        if (left) throw new GatesError(`A trigger keeps ${describeTickets(left.tickets)} of the event.`);
        // No gate writes times without its ticket's lock, so these are all that there are.
        if ((await countTimes(target, stop, eventId)) > times) throw new GatesError(WRITTEN);
        // A board may have been started meanwhile.
        if (await isShown(sql, eventId)) throw new GatesError(refusal(eventId));
      });
      process.stdout.write(
        `${describeShortly(event)} deleted; "restore ${printable(path)}" brings it back\n`,
      );
      const [left] = await readSummaries(session.sql, eventId);
      if (left) {
        process.stderr.write(
          `${left.tickets} tickets were added to the event meanwhile: they are left, and not in the file.\n`,
        );
      }
    });
    return 0;
  },
};

async function findEvent(sql: postgres.Sql, eventId: string): Promise<EventSummary> {
  const [event] = await readSummaries(sql, eventId);
  if (event) return event;
  throw new GatesError(`There is no event ${eventId}: "event list" lists them. Nothing was deleted.`);
}

/** A connection would bring back those tickets alone that change. */
async function assertNotConnected(sql: postgres.Sql, eventId: string): Promise<void> {
  const connection = await findConnection(sql);
  if (connection?.settings.eventId !== eventId) return;
  throw new GatesError(
    `"connect" brings the tickets of the event ${eventId}: "connect --remove" takes them away ("backup FILE --event ${eventId}" keeps them in a file). Nothing was deleted.`,
  );
}

/** A foreign key may delete or change rows of other tables with those of the event, which are in no backup of it. */
async function assertNothingFollows(sql: postgres.Sql): Promise<void> {
  const ours = sql`select to_regclass(name)::oid from unnest(string_to_array(${TABLES.map(tableOf).join()}, ',')) name`;
  const [key] = await sql<{ table: string; name: string }[]>`
    select conrelid::regclass::text as "table", conname as name from pg_catalog.pg_constraint
    where contype = 'f' and confdeltype in ('c', 'n', 'd') and confrelid in (${ours}) and conrelid not in (${ours})
    order by 1, 2`;
  if (!key) return;
  throw new GatesError(
    `The foreign key ${quoteValue(key.name)} of ${key.table} deletes or changes rows there with those of an event, and no backup of the event has them: save them, and drop that key. Nothing was deleted.`,
  );
}

/** Boards, and desks of a fleet, name their database sessions after their events. */
async function isShown(sql: postgres.Sql, eventId: string): Promise<boolean> {
  const rows = await sql`
    select from pg_catalog.pg_stat_activity
    where datname = current_database() and (application_name = ${`triagem board ${eventId}`}
      or starts_with(application_name, ${`triagem record ${eventId}`}))`;
  return rows.length > 0;
}

function refusal(eventId: string): string {
  return `A running board, or a fleet's desk, shows the event ${eventId}: start that with another EVENT_ID first.`;
}

/** Returns how many tickets had times of messages. Where it returns, the tickets are locked. */
async function deleteRows(sql: postgres.Sql, eventId: string): Promise<number> {
  let times = 0;
  try {
    // Gates lock a ticket before its times, too.
    await sql`select count(*) from (select from public.tickets where event_id = ${eventId} for update) locked`;
    for (const table of TABLES.toReversed()) {
      const { count } =
        await sql`delete from ${sql(tableOf(table))} where ${sql(eventColumnOf(table))} = ${eventId}`;
      if (table === 'ticket_times') times = count;
    }
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== SERIALIZATION_FAILURE) throw error;
    throw new GatesError(WRITTEN);
  }
  return times;
}

/** Counts what is committed, in a session of its own: the transaction that deletes does not see what came after its export. */
async function countTimes(target: Target, stop: AbortSignal, eventId: string): Promise<number> {
  return withSession(target, stop, async ({ sql }) => {
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::int as count from public.ticket_times where event_id = ${eventId}`;
    return count;
  });
}

async function countKept(sql: postgres.Sql, eventId: string): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int as count from public.kept_readings where event_id = ${eventId}`;
  return count;
}

function describeKept(count: number): string {
  const readings = count === 1 ? '1 reading of gates waits' : `${count} readings of gates wait`;
  return `${readings} for tickets of this event, and will be deleted, too: "kept" lists them (docs/trouble.md, "Restore").\n`;
}

function describe(event: EventSummary): string {
  return `The event ${describeShortly(event)}: ${event.valid} valid, ${event.entered} entered.`;
}

function describeShortly({ eventId, title, tickets }: EventSummary): string {
  return `${eventId}${title === null ? '' : ` (${quoteTitle(title)})`} with ${describeTickets(tickets)}`;
}
