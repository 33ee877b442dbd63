import { ID_AND_SECTOR, readColumnNames, type WantedColumns } from '../csv/columns.ts';
import { ENCODINGS } from '../csv/encoding.ts';
import type { ReadOptions } from '../csv/read-tickets.ts';
import { readGivenWords } from '../csv/words.ts';
import { UsageError } from '../../cli/errors.ts';

export interface ImportOptions extends Pick<ReadOptions, 'columns' | 'words' | 'encoding'> {
  /** Whether existing tickets get validity and sector from the file. */
  readonly update: boolean;
  /** Whether tickets that are not in the file are marked as not valid. */
  readonly cancelMissing: boolean;
  readonly cancelAtMost: CancelLimit;
}

/** Limits what --cancel-missing may cancel: a number of tickets, or a percentage of the valid ones. */
export interface CancelLimit {
  readonly count: number;
  readonly isPercent: boolean;
  /** The option's text, for messages. */
  readonly text: string;
}

const DEFAULT_LIMIT = '10%';
/** The columns that a change of existing tickets needs; new ones need a sector as well. */
const ID_AND_A_CHANGE: WantedColumns['needed'] = [['isValidTicket', 'setor']];

/** The options that `import` and `watch` share, for `readArguments`. */
export const IMPORT_ARGUMENTS = {
  event: { type: 'string' },
  column: { type: 'string', multiple: true },
  word: { type: 'string', multiple: true },
  encoding: { type: 'string' },
  update: { type: 'boolean', default: false },
  'cancel-missing': { type: 'boolean', default: false },
  'cancel-at-most': { type: 'string' },
  yes: { type: 'boolean', default: false },
} as const;

export const FILE_HELP = `\
The columns stand between commas, semicolons or tabs, in any order, and are found by their names in the first line: id and
setor, and isValidTicket and entrou if the file has them (without: valid, not entered). Upper or lower case does not
matter, and other columns are left alone. Booleans are true/false, 1/0, sim/não, s/n or verdadeiro/falso. Ids and sectors
are stored as they are written; spaces around a value do not count, unless they are within its quotes. UTF-8, UTF-16 and
Windows-1252 are detected.`;

export const IMPORT_ARGUMENTS_HELP = `\
  --column FIELD=NAME  this column is the field (id, isValidTicket, entrou or setor); may be given several times:
                       --column setor="Setor do ingresso"
  --word FIELD:WORD=sim, or =não
                       what this word means in the column of isValidTicket or entrou; may be given several times:
                       --word entrou:CHECKED_IN=sim --word entrou:ACQUIRED=não
  --encoding NAME      ${ENCODINGS.join(', ')} (default: found out)
  --update             give tickets that are there validity and sector as in the file, never their admission; the file
                       needs id and the columns that change
  --cancel-missing     mark tickets of the event that are not in the file as not valid
  --cancel-at-most N   refuse to cancel more than so many, or than N% of the valid tickets (default: ${DEFAULT_LIMIT})`;

interface Values {
  readonly column?: readonly string[] | undefined;
  readonly word?: readonly string[] | undefined;
  readonly encoding?: string | undefined;
  readonly update: boolean;
  readonly 'cancel-missing': boolean;
  readonly 'cancel-at-most'?: string | undefined;
}

/** @throws UsageError */
export function readImportOptions(values: Values): ImportOptions {
  const { update, 'cancel-missing': cancelMissing, 'cancel-at-most': atMost } = values;
  if (atMost !== undefined && !cancelMissing)
    throw new UsageError('--cancel-at-most needs --cancel-missing.');
  return {
    columns: {
      names: readColumnNames(values.column ?? []),
      needed: update ? ID_AND_A_CHANGE : ID_AND_SECTOR,
    },
    words: readGivenWords(values.word ?? []),
    encoding: readEncoding(values.encoding),
    update,
    cancelMissing,
    cancelAtMost: readCancelLimit(atMost ?? DEFAULT_LIMIT),
  };
}

/** @throws UsageError */
export function readEncoding(text: string | undefined): ReadOptions['encoding'] {
  const encoding = ENCODINGS.find((name) => name === text?.toLowerCase());
  if (text === undefined || encoding !== undefined) return encoding;
  throw new UsageError(`--encoding is "${text}" instead of ${ENCODINGS.join(', ')}.`);
}

function readCancelLimit(text: string): CancelLimit {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text.trim()) ?? [];
  const count = Number(digits);
  const isPercent = percent === '%';
  if (digits === undefined || (isPercent && count > 100)) {
    throw new UsageError(
      `--cancel-at-most is "${text}" instead of a number of tickets, or a percentage: 10%.`,
    );
  }
  return { count, isPercent, text: text.trim() };
}
