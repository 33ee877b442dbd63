import { readFile } from 'node:fs/promises';
import { errorMessage, GatesError, UsageError } from '../cli/errors.ts';
import { type Settings, SYSTEMS } from './connection.ts';
import { ownView } from './systems/own-view.ts';

export const OPTIONS = {
  event: { type: 'string' },
  list: { type: 'string' },
  category: { type: 'string', multiple: true },
  view: { type: 'string' },
  tables: { type: 'string' },
  into: { type: 'string' },
  venue: { type: 'string' },
  print: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  remove: { type: 'boolean', default: false },
} as const;

interface Values {
  readonly event?: string | undefined;
  readonly list?: string | undefined;
  readonly category?: readonly string[] | undefined;
  readonly view?: string | undefined;
  readonly tables?: string | undefined;
  readonly venue?: string | undefined;
}

/** What the options say of the source; the event is undefined where it is to be chosen. */
export type Wanted = Omit<Settings, 'eventId' | 'event'> & { readonly event: string | undefined };

/** @throws UsageError that names what is wrong; GatesError where the file of the view cannot be read. */
export async function readWanted(name: string | undefined, values: Values): Promise<Wanted> {
  const { event, list, view, tables, venue } = values;
  const known = SYSTEMS.map((system) => system.name).join(', ');
  if ((name === undefined) === (view === undefined))
    throw new UsageError(`Name the system (${known}), or another's view with --view.`);
  const system = SYSTEMS.find((one) => one.name === name);
  if (name !== undefined && !system)
    throw new UsageError(`The system "${name}" is not known: it is one of ${known}, or --view.`);
  if ((view === undefined) !== (tables === undefined))
    throw new UsageError('--view and --tables go together.');
  if (view !== undefined && (event !== undefined || list !== undefined))
    throw new UsageError('--event and --list are of the known systems: a view chooses by itself.');
  if (view !== undefined && venue !== undefined)
    throw new UsageError('--venue is of the known systems: a view has no names of categories.');
  if (system && !system.choosing?.lists && list !== undefined)
    throw new UsageError(`--list: ${system.name} has no check-in lists, leave it out.`);
  for (const [option, id] of Object.entries({ event, list })) {
    if (id !== undefined && !/^\d{1,18}$/.test(id))
      throw new UsageError(`--${option} is "${id}": give the number of the ${option}, as listed without it.`);
  }
  const sectors = readCategories(values.category ?? []);
  if (view === undefined || tables === undefined)
    return { system: name, view: undefined, event, list, sectors };
  const query = await readFile(view, 'utf8').catch((error: unknown) => {
    throw new GatesError(`${view} cannot be read: ${errorMessage(error)}.`);
  });
  ownView(query, tables);
  return { system: undefined, view: { query, tables }, event: '', list: undefined, sectors };
}

function readCategories(texts: readonly string[]): Record<string, string | null> {
  const sectors = new Map<string, string | null>();
  for (const [id, sector] of texts.map(readCategory)) {
    if (sectors.has(id)) throw new UsageError(`--category names ${id} twice: a category has one sector.`);
    sectors.set(id, sector);
  }
  return Object.fromEntries(sectors);
}

function readCategory(text: string): [string, string | null] {
  const at = text.lastIndexOf('=');
  if (at <= 0) throw new UsageError(`--category is "${text}", which is not ID=SECTOR.`);
  return [text.slice(0, at), text.slice(at + 1) || null];
}
