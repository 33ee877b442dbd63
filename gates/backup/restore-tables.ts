import postgres from 'postgres';
import { readColumns, readEvents } from './backup-contents.ts';
import {
  type BackupContents,
  columnList,
  countingRows,
  isOfRecord,
  type TableContents,
  tableOf,
} from './backup-format.ts';
import { copyIn } from '../import/copy-in.ts';
import { quoteIdentifier } from '../../database/with-connection.ts';
import { GatesError } from '../cli/errors.ts';
import { Progress } from '../cli/progress.ts';
import { reserveEvent } from '../simulator/simulated-id.ts';
import type { Target } from '../cli/target.ts';

const MAX_LIST = 5;
/** The columns that identify a row. */
const KEYS = {
  events: ['id'],
  sectors: ['event_id', 'code'],
  tickets: ['event_id', 'id'],
  event_details: ['event_id'],
  ticket_times: ['event_id', 'id'],
  kept_readings: ['event_id', 'id', 'at', 'is_valid_ticket', 'entrou', 'setor'],
  minutes: ['event_id', 'source', 'import_id', 'minute', 'sector'],
  log: ['event_id', 'seq'],
} as const;
/** The columns of a ticket by which it is counted; others a trigger may fill. */
const COUNTED: ReadonlySet<string> = new Set([...KEYS.tickets, 'is_valid_ticket', 'entrou', 'setor']);
/** The key columns that may be null. */
const NULLABLE: ReadonlySet<string> = new Set(['at', 'is_valid_ticket', 'entrou', 'setor']);

/**
 * Keeps others from writing tickets until the transaction ends; reading is free. For a backup of one event it only keeps
 * other commands from that event, so that the gates of the other events go on.
 */
export async function reserveTickets(sql: postgres.Sql, { onlyEvent }: BackupContents): Promise<void> {
  if (onlyEvent === undefined) return lockTickets(sql);
  if (await reserveEvent(sql, onlyEvent, 'simulated')) return;
  throw new GatesError(
    `Another command is adding tickets to the event ${onlyEvent}: wait until it has ended.`,
  );
}

async function lockTickets(sql: postgres.Sql): Promise<void> {
  await sql`set local lock_timeout = '10s'`;
  try {
    await sql`lock table public.tickets in share row exclusive mode`;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== '55P03') throw error;
    throw new GatesError('Another program is writing tickets, or holds them: stop it first.');
  }
}

/** Checks the whole database, or the one event of the backup. */
export async function assertNoTickets(
  sql: postgres.Sql,
  { onlyEvent, tables }: BackupContents,
  { folder }: Target,
): Promise<void> {
  const events = (await readEvents(sql, onlyEvent)).filter(({ tickets }) => tickets > 0);
  const [first] = events;
  if (!first) return;
  const alone = tables.some(isOfRecord)
    ? ' Where they come from their source, by "connect" or a subscription, restore the record alone, with --only record.'
    : '';
  if (onlyEvent !== undefined) {
    throw new GatesError(
      `The event ${onlyEvent} has ${first.tickets} tickets here already, and its backup is restored only where it has ` +
        `none. "event delete" deletes them, after a backup.${alone}`,
    );
  }
  const total = events.reduce((sum, { tickets }) => sum + tickets, 0);
  const named = events.slice(0, MAX_LIST).map(({ id, tickets }) => `${tickets} of event ${id}`);
  const rest = events.length > MAX_LIST ? `, and ${events.length - MAX_LIST} more events` : '';
  const fix =
    folder === undefined
      ? 'Let GATES_DATABASE_URL name a database without tickets, which "npm run migrate" has prepared.'
      : 'Start the board on a new, empty DATA_DIR, and restore there.';
  throw new GatesError(
    `The database has ${total} tickets already (${named.join(', ')}${rest}), and a backup is restored only where there ` +
      `are none. ${fix}${alone}`,
  );
}

