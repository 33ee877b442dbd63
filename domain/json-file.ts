import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { isTimeZone } from './time-zone.ts';

/** A file has faults; each names its line. */
export class JsonFileError extends Error {
  override readonly name = 'JsonFileError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Further faults are only counted. */
const MAX_FAULTS = 100;

/** A character that no screen can draw, or that changes the direction of the text after it. */
const UNFIT_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

export type ReportFault = (node: Node, fault: string) => void;

export type { Node };

/**
 * Reads a file that people write: strict JSON. `read` returns its value, and reports every fault with its node.
 *
 * @throws JsonFileError that names every fault.
 */
export function readJsonFile<T>(text: string, read: (root: Node, report: ReportFault) => T): T {
  const faults: string[] = [];
  const value = read(parseStrictly(text), (node, fault) => {
    faults.push(`line ${lineAt(text, node.offset)}: ${fault}`);
  });
  const more = faults.length - MAX_FAULTS;
  if (more > 0) faults.splice(MAX_FAULTS, more, `and ${more} more`);
  if (faults.length > 0) throw new JsonFileError(faults);
  return value;
}

function parseStrictly(text: string): Node {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    // Editors of Windows put a byte order mark first.
    root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new JsonFileError(['it is nested too deep']);
  }
  const [first] = errors;
  if (root && !first) return root;
  const before = text.slice(0, first?.offset).trimEnd();
  const next = text.charAt(first?.offset ?? 0);
  // The parser reports what follows it.
  if (first && before.endsWith(',') && ['}', ']', ','].includes(next)) {
    throw new JsonFileError([
      `line ${lineAt(text, before.length)}: it is not JSON: the comma before ${quote(next)} is one too many`,
    ]);
  }
  const reason = first ? printParseErrorCode(first.error).replaceAll(/\B[A-Z]/g, ' $&') : 'value expected';
  throw new JsonFileError([
    `line ${lineAt(text, first?.offset ?? 0)}: it is not JSON: ${reason.toLowerCase()}`,
  ]);
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\r|\n/).length;
}

/** Reads the value of a key; returns `without` where it is missing. */
export type ReadField = <T>(
  key: string,
  without: T,
  read: (node: Node, label: string, report: ReportFault) => T,
) => T;

/** Reads an object, and reports missing, unknown and repeated keys. `labelOf` names a key in faults. */
export function readFields(
  node: Node,
  label: string,
  needed: readonly string[],
  optional: readonly string[],
  report: ReportFault,
  labelOf = (key: string): string => `${key} of ${label}`,
): ReadField {
  const fields = new Map<string, Node>();
  if (node.type === 'object') {
    const known = [...needed, ...optional];
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (!key || !value) continue;
      const name = String(key.value);
      if (!known.includes(name)) {
        report(key, `${label} has ${quote(name)}, which is not known: it may have ${known.join(', ')}`);
      } else if (fields.has(name)) report(key, `${label} has ${quote(name)} twice`);
      else fields.set(name, value);
    }
    for (const name of needed) if (!fields.has(name)) report(node, `${label} has no ${quote(name)}`);
  } else {
    report(node, `${label} is ${describe(node)}: give an object with ${needed.map(quote).join(' and ')}`);
  }
  return (key, without, read) => {
    const value = fields.get(key);
    return value ? read(value, labelOf(key), report) : without;
  };
}

export function readText(node: Node, label: string, report: ReportFault): string {
  if (node.type !== 'string') report(node, `${label} is ${describe(node)}: give a text in quotes`);
  else if (node.value === '') report(node, `${label} is empty`);
  else if (UNFIT_CHARACTER.test(String(node.value))) report(node, `${label} has a control character`);
  else return String(node.value);
  return '';
}

export function readNameUpTo(most: number) {
  return (node: Node, label: string, report: ReportFault): string => {
    const name = readText(node, label, report);
    const length = Array.from(name).length;
    if (length > most) report(node, `${label} has ${length} characters: give at most ${most}`);
    if (name !== name.trim()) report(node, `${label} begins or ends with a space`);
    return name;
  };
}

export function readTimeZone(node: Node, label: string, report: ReportFault): string {
  const name = readText(node, label, report);
  if (name !== '' && !isTimeZone(name)) {
    report(node, `${label} is ${quote(name)}: give an IANA name, as America/Fortaleza`);
  }
  return name;
}

/** Returns a value for a message, short and on one line. */
export function describe({ type, value }: Node): string {
  if (type === 'array') return 'a list';
  if (type === 'object') return 'an object';
  return type === 'string' ? quote(String(value)) : String(value);
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
