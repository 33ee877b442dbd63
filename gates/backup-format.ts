import { createHash, type Hash } from 'node:crypto';

/**
 * A backup is an SQL script, compressed with gzip, that psql can run, too:
 *
 *   -- Triagem backup 1
 *   -- {"takenAt": …, "events": […], "tables": […]}        what is in it: BackupContents
 *   begin; …
 *   copy public.events ("id") from stdin;                   and sectors, and tickets
 *   …                                                       rows in the text format of COPY
 *   \.
 *   commit;
 *   -- sha256 …                                             of every byte before this line
 */
export interface BackupContents {
  /** When the snapshot was taken, by the database's clock: ISO 8601, UTC. */
  readonly takenAt: string;
  readonly events: readonly EventContents[];
  /** In the order of TABLES. */
  readonly tables: readonly TableContents[];
}

export interface EventContents {
  readonly id: string;
  readonly tickets: number;
  readonly valid: number;
  readonly entered: number;
}

export interface TableContents {
  readonly name: (typeof TABLES)[number];
  readonly rows: number;
  /** All but generated ones: a gate system may have added its own. */
  readonly columns: readonly Column[];
}

export interface Column {
  readonly name: string;
  /** As SQL writes it. */
  readonly type: string;
}

export const TABLES = ['events', 'sectors', 'tickets'] as const;

/** A reader expects all that is not a value to the letter: a text that changes makes it another version. */
export const FIRST_LINE = '-- Triagem backup 1\n';
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
export const BEGIN = `begin;\n${Object.entries(VALUE_SETTINGS)
  .map(([name, value]) => `set local ${name} = '${value}';\n`)
  .join('')}`;

export function copyStatement({ name, columns }: TableContents, way: 'from stdin' | 'to stdout'): string {
  return `copy public.${name} (${columnList(columns)}) ${way}`;
}

export function columnList(columns: readonly Column[]): string {
  return columns.map(({ name }) => quoteIdentifier(name)).join(', ');
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
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
export function parseContents(line: string): BackupContents {
  const contents = JSON.parse(line.replace(/^-- /, '')) as BackupContents;
  const isWhole =
    typeof contents.takenAt === 'string' &&
    contents.events.every(
      ({ id, tickets, valid, entered }) =>
        typeof id === 'string' && [tickets, valid, entered].every(Number.isSafeInteger),
    ) &&
    contents.tables.map(({ name }) => name).join() === TABLES.join() &&
    contents.tables.every(({ rows, columns }) => Number.isSafeInteger(rows) && columns.every(isColumn));
  if (!isWhole) throw new Error('a field is missing');
  return contents;
}

/** The type is also shown, in a statement for somebody to run: no other statement may stand in it. */
function isColumn({ name, type }: Column): boolean {
  return typeof name === 'string' && /^[\p{L}\p{N}_ "().,[\]$-]+$/u.test(type);
}
