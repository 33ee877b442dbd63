import { FIELDS } from '../csv/columns.ts';
import { nameOfDelimiter, type Dialect } from '../csv/dialect.ts';
import { nameOf, type Encoding } from '../csv/encoding.ts';
import { quoteValue } from '../errors.ts';

/** Whatever was found out from a header that is not as expected, and what stands for columns that are missing. */
export function describeHeader({ delimiter, header, columns }: Dialect): string[] {
  const renamed = FIELDS.flatMap((field) => {
    const index = columns[field];
    const name = index === undefined ? field : (header[index] ?? '');
    return name.toLowerCase() === field.toLowerCase() ? [] : [`${field} is ${quoteValue(name)}`];
  });
  return [
    ...(delimiter === ',' ? [] : [`Read with ${nameOfDelimiter(delimiter)} between the columns.`]),
    ...(renamed.length === 0 ? [] : [`Columns: ${renamed.join(', ')}.`]),
    ...(columns.isValidTicket === undefined
      ? ['No column isValidTicket: tickets that are new are valid.']
      : []),
    ...(columns.entrou === undefined ? ['No column entrou: tickets that are new have not entered.'] : []),
  ];
}

export function describeEncoding(encoding: Encoding): string[] {
  return encoding === 'utf-8' ? [] : [`Read as ${nameOf(encoding)}.`];
}
