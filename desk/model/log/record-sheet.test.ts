import { expect, test } from 'vitest';
import { NO_FIGURES } from '../../../testing/desk/log-rows.ts';
import type { LogRow } from './flow-log.ts';
import { LOG_SHEET_HEADER, logSheetLines } from './record-sheet.ts';

test('of a forecast the last columns have what the print has: who is expected, what is needed, how often such ranges hold', () => {
  const data = {
    minutesBefore: 45,
    kickOffAtMs: 0,
    expected: 38_100.4,
    perMinuteNeeded: 678.09,
    range: { low: 1, middle: 2, high: 3, matches: 9, coverage: 0.8 },
  };
  const at = { seq: 1, id: 'f', atMs: 0, source: 'live', by: null, sector: null, previous: '' };
  const rows = [
    { ...at, kind: 'forecast', data },
    { ...at, kind: 'forecast', data: { ...data, range: null } },
    { ...at, kind: 'entry-closed', data: {} },
  ].map((row) => Object.assign(row, { figures: NO_FIGURES }) as unknown as LogRow);
  const context = { eventId: 'e', timeZone: 'UTC', nameOf: () => undefined };
  const endOf = (line: string): string => line.trimEnd().split(';').slice(-4).join(';');
  expect(endOf(LOG_SHEET_HEADER)).toBe('Id;Esperados;Ritmo necessário;Faixas que acertam (%)');
  expect([...logSheetLines(rows, context, new Map())].map(endOf)).toEqual([
    'f;38100;679;80',
    'f;38100;679;',
    'f;;;',
  ]);
});
