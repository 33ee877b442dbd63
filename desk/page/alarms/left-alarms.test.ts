import { expect, test } from 'vitest';
import type { LogEntry, LogRow } from '../../model/log/flow-log.ts';
import { alarmOf, alarmView, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import { chain, occurrence } from '../../../testing/desk/log-rows.ts';
import { alarmFrom } from './left-alarms.ts';
import { occurrenceOf, whyNotAcknowledged, whyNotSuspended } from '../actions/unsent-words.ts';

const { rule, figures, id } = alarmOf('stopped');

function logOf(...entries: readonly (readonly [LogEntry['kind'], unknown, string | null])[]): LogRow[] {
  const rows: readonly (readonly [LogEntry['kind'], unknown, string | null])[] = [
    ['alarm', { rule, figures }, null],
    ...entries,
  ];
  return chain(
    'e'.repeat(32),
    rows.map(
      ([kind, data, by], place) =>
        Object.assign(occurrence(place === 0 ? id : `${place}`, '', VIEW_NOW_MS + place), {
          kind,
          data,
          by,
        }) as LogEntry,
    ),
  );
}

function left(log: LogRow[]) {
  const alarm = alarmFrom(log, id);
  if (!alarm) throw new Error('the log has no such alarm');
  return alarm;
}

test('of an alarm that is over the log says who knew, and what can no longer be said of it', () => {
  const log = logOf(
    ['alarm-returned', { alarm: id, why: 'resolved' }, null],
    ['acknowledge', { alarm: id, note: null }, 'Bia'],
  );
  const alarm = left(log);
  expect(alarm).toMatchObject({ rule, sector: '7', returnedAtMs: VIEW_NOW_MS + 1 });
  expect(whyNotAcknowledged(alarm, alarmView({}, { log }))).toBe('Já está ciente: Bia, 18:36');
  expect(whyNotSuspended(alarm, alarmView({}, { log }))).toBe('O alarme já terminou');
  // One that waits for "ciente" would come back unheard.
  const returned = alarmOf('stopped', { returnedAtMs: VIEW_NOW_MS });
  expect(whyNotSuspended(returned, alarmView({ alarms: [returned] }))).toBe('O alarme já terminou, às 18:36');
  expect(whyNotSuspended(alarmOf('stopped'), alarmView({ alarms: [alarmOf('stopped')] }))).toBeNull();
});

test('one that another alarm has replaced is over though nobody knew; one in force can be answered', () => {
  const log = logOf(['alarm-returned', { alarm: id, why: 'replaced' }, null]);
  expect(whyNotAcknowledged(left(log), alarmView({}, { log }))).toBe('O alarme já terminou');
  // Which has not ended, if the other one holds.
  const replaced = alarmView({ alarms: [alarmOf('several-stopped')] }, { log });
  for (const whyNot of [whyNotAcknowledged, whyNotSuspended])
    expect(whyNot(left(log), replaced)).toBe(
      'Este alarme agora faz parte de outro, “vários setores sem acessos”',
    );
  const resolved = logOf(['alarm-returned', { alarm: id, why: 'resolved' }, null]);
  expect(whyNotAcknowledged(left(resolved), { ...replaced, log: resolved })).toBe('O alarme já terminou');
  const again = left(
    logOf(['acknowledge', { alarm: id, note: null }, 'Bia'], ['alarm-again', { alarm: id }, null]),
  );
  expect(whyNotAcknowledged(again, alarmView({ alarms: [again] }))).toBeNull();
  expect(whyNotSuspended(again, alarmView({ alarms: [again] }))).toBeNull();
  expect(alarmFrom(log, 'another')).toBeUndefined();
});

test('what was typed about it names the alarm, where there is room', () => {
  expect(occurrenceOf(alarmOf('stopped'), 'portão 4', alarmView())).toBe(
    'nota ao alarme das 18:35 (sem acessos registrados): portão 4',
  );
  expect(occurrenceOf(alarmOf('stopped'), 'x'.repeat(480), alarmView())).toBe('x'.repeat(480));
});
