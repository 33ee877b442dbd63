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

/** Errors of the parser behind which it reads on as it would without them. */
const HARMLESS: ReadonlySet<string> = new Set(['CommaExpected', 'InvalidCommentToken']);

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
  const { root, found } = parseStrictly(text);
  const value = root && read(root, ({ offset }, fault) => void found.push({ offset, fault }));
  const faults = found
    .slice(0, MAX_FAULTS)
    .map(({ offset, fault }) => `line ${lineAt(text, offset)}: ${fault}`);
  if (found.length > MAX_FAULTS) faults.push(`and ${found.length - MAX_FAULTS} more`);
  if (value === undefined || faults.length > 0) throw new JsonFileError(faults);
  return value;
}

interface FoundFault {
  readonly offset: number;
  readonly fault: string;
}

/** Returns no root where a fault leaves open what the rest means. */
function parseStrictly(text: string): { readonly root: Node | undefined; readonly found: FoundFault[] } {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    // Editors of Windows put a byte order mark first.
    root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new JsonFileError(['it is nested too deep']);
  }
  const found: FoundFault[] = [];
  const take = (offset: number, fault: string): void =>
    void found.push({ offset, fault: `it is not JSON: ${fault}` });
  let lastOffset = -1;
  for (const { error, offset } of errors) {
    // The parser may report one place twice.
    if (offset === lastOffset) continue;
    lastOffset = offset;
    const before = text.slice(0, offset).trimEnd();
    const next = text.charAt(offset);
    const name = printParseErrorCode(error);
    // The parser reports what follows it.
    if (before.endsWith(',') && ['}', ']', ','].includes(next)) {
      take(before.length, `the comma before ${quote(next)} is one too many`);
    } else {
      take(offset, name.replaceAll(/\B[A-Z]/g, ' $&').toLowerCase());
      if (!HARMLESS.has(name)) return { root: undefined, found };
    }
  }
  if (!root && found.length === 0) take(0, 'value expected');
  return { root, found };
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
