import { readFile } from 'node:fs/promises';
import { alignColumns } from '../cli/align-columns.ts';
import { GatesError, UsageError } from '../cli/errors.ts';
import { readVenue } from '../../domain/venue-file.ts';
import { JsonFileError } from '../../domain/json-file.ts';
import { writeNewFile } from '../cli/new-file.ts';
import type { Settings } from './connection.ts';
import { at, type Place } from './databases.ts';
import { query } from './sql.ts';
import type { Choice, Names, System } from './system.ts';

/** Something of theirs that an operator chooses by its ID. */
interface Choosable {
  readonly id: string;
  readonly name: string | null;
  readonly tickets: number;
}

interface Category extends Choosable {
  readonly capacity: number | null;
}

const MAX_NAME = 40;
/** So many IDs are named that could be chosen in place of an unknown one. */
const MAX_LISTED = 20;

/**
 * Lists what is to be chosen next: events, or the check-in lists and categories of one.
 *
 * @throws UsageError where the source has no such event.
 */
export async function listChoices(
  owner: Place,
  system: System,
  names: Names,
  event: string | undefined,
): Promise<string> {
  const { choosing, name } = system;
  if (!choosing) throw new Error(`${name} has nothing to choose`);
  const read = (text: string): Promise<Choosable[]> => at(owner, (sql) => query<Choosable>(sql, text));
  if (event === undefined) return describe('--event', 'valid', await read(choosing.events(names)));
  await assertChosen(owner, system, names, { event, list: undefined, sectors: {} });
  const lists = choosing.lists && (await read(choosing.lists(names, event)));
  const categories = await read(choosing.categories(names, event));
  return [
    ...(lists ? [describe('--list', 'scanned', lists)] : []),
    describe('--category ID=SECTOR', 'valid', categories),
  ].join('\n');
}

function describe(option: string, count: string, rows: readonly Choosable[]): string {
  const lines = rows.map(({ id, name, tickets }) => [id, String(tickets), plainName(name)]);
  return `${alignColumns([[option, count, 'name'], ...lines], [1]).join('\n')}\n`;
}

/** @throws UsageError that names what is not the source's, or not the event's, and what is. */
export async function assertChosen(
  owner: Place,
  { choosing }: System,
  names: Names,
  { event, list, sectors }: Choice & Pick<Settings, 'sectors'>,
): Promise<void> {
  if (!choosing) return;
  const assertThere = async (wanted: readonly string[], choices: string, hasNo: string): Promise<void> => {
    const rows = await at(owner, (sql) => query<{ id: string }>(sql, `select id from (${choices}) choices`));
    const known = rows.map(({ id }) => id);
    const unknown = wanted.filter((id) => !known.includes(id));
    if (unknown.length === 0) return;
    const first = known.slice(0, MAX_LISTED).join(', ') || 'none';
    throw new UsageError(
      `${hasNo} ${unknown.join(', ')}; it has ${first}${known.length > MAX_LISTED ? ', …' : ''}.`,
    );
  };
  await assertThere([event], choosing.events(names), '--event: the source has no event');
  if (list !== undefined && choosing.lists)
    await assertThere([list], choosing.lists(names, event), '--list: the event has no list');
  const categories = Object.keys(sectors);
  if (categories.length > 0)
    await assertThere(categories, choosing.categories(names, event), '--category: the event has no category');
}

/**
 * Writes a venue with a row for each sector that categories are assigned to. A file that has it already, as after a run that
 * was broken off, is left. Returns how many rows it has.
 */
export async function writeVenue(
  owner: Place,
  { choosing, name: system }: System,
  names: Names,
  { event, sectors }: { event: string; sectors: Readonly<Record<string, string | null>> },
  path: string,
): Promise<number> {
  if (!choosing) throw new Error(`${system} has no categories`);
  const capacityOf = choosing.capacity?.(names, 'category.id') ?? 'null::int';
  const categories = await at(owner, (sql) =>
    query<Category>(
      sql,
      `select category.*, (${capacityOf}) as capacity from (${choosing.categories(names, event)}) category`,
    ),
  );
  const rows = new Map<string, { name: string; capacity: number | undefined }>();
  for (const { id, name, capacity } of categories) {
    const code = sectors[id] === undefined ? id : sectors[id];
    if (code === null) continue;
    const row = rows.get(code);
    const sum = row === undefined ? (capacity ?? undefined) : addUp(row.capacity, capacity);
    rows.set(code, { name: row?.name ?? freeName(plainName(name), code, rows), capacity: sum });
  }
  const venue = {
    name: 'Local',
    sectors: [...rows].map(([code, { name, capacity }]) => ({
      code,
      name,
      // JSON leaves out what is undefined.
      capacity: capacity === 0 ? undefined : capacity,
    })),
  };
  const text = `${JSON.stringify(venue, undefined, 2)}\n`;
  try {
    readVenue(text);
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    throw new GatesError(`The categories make no venue, map some with --category:\n${error.message}`);
  }
  // One that cannot be read is reported as it is written.
  const there = await readFile(path, 'utf8').catch(() => undefined);
  if (there !== text) await writeNewFile(path, (append) => append(Buffer.from(text)));
  return rows.size;
}

/** One capacity that is not known makes the sum unknown. */
function addUp(sum: number | undefined, capacity: number | null): number | undefined {
  return sum === undefined || capacity === null ? undefined : sum + capacity;
}

function freeName(name: string, code: string, rows: ReadonlyMap<string, { name: string }>): string {
  const short = cut(name || code, MAX_NAME);
  const isTaken = [...rows.values()].some((row) => row.name.toLowerCase() === short.toLowerCase());
  return isTaken ? `${cut(short, MAX_NAME - code.length - 1)} ${code}` : short;
}

/** Cuts between characters of Unicode. */
function cut(text: string, length: number): string {
  return Array.from(text).slice(0, length).join('').trim();
}

/** A name may be JSON with a text for each language. */
function plainName(name: string | null): string {
  try {
    const value: unknown = JSON.parse(name ?? '');
    if (typeof value === 'object' && value !== null) return String(Object.values(value)[0] ?? '');
  } catch {
    // It is the name itself.
  }
  return name ?? '';
}
