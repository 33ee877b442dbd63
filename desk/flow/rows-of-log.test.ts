import { expect, test } from 'vitest';
import { chain, NO_FIGURES } from '../../testing/desk/log-rows.ts';
import { chainedText } from '../model/log/log-chain.ts';
import type { LogEntry } from '../model/log/flow-log.ts';
import type { CodesOfRows } from '../model/former-rows.ts';
import { RowsOfLog } from './rows-of-log.ts';

const EVENT = 'event';

function entry(id: string, content: Pick<LogEntry, 'kind' | 'sector' | 'data'>): LogEntry {
  return { id, atMs: 1, source: 'live', by: 'Ana', figures: NO_FIGURES, ...content } as LogEntry;
}

const mark = (sector: string, kind: 'unscanned' | 'suspended' = 'unscanned'): LogEntry =>
  entry(`mark ${sector} ${kind}`, { kind: 'mark', sector, data: { mark: kind } });
const occurrence = (sector: string): LogEntry =>
  entry(`occurrence ${sector}`, { kind: 'occurrence', sector, data: { text: 'fila' } });
const started = (codes?: CodesOfRows): LogEntry =>
  entry('started', { kind: 'started', sector: null, data: { version: '1', ...(codes && { codes }) } });

/** The rows that these entries are given to. */
function placed(former: CodesOfRows | undefined, now: CodesOfRows, ...entries: readonly LogEntry[]) {
  const rows = Object.entries(now).map(([code, codes]) => ({ code, codes }));
  return new RowsOfLog(rows)
    .place([started(former), ...entries])
    .slice(1)
    .map(({ sector }) => sector);
}

test('an entry is of the row that counts the codes of its former row, however that is named', () => {
  const former = { Z: ['SUL', 'SUL-MEIA'], NORTE: ['NORTE'], LESTE: ['LESTE'] };
  const now = { S: ['SUL', 'SUL-MEIA'], N: ['NORTE', 'LESTE'] };
  expect(placed(former, now, mark('Z'), occurrence('NORTE'), mark('LESTE'))).toEqual(['S', 'N', 'N']);
  expect(placed(former, former, mark('Z'), mark(''), occurrence('NORTE'))).toEqual(['Z', '', 'NORTE']);
  expect(placed({ constructor: ['C'] }, { D: ['C'] }, mark('constructor'), mark('D'))).toEqual(['D', 'D']);
});

test('of a row without a successor it is of the others', () => {
  expect(placed({ Z: ['SUL'], N: ['NORTE'] }, { N: ['NORTE'] }, mark('Z'), occurrence('Z'))).toEqual([
    '',
    '',
  ]);
});

test('where several rows count what a mark was set on, all are incomplete; anything else stays with the name', () => {
  const former = { SUL: ['SUL', 'SUL-MEIA'] };
  const now = { SUL: ['SUL'], MEIA: ['SUL-MEIA'] };
  const entries = [mark('SUL'), mark('SUL', 'suspended'), occurrence('SUL')];
  expect(placed(former, now, ...entries)).toEqual([null, 'SUL', 'SUL']);
  // One of the two is no row's any more.
  expect(placed(former, { SUL: ['SUL'] }, ...entries)).toEqual([null, 'SUL', 'SUL']);
  // What was of the others has a row.
  expect(placed(former, { ...former, OUTRO: ['OUTRO'] }, mark(''), occurrence(''))).toEqual([null, '']);
});

test('in a log that does not name the codes, the name of the row is the code that is looked for', () => {
  expect(placed(undefined, { S: ['SUL', 'NORTE'] }, mark('NORTE'), mark('Z'))).toEqual(['S', '']);
});

test('the chain of the log stays whole', () => {
  const log = chain(EVENT, [started({ Z: ['SUL'] }), mark('Z'), occurrence('Z')]);
  const placedLog = new RowsOfLog([{ code: 'S', codes: ['SUL'] }]).place(log);
  expect(placedLog.map(({ sector }) => sector)).toEqual([null, 'S', 'S']);
  expect(placedLog.map((row) => chainedText(EVENT, row))).toEqual(log.map((row) => chainedText(EVENT, row)));
});
