import type { Fields, Value } from './messages.ts';

/** What a test writes as a field: plain JSON, a time, or a number that Firestore keeps as an integer. */
export type Plain =
  | null
  | boolean
  | number
  | string
  | Date
  | readonly Plain[]
  | { readonly [key: string]: Plain };

export function fieldsOf(data: Readonly<Record<string, Plain>>): Fields {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, valueOf(value)]));
}

function valueOf(plain: Plain): Value {
  if (plain === null) return { nullValue: 0 };
  if (typeof plain === 'boolean') return { booleanValue: plain };
  if (typeof plain === 'string') return { stringValue: plain };
  if (typeof plain === 'number')
    return Number.isSafeInteger(plain) ? { integerValue: String(plain) } : { doubleValue: plain };
  if (plain instanceof Date) {
    const seconds = Math.floor(plain.getTime() / 1_000);
    return { timestampValue: { seconds, nanos: (plain.getTime() - seconds * 1_000) * 1e6 } };
  }
  if (isList(plain)) return { arrayValue: { values: plain.map(valueOf) } };
  return { mapValue: { fields: fieldsOf(plain) } };
}

function isList(plain: Plain): plain is readonly Plain[] {
  return Array.isArray(plain);
}

/** Two values with the same text are equal in a query: an integer and a double are where their numbers are. */
function textOf(value: Value): string {
  if (value.integerValue !== undefined) return `n${Number(value.integerValue)}`;
  if (value.doubleValue !== undefined) return `n${value.doubleValue}`;
  if (value.arrayValue) return `[${(value.arrayValue.values ?? []).map(textOf).join()}]`;
  if (value.mapValue) return `{${fieldsText(value.mapValue.fields ?? {})}}`;
  return JSON.stringify(value);
}

/** Whether a value is equal to this one in a query: without a text of each where a whole stadium is compared. */
export function equalTo(expected: Value): (value: Value) => boolean {
  const { stringValue, booleanValue } = expected;
  if (stringValue !== undefined) return (value) => value.stringValue === stringValue;
  if (booleanValue !== undefined) return (value) => value.booleanValue === booleanValue;
  const text = textOf(expected);
  return (value) => textOf(value) === text;
}

/** Two documents with the same text are the same. */
export function fieldsText(fields: Fields): string {
  return Object.keys(fields)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${kindOf(fields[name])}${textOf(fields[name] ?? {})}`)
    .join();
}

/** A number that becomes a double is another document, though no query sees it. */
function kindOf(value: Value | undefined): string {
  return Object.keys(value ?? {}).join();
}

/** The parts of `a.b` and of `` `a b`.c ``. */
export function pathOf(fieldPath: string): readonly string[] {
  return [...fieldPath.matchAll(/`((?:[^`\\]|\\.)*)`|([^.`]+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '',
  );
}

export function valueAt(fields: Fields, path: readonly string[]): Value | undefined {
  const first = path[0] ?? '';
  const value = Object.hasOwn(fields, first) ? fields[first] : undefined;
  return path.length < 2 || !value ? value : valueAt(value.mapValue?.fields ?? {}, path.slice(1));
}

/** A copy with another value at this path; `undefined` removes it. */
export function withValueAt(
  fields: Fields,
  [first = '', ...rest]: readonly string[],
  value: Value | undefined,
): Fields {
  const { [first]: own, ...others } = fields;
  if (rest.length === 0) return value ? { ...others, [first]: value } : others;
  const inner = own?.mapValue?.fields ?? {};
  return { ...others, [first]: { mapValue: { fields: withValueAt(inner, rest, value) } } };
}
