import { describe, expect, test } from 'vitest';
import { decodeLiveMessage, encodeLiveMessage, type LiveMessage } from './live-message.ts';
import { Tally } from './tally.ts';

const { total, sectors, others } = new Tally().counts();
const CLOCK = { unixMs: 1_790_000_000_000, utcOffsetMs: -10_800_000 };
const MESSAGES: LiveMessage[] = [
  { event: 'build', sentAtMs: 7, clock: CLOCK, data: { id: 'abc' } },
  { event: 'build', sentAtMs: 7, data: { id: 'abc' } },
  { event: 'counts', id: 'e:1', sentAtMs: 8, data: { total, sectors, others } },
  { event: 'source', data: { live: true } },
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
    expect(decodeLiveMessage(fields['event'], fields['data'], fields['id'] ?? '')).toEqual(message);
  });

  test('of a kind that is not known is left out', () => {
    expect(decodeLiveMessage('weather', '{}', '')).toBeUndefined();
  });

  test.each([
    ['counts', '{}'],
    ['counts', JSON.stringify({ total: -1, sectors, others })],
    ['counts', JSON.stringify({ total, sectors: {}, others })],
    ['source', '{"live":false,"ageMs":1,"reason":"?"}'],
    ['sectors', '{}'],
    ['build', '[]'],
    ['heartbeat', '{}'],
    ['heartbeat', '{"sentAtMs":1,"clock":{"unixMs":1}}'],
    ['build', '{"id":"a","sentAtMs":1,"clock":"12:00"}'],
  ])('%s with the data %s is refused by name', (event, data) => {
    expect(() => decodeLiveMessage(event, data, '')).toThrow(event);
  });

  test('with every count in the hundred thousands is about 250 bytes', () => {
    const full = Object.fromEntries(Object.keys(sectors).map((code) => [code, 99_999])) as typeof sectors;
    const data = { total: 1_299_987, sectors: full, others: 0 };
    expect(
      encodeLiveMessage({ event: 'counts', id: '0123456789ab:123456', sentAtMs: 123_456_789, data }).length,
    ).toBeLessThan(300);
  });
});
