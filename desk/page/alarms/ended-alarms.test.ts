import { expect, test } from 'vitest';
import type { LogRow } from '../../model/log/flow-log.ts';
import { alarmOf, alarmView, logOf, type Told, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import { alarmFrom } from './ended-alarms.ts';
import { occurrenceOf, whyNotAcknowledged, whyNotSuspended } from '../actions/unsent-words.ts';

const { rule, figures, id } = alarmOf('stopped');

const logWith = (...entries: readonly Told[]): LogRow[] =>
  logOf(['alarm', { rule, figures }, null, id], ...entries);

function endedAlarm(log: LogRow[]) {
  const alarm = alarmFrom(log, id);
  if (!alarm) throw new Error('the log has no such alarm');
  return alarm;
}

test('the log has the acknowledgement of an ended alarm, which can be neither acknowledged nor suspended', () => {
  const log = logWith(
    ['alarm-returned', { alarm: id, why: 'resolved' }],
    ['acknowledge', { alarm: id, note: null }, 'Bia'],
  );
  const alarm = endedAlarm(log);
  expect(alarm).toMatchObject({ rule, sector: '7', returnedAtMs: VIEW_NOW_MS + 1 });
  expect(whyNotAcknowledged(alarm, alarmView({}, { log }))).toBe('Já está ciente: Bia, 18:36');
  expect(whyNotSuspended(alarm, alarmView({}, { log }))).toBe('O alarme já terminou');
  // Nor can an alarm be suspended that has returned and is not acknowledged yet: nobody would notice if it were raised again.
  const returned = alarmOf('stopped', { returnedAtMs: VIEW_NOW_MS });
  expect(whyNotSuspended(returned, alarmView({ alarms: [returned] }))).toBe('O alarme já terminou, às 18:36');
  expect(whyNotSuspended(alarmOf('stopped'), alarmView({ alarms: [alarmOf('stopped')] }))).toBeNull();
});

test('a replaced alarm cannot be acknowledged, and an active one can', () => {
  const log = logWith(['alarm-returned', { alarm: id, why: 'replaced' }]);
  expect(whyNotAcknowledged(endedAlarm(log), alarmView({}, { log }))).toBe('O alarme já terminou');
  // While the alarm that replaced it is raised, its condition has not ended.
  const replaced = alarmView({ alarms: [alarmOf('several-stopped')] }, { log });
  for (const whyNot of [whyNotAcknowledged, whyNotSuspended])
    expect(whyNot(endedAlarm(log), replaced)).toBe(
      'Este alarme agora faz parte de outro, “vários setores sem acessos”',
    );
  const resolved = logWith(['alarm-returned', { alarm: id, why: 'resolved' }]);
  expect(whyNotAcknowledged(endedAlarm(resolved), { ...replaced, log: resolved })).toBe('Já está ciente');
  const again = endedAlarm(
    logWith(['acknowledge', { alarm: id, note: null }, 'Bia'], ['alarm-again', { alarm: id }]),
  );
  expect(whyNotAcknowledged(again, alarmView({ alarms: [again] }))).toBeNull();
  expect(whyNotSuspended(again, alarmView({ alarms: [again] }))).toBeNull();
  expect(alarmFrom(log, 'another')).toBeUndefined();
});

test('an occurrence names the alarm if there is room', () => {
  expect(occurrenceOf(alarmOf('stopped'), 'portão 4', alarmView())).toBe(
    'nota ao alarme das 18:35 (sem acessos registrados): portão 4',
  );
  expect(occurrenceOf(alarmOf('stopped'), 'x'.repeat(480), alarmView())).toBe('x'.repeat(480));
});
