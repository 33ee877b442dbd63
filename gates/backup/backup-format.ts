import { createHash, type Hash } from 'node:crypto';
import { isDocumentId } from '../../domain/event.ts';
import { RESTORE_MARK } from '../../domain/restore-mark.ts';

/**
 * A backup is an SQL script, compressed with gzip, that psql can run, too:
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
  /** When the snapshot was taken, by the database's clock: ISO 8601, UTC. */
  readonly takenAt: string;
  /** The one event of which all this is; undefined: of every event. */
  readonly onlyEvent?: string | undefined;
  readonly events: readonly EventContents[];
  /** Those of the version, in their order: the record's last, where the database has one. */
  readonly tables: readonly TableContents[];
}

export interface EventContents {
  readonly id: string;
  readonly tickets: number;
  readonly valid: number;
  readonly entered: number;
}

export interface TableContents {
  readonly name: TableName;
  readonly rows: number;
  /** All but generated ones: a gate system may have added its own. */
  readonly columns: readonly Column[];
}

export interface Column {
  readonly name: string;
  /** As SQL writes it. */
  readonly type: string;
}

/** What the gates' role writes, in `public`. */
export const TABLES = [
  'events',
  'sectors',
  'tickets',
  'event_details',
  'ticket_times',
  'kept_readings',
] as const;
/** What the record's role adds to, in `triagem`. */
export const RECORD_TABLES = ['minutes', 'log'] as const;

export type TableName = (typeof TABLES)[number] | (typeof RECORD_TABLES)[number];

export function isOfRecord({ name }: Pick<TableContents, 'name'>): boolean {
  return (RECORD_TABLES as readonly string[]).includes(name);
}

/** As SQL names it. */
export function tableOf(name: TableName): string {
  return `${isOfRecord({ name }) ? 'triagem' : 'public'}.${name}`;
}

/** Says of which event a row is. */
export function eventColumnOf(name: TableName): string {
  return name === 'events' ? 'id' : 'event_id';
}

/** A reader expects all that is not a value to the letter: a text that changes makes it another version. */
export const VERSION = 3;
const TABLES_OF_VERSION: Readonly<Record<number, readonly (readonly string[])[]>> = {
  1: [['events', 'sectors', 'tickets']],
  2: [['events', 'sectors', 'tickets', 'event_details', 'ticket_times']],
  [VERSION]: [TABLES, [...TABLES, ...RECORD_TABLES]],
};

export function firstLine(version: number): string {
  return `-- Triagem backup ${version}\n`;
}

/** Undefined: it is not the first line of a backup. */
export function parseFirstLine(line: string): number | undefined {
  const version = Number(/^-- Triagem backup (\d{1,4})\n$/.exec(line)?.[1] ?? Number.NaN);
  return Number.isNaN(version) ? undefined : version;
}

export function isKnownVersion(version: number): boolean {
  return Object.hasOwn(TABLES_OF_VERSION, version);
}
/** Ends the rows of a table: in a row, a backslash is never alone. */
export const END_OF_ROWS = '\\.\n';
export const END = 'commit;\n';

/** What every value is written and read under, whatever the settings of server, database and role. */
export const VALUE_SETTINGS = {
  client_encoding: 'UTF8',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  extra_float_digits: '3',
} as const;
const BEGIN = `begin;\n${Object.entries(VALUE_SETTINGS)
  .map(([name, value]) => `set local ${name} = '${value}';\n`)
  .join('')}`;

/** Returns what stands before the tables. Since version 3 it marks the transaction in PostgreSQL's log. */
export function beginning({ onlyEvent = '' }: Pick<BackupContents, 'onlyEvent'>, version = VERSION): string {
  if (version < 3) return BEGIN;
  return `${BEGIN}select pg_logical_emit_message(true, '${RESTORE_MARK}', ${quoteLiteral(onlyEvent)});\n`;
}

/** Takes the rows of a table. */
export function copyInStatement({ name, columns }: TableContents): string {
  return `copy ${tableOf(name)} (${columnList(columns)}) from stdin`;
}

/** Brings the rows of a table, of one event or of all. */
export function copyOutStatement({ name, columns }: TableContents, onlyEvent: string | undefined): string {
  if (onlyEvent === undefined) return `copy ${tableOf(name)} (${columnList(columns)}) to stdout`;
  const isOfEvent = `${eventColumnOf(name)} = ${quoteLiteral(onlyEvent)}`;
  return `copy (select ${columnList(columns)} from ${tableOf(name)} where ${isOfEvent}) to stdout`;
}

export function columnList(columns: readonly Column[]): string {
  return columns.map(({ name }) => quoteIdentifier(name)).join(', ');
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The last line, for all that stands before it. */
export function checksumLine(before: Hash): string {
  return `-- sha256 ${before.copy().digest('hex')}\n`;
}

export function newChecksum(): Hash {
  return createHash('sha256');
}

/** Passes rows on, and tells after each piece how many they were so far: each ends with a newline, and holds none. */
export async function* countingRows(
  rows: AsyncIterable<Buffer>,
  tell: (count: number) => void,
): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const piece of rows) {
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) count += 1;
    yield piece;
    tell(count);
  }
}

export function contentsLine(contents: BackupContents): string {
  return `-- ${JSON.stringify(contents)}\n`;
}

/** Reads that line. @throws Error for one that does not say what is in the file. */
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

/** The type is also shown, in a statement for somebody to run: no other statement may stand in it. */
function isColumn({ name, type }: Column): boolean {
  return typeof name === 'string' && /^[\p{L}\p{N}_ "().,[\]$-]+$/u.test(type);
}
