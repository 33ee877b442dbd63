import { GatesError, quoteValue, UsageError } from '../../cli/errors.ts';
import { nameOfDelimiter } from './delimiter.ts';

export const FIELDS = ['id', 'isValidTicket', 'entrou', 'setor'] as const;

type Field = (typeof FIELDS)[number];

/** Column indices by field, from 0; undefined for fields that the file lacks. */
export type Columns = Readonly<Record<'id', number>> & Readonly<Record<Field, number | undefined>>;

/** Column names that the user gave for fields. */
export type ColumnNames = Readonly<Partial<Record<Field, string>>>;

/** The columns that a command requires in a header. */
export interface WantedColumns {
  readonly names: ColumnNames;
  /** `id` is always needed, and one field of each of these groups. */
  readonly needed: readonly (readonly Field[])[];
  /** The codes of sectors, which name no column. */
  readonly codes?: ReadonlySet<string>;
  /** Only the id is read. A file of one column with an unknown name has no header: it lists ids. */
  readonly idsAlone?: boolean;
}

/** The columns that new tickets need. */
export const ID_AND_SECTOR: WantedColumns['needed'] = [['setor']];

export const IDS_ALONE = 'A list of ids alone can be cancelled: "gates -- cancel FILE".';

/** Names in exports of Brazilian ticketing systems, beside the field's own name, in the form of `normalize`. */
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

/** Reads `--column FIELD=NAME`, which may be given several times. @throws UsageError */
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

/** The columns of a header by field. A field that several columns could be is in `unsure`, with their names. */
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

/** @throws GatesError that names the missing and the existing columns. */
export function assertComplete(
  { found, unsure }: FoundColumns,
  header: readonly string[],
  { names, needed }: WantedColumns,
  delimiter: string,
): Columns {
  const faults = unsure.map(([field, columns]): [Field, string] => [
    field,
    new Set(columns).size === 1
      ? `several columns are named ${quoteValue(columns[0] ?? '')}: rename all but one in the file`
      : `${field} could be ${columns.map(quoteValue).join(' or ')}`,
  ]);
  const isMissing = (field: Field): boolean =>
    found[field] === undefined && unsure.every(([one]) => one !== field);
  for (const field of FIELDS) {
    const name = names[field];
    if (name !== undefined && isMissing(field))
      faults.push([field, `there is no column ${quoteValue(name)} for ${field}`]);
  }
  const groups: WantedColumns['needed'] = [['id'], ...needed];
  for (const group of groups) {
    if (group.every((field) => isMissing(field) && names[field] === undefined))
      faults.push([group[0] ?? 'id', `there is no column for ${group.join(' or ')}`]);
  }
  const { id, isValidTicket, entrou, setor } = found;
  if (id !== undefined && faults.length === 0) return { id, isValidTicket, entrou, setor };
  const there = header.map((name) => quoteValue(name.slice(0, 60))).join(', ');
  const must = groups.map((group) => group.join(' or ')).join(' and ');
  const options = new Set(faults.map(([field]) => `--column ${field}="NAME"`));
  const fix =
    header.length === 1 && id !== undefined
      ? IDS_ALONE
      : `Is line 1 a ticket itself? Then put a header above it, as ${exampleHeader(needed, header, delimiter)}. ` +
        (header.length === 1 ? `${IDS_ALONE} ` : '') +
        `Else say which is which: ${[...options].join(' ')}.`;
  const may = FIELDS.filter((field) => groups.every((group) => !group.includes(field))).join(' and ');
  throw new GatesError(
    `Line 1 is bad: the header must name ${must}, and may name ${may}; ${faults.map(([, fault]) => fault).join('; ')}. ` +
      `Read with ${nameOfDelimiter(delimiter)} between the columns, it has ${there}. ${fix}`,
  );
}

/** Returns '"id;setor;…"', with a mark for more columns where line 1 has them. */
export function exampleHeader(
  needed: WantedColumns['needed'],
  firstLine: readonly string[],
  delimiter: string,
): string {
  const names = ['id', ...needed.map(([field]) => field)];
  const all = firstLine.length > names.length ? [...names, '…'] : names;
  return `"${all.join(delimiter)}"`;
}

/** Returns the columns that may be the field: by the given name only, else by the field's own name, else by an alias. */
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

/** Turns 'Código do_Ingresso' into 'codigodoingresso'. */
function normalize(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\s\p{P}\p{S}\p{M}]/gu, '');
}
