import { createHash, type Hash } from 'node:crypto';
import { isDocumentId } from '../../domain/event.ts';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import { RESTORE_MARK } from '../../domain/restore-mark.ts';

/**
 * A backup is an SQL script in gzip that psql can run as well:
 *
 *   -- Triagem backup 3
 *   -- {"takenAt": …, "events": […], "tables": […]}        what is in it: BackupContents
 *   begin; …                                                and what marks the transaction as a restore
 *   copy public.events ("id") from stdin;                   and the other tables
 *   …                                                       rows in the text format of COPY
 *   \.
 *   commit;
 *   -- sha256 …                                             of every byte before this line
 *
 * Version 1 had no event details and no times of tickets, and always held every event. Version 2 had no kept readings, no
 * record, and no mark.
 */
export interface BackupContents {
  /** The time of the snapshot by the database's clock: ISO 8601, UTC. */
  readonly takenAt: string;
  /** Undefined for a backup of all events. */
  readonly onlyEvent?: string | undefined;
  readonly events: readonly EventContents[];
  /** The tables in the order of the version; the record's are last, if there is a record. */
  readonly tables: readonly TableContents[];
}

export interface EventContents {
  readonly id: string;
  readonly tickets: number;
  readonly valid: number;
  readonly entered: number;
  /** Absent: none. */
  readonly simulated?: number;
}

export interface TableContents {
  readonly name: TableName;
  readonly rows: number;
  /** Includes columns that a gate system has added; generated ones are left out. */
  readonly columns: readonly Column[];
}

export interface Column {
  readonly name: string;
  readonly type: string;
}

/** The gates' role writes these tables of `public`. */
export const TABLES = [
  'events',
  'sectors',
  'tickets',
  'event_details',
  'ticket_times',
  'kept_readings',
] as const;
/** The record's role adds to these tables of `triagem`. */
export const RECORD_TABLES = ['minutes', 'log'] as const;

export type TableName = (typeof TABLES)[number] | (typeof RECORD_TABLES)[number];

export function isOfRecord({ name }: Pick<TableContents, 'name'>): boolean {
  return (RECORD_TABLES as readonly string[]).includes(name);
}

/** Returns the table's qualified name. */
export function tableOf(name: TableName): string {
  return `${isOfRecord({ name }) ? 'triagem' : 'public'}.${name}`;
}

export function eventColumnOf(name: TableName): string {
  return name === 'events' ? 'id' : 'event_id';
}

/** A reader compares all text but values literally, so any changed text needs a new version. */
export const VERSION = 3;
const TABLES_OF_VERSION: Readonly<Record<number, readonly (readonly string[])[]>> = {
  1: [['events', 'sectors', 'tickets']],
  2: [['events', 'sectors', 'tickets', 'event_details', 'ticket_times']],
  [VERSION]: [TABLES, [...TABLES, ...RECORD_TABLES]],
};

export function firstLine(version: number): string {
  return `-- Triagem backup ${version}\n`;
}

/** Returns the version; undefined for the first line of another file. */
export function parseFirstLine(line: string): number | undefined {
  const version = Number(/^-- Triagem backup (\d{1,4})\n$/.exec(line)?.[1] ?? Number.NaN);
  return Number.isNaN(version) ? undefined : version;
}

export function isKnownVersion(version: number): boolean {
  return Object.hasOwn(TABLES_OF_VERSION, version);
}

/** Marks the end of a table's rows, in which a backslash is never alone. */
export const END_OF_ROWS = '\\.\n';
export const END = 'commit;\n';

/** Values are written and read with these settings, whatever those of server, database and role. */
export const VALUE_SETTINGS = {
  client_encoding: 'UTF8',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  extra_float_digits: '3',
} as const;
const BEGIN = `begin;\n${Object.entries(VALUE_SETTINGS)
  .map(([name, value]) => `set local ${name} = '${value}';\n`)
  .join('')}`;

/** Returns the script before the tables. Since version 3 it marks the transaction in PostgreSQL's log. */
export function beginning({ onlyEvent = '' }: Pick<BackupContents, 'onlyEvent'>, version = VERSION): string {
  if (version < 3) return BEGIN;
  return `${BEGIN}select pg_logical_emit_message(true, '${RESTORE_MARK}', ${quoteLiteral(onlyEvent)});\n`;
}

export function copyInStatement({ name, columns }: TableContents): string {
  return `copy ${tableOf(name)} (${columnList(columns)}) from stdin`;
}

export function copyOutStatement({ name, columns }: TableContents, onlyEvent: string | undefined): string {
  if (onlyEvent === undefined) return `copy ${tableOf(name)} (${columnList(columns)}) to stdout`;
  const isOfEvent = `${eventColumnOf(name)} = ${quoteLiteral(onlyEvent)}`;
  return `copy (select ${columnList(columns)} from ${tableOf(name)} where ${isOfEvent}) to stdout`;
}

export function columnList(columns: readonly Column[]): string {
  return columns.map(({ name }) => quoteIdentifier(name)).join(', ');
}

/** Returns the last line of the script. `before` has hashed everything before it. */
export function checksumLine(before: Hash): string {
  return `-- sha256 ${before.copy().digest('hex')}\n`;
}

export function newChecksum(): Hash {
  return createHash('sha256');
}

/** Passes rows on, and reports their number so far after each chunk. A row has one newline, at its end. */
export async function* countingRows(
  rows: AsyncIterable<Buffer>,
  onCount: (count: number) => void,
): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const chunk of rows) {
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', at + 1)) count += 1;
    yield chunk;
    onCount(count);
  }
}

export function contentsLine(contents: BackupContents): string {
  return `-- ${JSON.stringify(contents)}\n`;
}

/** @throws Error for a line that is not the contents of a backup of this version. */
export function parseContents(line: string, version: number): BackupContents {
  const contents = JSON.parse(line.replace(/^-- /, '')) as BackupContents;
  const { onlyEvent } = contents;
  const isWhole =
    typeof contents.takenAt === 'string' &&
    (onlyEvent === undefined ||
      (isDocumentId(onlyEvent) && contents.events.every(({ id }) => id === onlyEvent))) &&
    contents.events.every(
      ({ id, tickets, valid, entered }) =>
        typeof id === 'string' && [tickets, valid, entered].every(Number.isSafeInteger),
    ) &&
    TABLES_OF_VERSION[version]?.some((names) => names.join() === namesOf(contents)) === true &&
    contents.tables.every(({ rows, columns }) => Number.isSafeInteger(rows) && columns.every(isColumn));
  if (!isWhole) throw new Error('a field is missing');
  return contents;
}

function namesOf({ tables }: BackupContents): string {
  return tables.map(({ name }) => name).join();
}

/** The type is printed in a statement that an operator may run, so it must not contain another statement. */
function isColumn({ name, type }: Column): boolean {
  return typeof name === 'string' && /^[\p{L}\p{N}_ "().,[\]$-]+$/u.test(type);
}
