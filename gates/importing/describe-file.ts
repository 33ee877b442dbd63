import { FIELDS } from '../csv/columns.ts';
import { nameOfDelimiter, type Dialect } from '../csv/dialect.ts';
import { nameOf, type Encoding } from '../csv/encoding.ts';
import { quoteValue } from '../errors.ts';

/** Whatever was found out from a header that is not as expected, and what stands for columns that are missing. */
export function describeHeader({ delimiter, header, columns }: Dialect): string[] {
  const taken = FIELDS.flatMap((field) => {
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
    ...(columns.isValidTicket === undefined
      ? ['No column isValidTicket: tickets that are new are valid.']
      : []),
    ...(columns.entrou === undefined ? ['No column entrou: tickets that are new have not entered.'] : []),
  ];
}

export function describeEncoding(encoding: Encoding): string[] {
  return encoding === 'utf-8' ? [] : [`Read as ${nameOf(encoding)}.`];
}
