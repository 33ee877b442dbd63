import { CsvError, parse } from 'csv-parse/sync';
import { BadLines } from '../../gates/import/csv/bad-lines.ts';
import { GatesError, quoteValue } from '../../gates/cli/errors.ts';
import { textOfCell } from '../model/log/csv-line.ts';

/** One sector at the end of one minute, from a turnstile log. */
export interface MinuteLine {
  readonly sector: string;
  /** When the minute began, in milliseconds since 1970. */
  readonly minuteMs: number;
  /** The count at its end. */
  readonly admitted: number;
  readonly valid: number;
  /** The change within the minute, if the file has it. */
  readonly net?: number | undefined;
}

const COLUMNS = ['sector', 'minute', 'admitted', 'valid'] as const;
const OPTIONAL_COLUMN = 'net';
const MINUTE_MS = 60_000;
const MAX_CODE_BYTES = 128;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * Reads a CSV with the columns sector, minute, admitted and valid, and optionally net; others are ignored. No minute may be
 * later than `nowMs`.
 *
 * @throws GatesError that names every bad line, or what all lines lack
 */
export function readMinutesFile(text: string, nowMs: number): MinuteLine[] {
  const records = parseCsv(text);
  const header = records[0]?.record ?? [];
  const placeOf = (name: string): number => header.findIndex((column) => column.toLowerCase() === name);
  const places = [...COLUMNS, OPTIONAL_COLUMN].map(placeOf);
  const missing = COLUMNS.filter((name) => placeOf(name) < 0);
  if (missing.length > 0) {
    throw new GatesError(
      `Line 1 is bad: the header lacks ${missing.join(', ')}. It must name sector, minute, admitted and valid.`,
    );
  }
  const badLines = new BadLines(false);
  const lines: MinuteLine[] = [];
  for (const { record, line } of records.slice(1)) {
    const cells = places.map((place) => record[place] ?? '');
    const read =
      record.length > header.length
        ? `it has ${record.length} fields, and the header ${header.length}: a number has no separator of thousands`
        : readLine(cells, nowMs);
    if (typeof read === 'string') badLines.add({ line, text: '', cause: read });
    else lines.push(read);
  }
  if (badLines.count > 0) throw badLines.toError('');
  if (lines.length === 0) throw new GatesError('The file has a header, and no line below it.');
  return lines;
}

function parseCsv(text: string): { readonly record: readonly string[]; readonly line: number }[] {
  try {
    const records = parse(text, {
      delimiter: text.slice(0, text.search(/[\r\n]|$/)).includes(';') ? ';' : ',',
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      info: true,
    }) as unknown as { readonly record: string[]; readonly info: { readonly lines: number } }[];
    return records.map(({ record, info }) => ({ record, line: info.lines }));
  } catch (error) {
    if (error instanceof CsvError) throw new GatesError(`The file is no CSV: ${error.message}.`);
    throw error;
  }
}

/** Returns a string that names the fault of a bad line. */
function readLine(
  [cell = '', minute = '', admitted = '', valid = '', net = '']: readonly string[],
  nowMs: number,
): MinuteLine | string {
  const sector = textOfCell(cell);
  if (Buffer.byteLength(sector) > MAX_CODE_BYTES) return `the sector has more than ${MAX_CODE_BYTES} bytes`;
  if (sector.includes('\0')) return 'the sector has a NUL';
  const minuteMs = readMinute(minute);
  if (minuteMs === undefined) {
    return `minute is ${quoteValue(minute)}: write a time with its offset, as 2026-11-22T16:00:00-03:00`;
  }
  if (minuteMs >= nowMs) return `minute is ${quoteValue(minute)}, which is still to come`;
  if (minuteMs % MINUTE_MS !== 0) return `minute is ${quoteValue(minute)}, which is no whole minute`;
  for (const [name, value] of Object.entries({ admitted, valid })) {
    if (!/^\d{1,9}$/.test(value))
      return `${name} is ${quoteValue(value)}, which is no whole number from 0 on`;
  }
  const line = { sector, minuteMs, admitted: Number(admitted), valid: Number(valid) };
  if (net === '') return line;
  if (!/^-?\d{1,9}$/.test(net)) return `net is ${quoteValue(net)}, which is no whole number`;
  if (Number(net) > line.admitted) return `net is ${net}, and admitted ${admitted}: more entered than are in`;
  return { ...line, net: Number(net) };
}

function readMinute(text: string): number | undefined {
  if (!TIME.test(text)) return undefined;
  const iso = text.replace(' ', 'T').replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  const minuteMs = Date.parse(iso);
  if (Number.isNaN(minuteMs)) return undefined;
  // Date.parse takes 30 February for a day in March.
  const [, day = ''] = /^\d{4}-\d\d-(\d\d)/.exec(iso) ?? [];
  const asUtc = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  return asUtc.getUTCDate() === Number(day) ? minuteMs : undefined;
}