/** Deletes what tickets that are there no more have left: times of messages, by which a message that is sent again is older. */
export async function forgetDeletedTickets(sql: postgres.Sql, { onlyEvent }: BackupContents): Promise<void> {
  await sql`delete from public.ticket_times ${onlyEvent === undefined ? sql`` : sql`where event_id = ${onlyEvent}`}`;
}

export async function assertColumnsExist(sql: postgres.Sql, tables: readonly TableContents[]): Promise<void> {
  const statements: string[] = [];
  for (const { name, columns } of tables) {
    const present = new Set((await readColumns(sql, name)).map((column) => column.name));
    const additions = columns
      .filter((column) => !present.has(column.name))
      .map((column) => `ADD COLUMN ${quoteIdentifier(column.name)} ${column.type}`);
    if (additions.length > 0) statements.push(`ALTER TABLE ${tableOf(name)} ${additions.join(', ')};`);
  }
  if (statements.length === 0) return;
  throw new GatesError(
    `The backup has columns that the database lacks. Their owner adds them with ${statements.join(' ')} Then restore again.`,
  );
}

/** Existing rows stay as they are. `check` runs while the rows are in the temporary `incoming_` table. */
export async function insertRows(
  sql: postgres.Sql,
  { name, columns, rows: total }: TableContents,
  rows: AsyncIterable<Buffer>,
  check: () => Promise<void> = async () => {},
): Promise<void> {
  const list = columnList(columns);
  const incoming = `incoming_${name}`;
  await sql.unsafe(
    `create temporary table ${incoming} on commit drop as select ${list} from ${tableOf(name)} with no data`,
  );
  const progress = new Progress();
  try {
    const counted = countingRows(rows, (count) => {
      if (name === 'tickets') progress.show(() => `${count} of ${total} tickets`);
    });
    await copyIn(sql, `copy ${incoming} (${list}) from stdin`, counted);
  } finally {
    progress.end();
  }
  await check();
  const isSame = KEYS[name]
    .map((key) => `there.${key} ${NULLABLE.has(key) ? 'is not distinct from' : '='} incoming.${key}`)
    .join(' and ');
  const { count } = await sql.unsafe(
    `insert into ${tableOf(name)} (${list}) overriding system value select ${list} from ${incoming} incoming
      where not exists (select from ${tableOf(name)} there where ${isSame})`,
  );
  if (count < total) {
    const left = total - count;
    const words =
      left === 1 ? 'is there already, and stays as it is' : 'are there already, and stay as they are';
    const rowsThere = name === 'log' ? 'entries of the log' : name.replace('_', ' ');
    process.stderr.write(`${left} of ${total} ${rowsThere} ${words}.\n`);
  }
}

/** Detects a trigger of a gate system that changed or kept the rows. */
export async function assertRestored(sql: postgres.Sql, contents: BackupContents): Promise<void> {
  const columns = contents.tables.find(({ name }) => name === 'tickets')?.columns ?? [];
  const isSame = columns
    .filter(({ name }) => COUNTED.has(name))
    .map(({ name }) => `there.${name} = incoming.${name}`)
    .join(' and ');
  const [{ others }] = await sql.unsafe<[{ others: number }]>(
    `select count(*)::int as others from incoming_tickets incoming
      where not exists (select from public.tickets there where ${isSame})`,
  );
  if (others > 0) {
    throw new GatesError(
      `${others} tickets are others than in the backup once they are written: a trigger of public.tickets changes them.`,
    );
  }
  const [there, wanted] = [await readEvents(sql, contents.onlyEvent), contents.events].map((events) =>
    JSON.stringify(
      events.flatMap(({ id, tickets, valid, entered }) =>
        tickets > 0 ? [{ id, tickets, valid, entered }] : [],
      ),
    ),
  );
  if (there !== wanted) {
    throw new GatesError(
      `The tickets are others than in the backup once they are written (${there}): was it altered?`,
    );
  }
}
