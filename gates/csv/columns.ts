import { GatesError, quoteValue, UsageError } from '../errors.ts';

export const FIELDS = ['id', 'isValidTicket', 'entrou', 'setor'] as const;

type Field = (typeof FIELDS)[number];

/** Where the fields of a ticket stand in a line, from 0; what has no column is left to a default. */
export type Columns = Readonly<Record<'id' | 'setor', number>> &
  Readonly<Record<'isValidTicket' | 'entrou', number | undefined>>;

/** Names of columns that somebody gave for fields. */
export type ColumnNames = Readonly<Partial<Record<Field, string>>>;

/** What exports of Brazilian ticketing systems call them, beside the field's own name; as `normalize` writes them. */
const ALIASES: Readonly<Record<Field, readonly string[]>> = {
  id: [
    'ingresso',
    'idingresso',
    'iddoingresso',
    'codigo',
    'codigoingresso',
    'codigodoingresso',
    'codigodebarras',
    'ticket',
    'ticketid',
  ],
  isValidTicket: ['valido', 'ingressovalido', 'valid', 'isvalid'],
  entrou: ['jaentrou', 'entered'],
  setor: ['setoringresso', 'setordoingresso', 'codigodosetor', 'codigosetor', 'sector', 'sectorcode'],
};

/** Of `--column FIELD=NAME`, which may be given several times. */
export function readColumnNames(options: readonly string[]): ColumnNames {
  const names: Partial<Record<Field, string>> = {};
  for (const option of options) {
    const [given = '', ...rest] = option.split('=');
    const field = FIELDS.find((one) => one.toLowerCase() === given.trim().toLowerCase());
    const name = rest.join('=').trim();
    if (!field || name === '') {
      throw new UsageError(
        `--column is "${option}" instead of FIELD=NAME, FIELD one of ${FIELDS.join(', ')}.`,
      );
    }
    if (names[field] !== undefined) throw new UsageError(`--column names ${field} twice.`);
    names[field] = name;
  }
  return names;
}

/** The columns in a header that stand for fields. A field that several columns could be is in `unsure`, with these. */
export interface FoundColumns {
  readonly found: Readonly<Partial<Record<Field, number>>>;
  readonly unsure: readonly (readonly [Field, readonly string[]])[];
}

export function findColumns(header: readonly string[], names: ColumnNames): FoundColumns {
  const found: Partial<Record<Field, number>> = {};
  const unsure: [Field, readonly string[]][] = [];
  for (const field of FIELDS) {
    const indices = candidates(header, field, names[field]);
    const [index] = indices;
    if (index !== undefined && indices.length === 1) found[field] = index;
    if (indices.length > 1) unsure.push([field, indices.map((one) => header[one] ?? '')]);
  }
  return { found, unsure };
}

/** @throws GatesError that says what is missing, and which columns are there. */
export function assertComplete(
  { found: { id, isValidTicket, entrou, setor }, unsure }: FoundColumns,
  header: readonly string[],
  names: ColumnNames,
  delimiter: string,
): Columns {
  const faults = unsure.map(
    ([field, columns]) => `${field} could be ${columns.map(quoteValue).join(' or ')}`,
  );
  for (const [field, index] of Object.entries({ id, isValidTicket, entrou, setor })) {
    if (index !== undefined || unsure.some(([one]) => one === field)) continue;
    const name = names[field as Field];
    if (name !== undefined) faults.push(`there is no column ${quoteValue(name)} for ${field}`);
    else if (field === 'id' || field === 'setor') faults.push(`there is no column for ${field}`);
  }
  if (id !== undefined && setor !== undefined && faults.length === 0)
    return { id, isValidTicket, entrou, setor };
  const there = header.map((name) => quoteValue(name.slice(0, 60))).join(', ');
  throw new GatesError(
    `Line 1 is bad: the header must name id and setor, and may name isValidTicket and entrou; ${faults.join('; ')}. ` +
      `Read with ${delimiter} between the columns, it has ${there}. Say which is which: --column setor="NAME".`,
  );
}

/** A name that was given is taken for nothing else; the field's own name goes before others that are known for it. */
function candidates(header: readonly string[], field: Field, given: string | undefined): number[] {
  const indicesOf = (matches: (name: string) => boolean): number[] =>
    header.flatMap((name, index) => (matches(name) ? [index] : []));
  if (given !== undefined) {
    const exact = indicesOf((name) => name === given);
    return exact.length > 0 ? exact : indicesOf((name) => sameLetters(name) === sameLetters(given));
  }
  const own = indicesOf((name) => sameLetters(name) === field.toLowerCase());
  return own.length > 0 ? own : indicesOf((name) => ALIASES[field].includes(normalize(name)));
}

function sameLetters(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** 'Código do_Ingresso' → 'codigodoingresso'. */
function normalize(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\s_.-]|\p{M}/gu, '');
}
