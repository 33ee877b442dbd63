import { describe, expect, test } from 'vitest';
import type { Row } from './event-state.ts';
import {
  countsMessage,
  decodeLiveMessage,
  encodeLiveMessage,
  incompleteMessage,
  type LiveMessage,
  positionOf,
  sourceState,
} from './live-message.ts';
import { formatPosition, shortPosition } from './log-position.ts';
import { Tally } from './tally.ts';
import { SECTOR_CODES } from './default-sectors.ts';

const rowOf = (code: string): Row => ({ code, codes: [code] });
const sectors = Object.fromEntries(SECTOR_CODES.map((code) => [code, 0]));
const [total, others] = [0, 0];
const CLOCK = { unixMs: 1_790_000_000_000, utcOffsetMs: -10_800_000 };
const MESSAGES: LiveMessage[] = [
  { event: 'build', sentAtMs: 7, clock: CLOCK, data: { id: 'abc' } },
  { event: 'build', sentAtMs: 7, data: { id: 'abc' } },
  { event: 'counts', id: 'e:7.01', sentAtMs: 8, data: { total, sectors, others } },
  { event: 'incomplete', data: [{ row: '7', from: '18:33', to: '18:40' }] },
  { event: 'incomplete', data: [] },
  { event: 'build', sentAtMs: 7, receivedAtMs: 6, clock: CLOCK, data: { id: 'abc' } },
  { event: 'source', data: { live: true } },
  { event: 'source', sentAtMs: 9, data: { live: true } },
  { event: 'source', data: { live: false, ageMs: 12, reason: 'lag' } },
  { event: 'sectors', data: [{ code: '4', data: { nome: 'linha\n\nnova' } }] },
  { event: 'heartbeat', sentAtMs: 5_007, clock: CLOCK },
  { event: 'heartbeat', sentAtMs: 5_007 },
];

describe('a live message', () => {
  test.each(MESSAGES)('$event survives the wire', (message) => {
    const text = encodeLiveMessage(message);
    const fields = Object.fromEntries(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/: (.*)/s, 2)),
    );
    expect(text.endsWith('\n\n')).toBe(true);
    expect(decodeLiveMessage(fields['event'], fields['data'], fields['id'] ?? '', SECTOR_CODES)).toEqual(
      message,
    );
  });

  test('of an unknown kind is left out', () => {
    expect(decodeLiveMessage('weather', '{}', '', SECTOR_CODES)).toBeUndefined();
  });

  test.each([
    ['counts', '{}'],
    ['counts', JSON.stringify({ total: -1, sectors, others })],
    ['counts', JSON.stringify({ total, sectors: {}, others })],
    ['source', '{"live":false,"ageMs":1,"reason":"?"}'],
    ['sectors', '{}'],
    ['incomplete', '{}'],
    ['incomplete', '[{"row":"7"}]'],
    ['build', '[]'],
    ['heartbeat', '{}'],
    ['heartbeat', '{"sentAtMs":1,"clock":{"unixMs":1}}'],
    ['build', '{"id":"a","sentAtMs":1,"clock":"12:00"}'],
    ['build', '{"sentAtMs":1}'],
    ['build', '{"id":7,"sentAtMs":1}'],
    ['build', '{"id":"a","sentAtMs":1,"receivedAtMs":"1"}'],
    ['build', 'null'],
    ['heartbeat', '{"sentAtMs":1,"clock":{"unixMs":"1","utcOffsetMs":1}}'],
    ['heartbeat', '{"sentAtMs":1,"clock":{"unixMs":1,"utcOffsetMs":"1"}}'],
    ['heartbeat', '{"sentAtMs":1,"clock":null}'],
    ['counts', 'null'],
    ['counts', JSON.stringify({ total, sectors, others })],
    ['counts', JSON.stringify({ total: 1.5, sectors, others, sentAtMs: 1 })],
    ['counts', JSON.stringify({ total, sectors, others: -1, sentAtMs: 1 })],
    ['counts', JSON.stringify({ total, sectors, sentAtMs: 1 })],
    ['counts', JSON.stringify({ total, sectors: null, others, sentAtMs: 1 })],
    ['counts', JSON.stringify({ total, sectors: { ...sectors, '4': '1' }, others, sentAtMs: 1 })],
    ['source', 'null'],
    ['source', '{"live":true,"sentAtMs":"1"}'],
    ['source', '{"live":"no","ageMs":1,"reason":"lag"}'],
    ['source', '{"live":false,"ageMs":"1","reason":"lag"}'],
    ['source', '{"live":false,"reason":"lag"}'],
    ['sectors', '[{"code":"4"},{"code":4}]'],
    ['sectors', '[null]'],
    ['incomplete', '[{"row":"7","from":"18:33","to":null},{"row":"7"}]'],
  ])('%s with the data %s is refused by name', (event, data) => {
    expect(() => decodeLiveMessage(event, data, '', SECTOR_CODES)).toThrow(event);
  });

  test('of counts has the requested sectors, and the position by which they are ordered', () => {
    const tally = new Tally([]);
    tally.add({ isValidTicket: true, entrou: true, setor: '4' }, 3);
    tally.add({ isValidTicket: true, entrou: true, setor: 'x' }, 2);
    const position = formatPosition('7580123456789012345', 2, 0x16_b374_d848n);
    const head = { kind: 'counts', eventId: 'a', epoch: 'e', version: 1, position } as const;
    const message = countsMessage({ ...head, ...tally.counts() }, ['4', '6'].map(rowOf), 5);
    expect(message.data).toEqual({ total: 5, sectors: { '4': 3, '6': 0 }, others: 2 });
    expect(positionOf(message.id)).toEqual(shortPosition(position));
    expect(
      decodeLiveMessage('counts', JSON.stringify({ ...message.data, sentAtMs: 5 }), message.id, ['4', '6']),
    ).toEqual(message);
    expect(() => decodeLiveMessage('counts', JSON.stringify(message.data), '', ['1'])).toThrow('counts');
  });

  test('of incomplete counts has the times of the venue, and no end while it lasts', () => {
    const fromMs = Date.UTC(2026, 4, 3, 21, 33, 40);
    const incomplete = [
      { row: '7', fromMs, toMs: fromMs + 7 * 60_000 },
      { row: null, fromMs, toMs: null },
    ];
    expect(incompleteMessage(incomplete, CLOCK).data).toEqual([
      { row: '7', from: '18:33', to: '18:40' },
      { row: null, from: '18:33', to: null },
    ]);
    expect(incompleteMessage([], CLOCK, fromMs).data).toEqual([
      { row: null, from: '18:33', to: null, kind: 'evacuation' },
    ]);
  });

  test('of a source that is not live has an age, not an instant', () => {
    expect(sourceState({ live: false, verifiedAtMs: 1_000, reason: 'lag' }, 3_500)).toEqual({
      live: false,
      ageMs: 2_500,
      reason: 'lag',
    });
    expect(sourceState({ live: true }, 3_500)).toEqual({ live: true });
  });

  test('with every count in the hundred thousands is about 250 bytes', () => {
    const full = Object.fromEntries(SECTOR_CODES.map((code) => [code, 99_999]));
    const data = { total: 1_299_987, sectors: full, others: 0 };
    const id = `012345:${shortPosition(formatPosition('7580123456789012345', 1, 0x16_b374_d848n))}`;
    expect(encodeLiveMessage({ event: 'counts', id, sentAtMs: 123_456_789, data }).length).toBeLessThan(258);
  });
});
