import { readColumnNames } from '../csv/columns.ts';
import { ENCODINGS } from '../csv/encoding.ts';
import type { ReadOptions } from '../csv/read-tickets.ts';
import { UsageError } from '../errors.ts';

/** How files are imported. */
export interface ImportOptions extends ReadOptions {
  /** Tickets that are there get validity and sector from the file. */
  readonly update: boolean;
  /** Tickets that are not in the file are marked as not valid. */
  readonly cancelMissing: boolean;
}

/** For `readArguments`: what an import of one file, and of all of a folder, have in common. */
export const IMPORT_ARGUMENTS = {
  event: { type: 'string' },
  column: { type: 'string', multiple: true },
  encoding: { type: 'string' },
  update: { type: 'boolean', default: false },
  'cancel-missing': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
} as const;

/** For the help of a command that takes files of tickets. */
export const FILE_HELP = `\
The columns stand between commas, semicolons or tabs, in any order, and are found by their names in the first line: id and
setor, and isValidTicket and entrou if the file has them (without: valid, not entered). Upper or lower case does not
matter, and other columns are left alone. Booleans are true/false, 1/0, sim/não, s/n or verdadeiro/falso. Ids and sectors
are stored as they are written; spaces around a value do not count, unless they are within its quotes. UTF-8, UTF-16 and
Windows-1252 are told apart.`;

export const IMPORT_ARGUMENTS_HELP = `\
  --column FIELD=NAME  this column is the field (id, isValidTicket, entrou or setor); may be given several times:
                       --column setor="Setor do ingresso"
  --encoding NAME      ${ENCODINGS.join(', ')} (default: found out)
  --update             give tickets that are there validity and sector as in the file, never their admission
  --cancel-missing     mark tickets of the event that are not in the file as not valid`;

interface Values {
  readonly column?: readonly string[] | undefined;
  readonly encoding?: string | undefined;
  readonly update: boolean;
  readonly 'cancel-missing': boolean;
}

/** @throws UsageError */
export function readImportOptions(values: Values): ImportOptions {
  const encoding = ENCODINGS.find((name) => name === values.encoding?.toLowerCase());
  if (values.encoding !== undefined && encoding === undefined) {
    throw new UsageError(`--encoding is "${values.encoding}" instead of ${ENCODINGS.join(', ')}.`);
  }
  return {
    columns: readColumnNames(values.column ?? []),
    encoding,
    update: values.update,
    cancelMissing: values['cancel-missing'],
  };
}
