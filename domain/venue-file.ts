import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { MAX_CODES } from './tally.ts';
import { isTimeZone } from './time-zone.ts';
import { type Sector, standOf, type Venue } from './venue.ts';

/** The text is no venue: what is wrong with it, each fault with its line. */
export class VenueError extends Error {
  override readonly name = 'VenueError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Several times what the largest venue takes. */
export const MAX_VENUE_FILE_BYTES = 1_000_000;

const MAX_SECTORS = 60;
const MAX_VENUE_NAME = 80;
const MAX_SECTOR_NAME = 40;
/** As long as the sector of a ticket may be. */
const MAX_CODE_BYTES = 32;
/** So many faults are told one by one. */
const MAX_FAULTS = 100;

/** What no screen can draw, or what changes the direction of the text after it. */
const UNFIT_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

type TellFault = (node: Node, fault: string) => void;

/**
 * Reads a venue file: strict JSON, of which every key must be known. A sector may leave out `codes` (its code), `stand`
 * (the first word of its name) and `capacity`.
 *
 * @throws VenueError that names every fault.
 */
export function readVenue(text: string): Venue {
  const faults: string[] = [];
  const venue = readRoot(parseStrictly(text), (node, fault) => {
    faults.push(`line ${lineAt(text, node.offset)}: ${fault}`);
  });
  const more = faults.length - MAX_FAULTS;
  if (more > 0) faults.splice(MAX_FAULTS, more, `and ${more} more`);
  if (faults.length > 0) throw new VenueError(faults);
  return venue;
}

function parseStrictly(text: string): Node {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    // Editors of Windows put a byte order mark first, which is none of the text.
    root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new VenueError(['it is nested too deep to be a venue']);
  }
  const [first] = errors;
  if (root && !first) return root;
  const reason = first ? printParseErrorCode(first.error).replaceAll(/\B[A-Z]/g, ' $&') : 'value expected';
  throw new VenueError([`line ${lineAt(text, first?.offset ?? 0)}: it is not JSON: ${reason.toLowerCase()}`]);
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\r|\n/).length;
}

function readRoot(node: Node, tell: TellFault): Venue {
  const read = readFields(node, 'the venue', ['name', 'sectors'], ['timeZone'], tell);
  const name = read('name', '', readNameUpTo(MAX_VENUE_NAME));
  const timeZone = read<string | undefined>('timeZone', undefined, readTimeZone);
  const sectors = read<readonly Sector[]>('sectors', [], readSectors);
  return { name, ...(timeZone !== undefined && { timeZone }), sectors };
}

function readSectors(node: Node, label: string, tell: TellFault): Sector[] {
  const nodes = node.children ?? [];
  if (node.type !== 'array' || nodes.length === 0 || nodes.length > MAX_SECTORS) {
    const found = node.type === 'array' ? `has ${nodes.length}` : `is ${describe(node)}`;
    tell(node, `${label} ${found}: give a list of 1 to ${MAX_SECTORS} sectors`);
    return [];
  }
  const sectors = nodes.map((child, index) => readSector(child, labelOf(index), tell));
  const codes = sectors.reduce((sum, sector) => sum + sector.codes.length, 0);
  if (codes > MAX_CODES) tell(node, `${label} has ${codes} codes in all: give at most ${MAX_CODES}`);
  tellRepeated(sectors, (index, fault) => tell(nodes[index] ?? node, fault));
  return sectors;
}

/** What is not as it should be is left empty. */
function readSector(node: Node, label: string, tell: TellFault): Sector {
  const read = readFields(node, label, ['code', 'name'], ['stand', 'codes', 'capacity'], tell);
  const code = read('code', '', readCode);
  const name = read('name', '', readNameUpTo(MAX_SECTOR_NAME));
  const stand = read('stand', standOf(name), readNameUpTo(MAX_SECTOR_NAME));
  const codes = read('codes', [code], readCodes);
  const capacity = read<number | undefined>('capacity', undefined, readCapacity);
  return { code, name, stand, codes, ...(capacity !== undefined && { capacity }) };
}

/**
 * A code in two sectors, or twice in one, would be counted twice. Names that differ in nothing but the case of their
 * letters are told, too: nobody could tell them apart.
 */
