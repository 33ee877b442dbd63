import {
  describe,
  type Node,
  quote,
  readFields,
  readJsonFile,
  readNameUpTo,
  readText,
  readTimeZone,
  type ReportFault,
} from './json-file.ts';
import { MAX_CODES } from './tally.ts';
import { type Sector, standOf, type Venue } from './venue.ts';

/** Several times what the largest venue takes. */
export const MAX_VENUE_FILE_BYTES = 1_000_000;

const MAX_SECTORS = 60;
const MAX_VENUE_NAME = 80;
const MAX_SECTOR_NAME = 40;
/** People who leave do not read more. */
const MAX_WALL_TEXT = 80;
/** It fits one line of an alarm's card, or two on a wall. */
const MAX_CONTACT = 40;
/** The limit of a ticket's sector. */
const MAX_CODE_BYTES = 32;

/**
 * Reads a venue file: strict JSON, in which every key must be known. A sector may leave out `codes` (default: its code),
 * `stand` (default: the first word of its name), `capacity`, `contact` and `entriesPerHour`.
 *
 * @throws JsonFileError that names every fault.
 */
export function readVenue(text: string): Venue {
  return readJsonFile(text, readRoot);
}

function readRoot(node: Node, report: ReportFault): Venue {
  const read = readFields(
    node,
    'the venue',
    ['name', 'sectors'],
    ['timeZone', 'evacuation'],
    report,
    (key) => key,
  );
  const name = read('name', '', readNameUpTo(MAX_VENUE_NAME));
  const timeZone = read<string | undefined>('timeZone', undefined, readTimeZone);
  const evacuation = read<Venue['evacuation']>('evacuation', undefined, readEvacuation);
  const sectors = read<readonly Sector[]>('sectors', [], readSectors);
  return {
    name,
    ...(timeZone !== undefined && { timeZone }),
    ...(evacuation !== undefined && { evacuation }),
    sectors,
  };
}

function readEvacuation(node: Node, label: string, report: ReportFault): Venue['evacuation'] {
  const read = readFields(node, label, ['wallText'], [], report);
  return { wallText: read('wallText', '', readNameUpTo(MAX_WALL_TEXT)) };
}

function readSectors(node: Node, label: string, report: ReportFault): Sector[] {
  const nodes = node.children ?? [];
  if (node.type !== 'array' || nodes.length === 0 || nodes.length > MAX_SECTORS) {
    const found = node.type === 'array' ? `has ${nodes.length}` : `is ${describe(node)}`;
    report(node, `${label} ${found}: give a list of 1 to ${MAX_SECTORS} sectors`);
    return [];
  }
  const sectors = nodes.map((child, index) => readSector(child, labelOf(index), report));
  const codes = sectors.reduce((sum, sector) => sum + sector.codes.length, 0);
  if (codes > MAX_CODES) report(node, `${label} has ${codes} codes in all: give at most ${MAX_CODES}`);
  reportRepeated(sectors, (index, fault) => report(nodes[index] ?? node, fault));
  return sectors;
}

const OPTIONAL_FIELDS = ['stand', 'codes', 'capacity', 'contact', 'entriesPerHour'];

/** Faulty fields are left empty. */
function readSector(node: Node, label: string, report: ReportFault): Sector {
  const read = readFields(node, label, ['code', 'name'], OPTIONAL_FIELDS, report);
  const code = read('code', '', readCode);
  const name = read('name', '', readNameUpTo(MAX_SECTOR_NAME));
  const stand = read('stand', standOf(name), readNameUpTo(MAX_SECTOR_NAME));
  const codes = read('codes', [code], readCodes);
  const capacity = read<number | undefined>('capacity', undefined, readCapacity);
  const contact = read<string | undefined>('contact', undefined, readNameUpTo(MAX_CONTACT));
  const entriesPerHour = read<number | undefined>('entriesPerHour', undefined, readEntriesPerHour);
  return {
    code,
    name,
    stand,
    codes,
    ...(capacity !== undefined && { capacity }),
    ...(contact !== undefined && { contact }),
    ...(entriesPerHour !== undefined && { entriesPerHour }),
  };
}

/**
 * A code in two sectors, or twice in one, would be counted twice. Names that differ in case only are reported, too: people
 * could not distinguish them.
 */
function reportRepeated(sectors: readonly Sector[], report: (index: number, fault: string) => void): void {
  const reportTwice = (what: string, keysOf: (sector: Sector) => readonly string[]): void => {
    const owners = new Map<string, number>();
    for (const [index, sector] of sectors.entries()) {
      for (const key of keysOf(sector).filter((text) => text !== '')) {
        const owner = owners.get(key);
        if (owner === undefined) owners.set(key, index);
        else if (owner === index) report(index, `${labelOf(index)} has the ${what} ${quote(key)} twice`);
        else report(index, `the ${what} ${quote(key)} is in ${labelOf(owner)} and in ${labelOf(index)}`);
      }
    }
  };
  reportTwice('code', ({ code, codes }) => (codes.includes(code) ? codes : [code, ...codes]));
  reportTwice('name', ({ name }) => [name.normalize().toLowerCase()]);
}

const labelOf = (index: number): string => `sector ${index + 1}`;

/** Codes are those of tickets, to the byte: a space at the end counts. */
function readCode(node: Node, label: string, report: ReportFault): string {
  const code = readText(node, label, report);
  const bytes = new TextEncoder().encode(code).length;
  if (bytes > MAX_CODE_BYTES) report(node, `${label} has ${bytes} bytes: give at most ${MAX_CODE_BYTES}`);
  return code;
}

function readCodes(node: Node, label: string, report: ReportFault): string[] {
  const nodes = node.children ?? [];
  if (node.type !== 'array' || nodes.length === 0) {
    const found = node.type === 'array' ? 'an empty list' : describe(node);
    report(node, `${label} is ${found}: give a list of codes, or leave it out`);
    return [];
  }
  return nodes.map((child, index) => readCode(child, `code ${index + 1} in ${label}`, report));
}

function readCapacity(node: Node, label: string, report: ReportFault): number {
  if (Number.isSafeInteger(node.value) && Number(node.value) >= 0) return Number(node.value);
  report(node, `${label} is ${describe(node)}: give a whole number`);
  return 0;
}

/** A value of 0 is refused: an unknown capacity is left out. */
function readEntriesPerHour(node: Node, label: string, report: ReportFault): number {
  if (Number.isSafeInteger(node.value) && Number(node.value) > 0) return Number(node.value);
  report(node, `${label} is ${describe(node)}: give a whole number above 0, or leave it out`);
  return 0;
}
