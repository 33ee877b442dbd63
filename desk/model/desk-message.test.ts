import { expect, test } from 'vitest';
import { createSmallDesk, minuteOf } from '../../testing/desk/small-desk.ts';
import { decodeDeskMessage, type DeskMessage, encodeDeskMessage } from './desk-message.ts';

const STATE = createSmallDesk('e').state();

/** As a page reads it. */
function decode(message: DeskMessage): unknown {
  const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(encodeDeskMessage(message)) ?? [];
  return decodeDeskMessage(event, data);
}

const MARK = { id: 'm', mark: 'unscanned', sector: '7', sinceMs: 1, by: 'Ana' };

const decodeState = (changed: Readonly<Record<string, unknown>>) => () =>
  decode({ event: 'desk', sentAtMs: 1, data: { ...STATE, ...changed } });

test('what was encoded is decoded', () => {
  const messages: DeskMessage[] = [
    { event: 'desk', sentAtMs: 7, data: STATE },
    {
      event: 'desk',
      sentAtMs: 8,
      data: { ...STATE, readings: [{ outcome: 'kept', reason: 'ticket', count: 3 }] },
    },
    { event: 'minute', data: minuteOf(3, [1, 2, 0]) },
  ];
  for (const message of messages) expect(decode(message)).toEqual(message);
  expect(decodeDeskMessage('build', '{"id":"b","sentAtMs":1,"clock":{}}')).toEqual({
    event: 'build',
    sentAtMs: 1,
    data: { id: 'b' },
  });
});

test('kinds that a newer server may send are skipped, and so are its fields', () => {
  expect(decodeDeskMessage('weather', 'no json')).toBeUndefined();
  expect(decodeState({ weather: 'rain' })()).toMatchObject({ data: { weather: 'rain' } });
  // An older counter says nothing of how a mark ended.
  expect(decodeState({ marks: [MARK] })()).toMatchObject({ data: { marks: [MARK] } });
});

test('what could not be drawn is refused, wherever in the state it is', () => {
  const outlook = { kickOffAtMs: 1, admitted: 1, valid: 1 };
  const cases: Readonly<Record<string, unknown>>[] = [
    { nowMs: '1' },
    { source: { live: false } },
    { source: null },
    { times: {} },
    { total: { ...STATE.total, valid: null } },
    { rows: [{ ...STATE.rows[0], code: 4 }] },
    { rows: { length: 1 } },
    { marks: [{ id: 'm' }] },
    { marks: [{ ...MARK, endedAtMs: '18:40' }] },
    { marks: [{ ...MARK, estimate: { count: 150 } }] },
    { alarms: [{ id: 'a', rule: 'stopped', sector: null }] },
    { suspensions: [null] },
    { watch: {} },
    { forecast: { kind: 'made', atMs: 1, total: [outlook], sectors: [] } },
    { forecast: { kind: 'other' } },
    { trackRecord: [{}] },
    { lastSeq: null },
    { readings: [{ outcome: 'kept', reason: 'ticket' }] },
    { record: { state: { kind: 'away' }, isKept: true, minutesWaiting: 0 } },
  ];
  for (const changed of cases)
    expect(decodeState(changed), JSON.stringify(changed)).toThrow('malformed "desk"');
  expect(() => decodeDeskMessage('minute', '{"minuteMs":1,"sectors":[{}]}')).toThrow('malformed "minute"');
  expect(() => decodeDeskMessage('build', '{"id":1,"sentAtMs":1}')).toThrow('malformed "build"');
  expect(() => decodeDeskMessage('desk', 'no json')).toThrow('JSON');
});