function tellRepeated(sectors: readonly Sector[], tell: (index: number, fault: string) => void): void {
  const tellTwice = (what: string, keysOf: (sector: Sector) => readonly string[]): void => {
    const owners = new Map<string, number>();
    for (const [index, sector] of sectors.entries()) {
      for (const key of keysOf(sector).filter((text) => text !== '')) {
        const owner = owners.get(key);
        if (owner === undefined) owners.set(key, index);
        else if (owner === index) tell(index, `${labelOf(index)} has the ${what} ${quote(key)} twice`);
        else tell(index, `the ${what} ${quote(key)} is in ${labelOf(owner)} and in ${labelOf(index)}`);
      }
    }
  };
  tellTwice('code', ({ code, codes }) => (codes.includes(code) ? codes : [code, ...codes]));
  tellTwice('name', ({ name }) => [name.normalize().toLowerCase()]);
}

const labelOf = (index: number): string => `sector ${index + 1}`;

/** Reads the value of a key, or gives what stands for none. */
type ReadField = <T>(key: string, without: T, read: (node: Node, label: string, tell: TellFault) => T) => T;

/** Tells keys that are missing, not known, or there twice. */
function readFields(
  node: Node,
  label: string,
  needed: readonly string[],
  optional: readonly string[],
  tell: TellFault,
): ReadField {
  const fields = new Map<string, Node>();
  if (node.type === 'object') {
    const known = [...needed, ...optional];
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (!key || !value) continue;
      const name = String(key.value);
      if (!known.includes(name)) {
        tell(key, `${label} has ${quote(name)}, which is not known: it may have ${known.join(', ')}`);
      } else if (fields.has(name)) tell(key, `${label} has ${quote(name)} twice`);
      else fields.set(name, value);
    }
    for (const name of needed) if (!fields.has(name)) tell(node, `${label} has no ${quote(name)}`);
  } else {
    tell(node, `${label} is ${describe(node)}: give an object with ${needed.map(quote).join(' and ')}`);
  }
  return (key, without, read) => {
    const value = fields.get(key);
    return value ? read(value, label === 'the venue' ? key : `${key} of ${label}`, tell) : without;
  };
}

function readText(node: Node, label: string, tell: TellFault): string {
  if (node.type !== 'string') tell(node, `${label} is ${describe(node)}: give a text in quotes`);
  else if (node.value === '') tell(node, `${label} is empty`);
  else if (UNFIT_CHARACTER.test(String(node.value))) tell(node, `${label} has a control character`);
  else return String(node.value);
  return '';
}

function readNameUpTo(most: number) {
  return (node: Node, label: string, tell: TellFault): string => {
    const name = readText(node, label, tell);
    const length = Array.from(name).length;
    if (length > most) tell(node, `${label} has ${length} characters: give at most ${most}`);
    if (name !== name.trim()) tell(node, `${label} begins or ends with a space`);
    return name;
  };
}

/** As tickets have it, to the byte: with a space at its end, if need be. */
function readCode(node: Node, label: string, tell: TellFault): string {
  const code = readText(node, label, tell);
  const bytes = new TextEncoder().encode(code).length;
  if (bytes > MAX_CODE_BYTES) tell(node, `${label} has ${bytes} bytes: give at most ${MAX_CODE_BYTES}`);
  return code;
}

function readCodes(node: Node, label: string, tell: TellFault): string[] {
  const nodes = node.children ?? [];
  if (node.type !== 'array' || nodes.length === 0) {
    const found = node.type === 'array' ? 'an empty list' : describe(node);
    tell(node, `${label} is ${found}: give a list of codes, or leave it out`);
    return [];
  }
  return nodes.map((child, index) => readCode(child, `code ${index + 1} in ${label}`, tell));
}

function readCapacity(node: Node, label: string, tell: TellFault): number {
  if (Number.isSafeInteger(node.value) && Number(node.value) >= 0) return Number(node.value);
  tell(node, `${label} is ${describe(node)}: give a whole number`);
  return 0;
}

function readTimeZone(node: Node, label: string, tell: TellFault): string {
  const name = readText(node, label, tell);
  if (name !== '' && !isTimeZone(name)) {
    tell(node, `${label} is ${quote(name)}: give an IANA name, as America/Fortaleza`);
  }
  return name;
}

/** A value in a message, short and without what would break the line. */
function describe({ type, value }: Node): string {
  if (type === 'array') return 'a list';
  if (type === 'object') return 'an object';
  return type === 'string' ? quote(String(value)) : String(value);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
