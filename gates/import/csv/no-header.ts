import { GatesError, quoteValue } from '../../cli/errors.ts';
import { exampleHeader, IDS_ALONE, type FoundColumns, type WantedColumns } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { isWord } from './words.ts';

/** Says which cell of line 1 can only be a value of a ticket; undefined where there is none. A column found by its own name is a header's. */
export function findValue(
  header: readonly string[],
  { found, unsure }: FoundColumns,
  { names, codes }: WantedColumns,
): string | undefined {
  const isFoundByName = (field: 'id' | 'setor'): boolean =>
    names[field] === undefined && (found[field] !== undefined || unsure.some(([one]) => one === field));
  if (isFoundByName('id') || isFoundByName('setor')) return undefined;
  const code = header.find((cell) => codes?.has(cell));
  if (code !== undefined) return `${quoteValue(code)} is the code of a sector`;
  const word = header.find(isWord);
  return word === undefined ? undefined : `${quoteValue(word)} means yes or no`;
}

/** `because` says which cell of line 1 is no name of a column. */
export function noHeader(
  { header, delimiter }: Pick<Dialect, 'header' | 'delimiter'>,
  { needed, idsAlone }: WantedColumns,
  because: string,
): GatesError {
  const isList = header.length === 1 && idsAlone !== true;
  return new GatesError(
    `Line 1 is bad: this file has no header, as ${because}: put one above, as ${exampleHeader(needed, header, delimiter)}.` +
      (isList ? ` ${IDS_ALONE}` : ''),
  );
}
