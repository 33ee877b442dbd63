import { expect, test } from 'vitest';
import { alarmOf, alarmView, logOf, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import type { ReturnReason } from '../../model/alarms/alarm.ts';
import { alarmStory } from './alarm-story.ts';

const alarm = alarmOf('stopped');

test('an acknowledgement has its operator, time and note', () => {
  const acknowledged = { atMs: VIEW_NOW_MS, by: 'Central 1', note: 'revista no portão 4' };
  expect(alarmStory({ ...alarm, acknowledged }, alarmView())).toEqual([
    'alarme às 18:35',
    'ciente: Central 1, 18:36: “revista no portão 4”',
  ]);
});

test('an alarm that calls again has the reason, and the last acknowledgement', () => {
  const log = logOf(
    ['acknowledge', { alarm: alarm.id, note: 'equipe enviada: João, canal 9' }, 'Central 1'],
    ['alarm-again', { alarm: alarm.id, why: 'unresolved' }],
  );
  const again = { ...alarm, againAtMs: VIEW_NOW_MS + 300_000 };
  expect(alarmStory(again, alarmView({}, { log }))).toEqual([
    'alarme às 18:35',
    'o alarme chama de novo às 18:41: nada mudou depois do ciente de Central 1: “equipe enviada: João, canal 9”',
  ]);
});

test('one that came, or came back, while it was suspended says that it called nobody', () => {
  expect(alarmStory({ ...alarm, isSilent: true }, alarmView())).toEqual([
    'alarme às 18:35, sem chamar (alarme suspenso)',
  ]);
  const again = { ...alarm, isSilent: true, againAtMs: VIEW_NOW_MS } as const;
  expect(alarmStory(again, alarmView())).toEqual([
    'alarme às 18:35',
    'de novo às 18:36, sem chamar (alarme suspenso)',
  ]);
});

test('an ended alarm without acknowledgement is stated as such', () => {
  const returned = { ...alarm, returnedAtMs: VIEW_NOW_MS };
  const story = (returnedWhy: ReturnReason) => alarmStory({ ...returned, returnedWhy }, alarmView());
  expect(story('resolved')).toContain('voltou ao normal às 18:36; falta o ciente');
  expect(story('withdrawn')).toContain('retirado, não se sabe se voltou: 18:36; falta o ciente');
  expect(story('replaced')).toContain('substituído por outro alarme às 18:36');
  expect(alarmStory(returned, alarmView())).toContain('terminou às 18:36; falta o ciente');
});

test('a suspension has its end, reason and operator', () => {
  const suspension = {
    id: 's',
    rule: 'stopped',
    sector: '7',
    sinceMs: VIEW_NOW_MS,
    untilMs: VIEW_NOW_MS + 900_000,
    reason: 'troca de catraca',
    by: 'Ana',
  } as const;
  expect(alarmStory(alarm, alarmView({ suspensions: [suspension] }))).toContain(
    'alarme suspenso até 18:51: “troca de catraca” (Ana)',
  );
});
