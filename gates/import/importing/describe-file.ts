import { FIELDS } from '../csv/columns.ts';
import { nameOfDelimiter } from '../csv/delimiter.ts';
import type { Dialect } from '../csv/dialect.ts';
import { nameOf, type Encoding } from '../csv/encoding.ts';
import { quoteValue } from '../../cli/errors.ts';

/** Describes a header that is not as expected, and the defaults for missing columns. `fields` are those that are read. */
export function describeHeader(
  { delimiter, header, columns }: Dialect,
  fields: typeof FIELDS | readonly ['id'] = FIELDS,
): string[] {
  if (header.every((name) => name === '')) return ['No header: each line is taken for an id.'];
  const taken = fields.flatMap((field) => {
    const index = columns[field];
    return index === undefined ? [] : [{ field, index, name: header[index] ?? '' }];
  });
  const isAsExpected = taken.every(({ field, name }) => name.toLowerCase() === field.toLowerCase());
  const unused = header.filter((name, index) => name !== '' && taken.every((one) => one.index !== index));
  return [
    ...(delimiter === ',' ? [] : [`Read with ${nameOfDelimiter(delimiter)} between the columns.`]),
    ...(isAsExpected && unused.length === 0
      ? []
      : [`Columns: ${taken.map(({ field, name }) => `${field} is ${quoteValue(name)}`).join(', ')}.`]),
    ...(unused.length === 0
      ? []
      : [`Not used: ${unused.map((name) => quoteValue(name.slice(0, 60))).join(', ')}.`]),
    ...(fields === FIELDS ? DEFAULTS : []).flatMap(([field, fallback]) =>
      columns[field] === undefined ? [`No column ${field}: tickets that are new ${fallback}.`] : [],
    ),
  ];
}

const DEFAULTS = [
  ['isValidTicket', 'are valid'],
  ['entrou', 'have not entered'],
  ['setor', 'cannot be added'],
] as const;

export function describeEncoding(encoding: Encoding): string[] {
  return encoding === 'utf-8' ? [] : [`Read as ${nameOf(encoding)}.`];
}
