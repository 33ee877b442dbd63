import { expect, test } from 'vitest';
import { NO_FIGURES } from '../../../testing/desk/log-rows.ts';
import type { LogRow } from './flow-log.ts';
import { type EarlierRow, LOG_SHEET_HEADER, logSheetLines } from './record-sheet.ts';

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

test('what is about another entry is of its sector, and an end is no undoing', () => {
  const entries: [kind: LogRow['kind'], data: object, sector?: string][] = [
    ['alarm', { rule: 'stopped', figures: { silentSinceMs: 0, before: 12 } }, '7'],
    ['acknowledge', { alarm: '1', note: null }],
    ['mark', { mark: 'unscanned', sinceMs: 0 }, '7'],
    ['estimate', { mark: '3', count: 150, how: 'a olho' }],
    ['take-back', { id: '4' }],
    ['take-back', { id: '3', why: 'ended' }],
    ['take-back', { id: '3', why: 'mistake' }],
    ['evacuation', {}],
    ['take-back', { id: '8' }],
    // The mark of the whole ground acknowledges the alarm of one sector.
    ['mark', { mark: 'unscanned', alarm: '1' }],
  ];
  const rows = entries.map(([kind, data, sector = null], index) => {
    const head = { seq: index + 1, id: String(index + 1), atMs: 0, source: 'live', by: 'Ana', previous: '' };
    return Object.assign(head, { kind, data, sector, figures: NO_FIGURES }) as unknown as LogRow;
  });
  const context = { eventId: 'e', timeZone: 'UTC', nameOf: (code: string) => `SETOR ${code}` };
  const earlier = new Map<string, EarlierRow>();
  // As two reads bring them.
  const reads = [rows.slice(0, 3), rows.slice(3)];
  const lines = reads.flatMap((read) => Array.from(logSheetLines(read, context, earlier)));
  expect(lines[5]).toMatch(/;fim;linha 3: acabou;Ana;7;SETOR 7;/);
  const kinds = lines.map((line) => line.split(';')[2]);
  expect([4, 5, 6, 8].map((place) => kinds[place])).toEqual(['desfeito', 'fim', 'desfeito', 'fim']);
  const ofSector = lines.flatMap((line, place) => (line.includes(';7;SETOR 7;') ? [place + 1] : []));
  expect(ofSector).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
