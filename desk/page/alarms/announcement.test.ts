import { expect, test } from 'vitest';
import { alarmOf, alarmView, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import {
  announce,
  announceAlarms,
  callingAlarms,
  NOTHING_ANNOUNCED,
  titleWith,
  titleWithout,
} from './announcement.ts';
import { callOf } from './calling-alarms.ts';

const TITLE = 'Triagem · Palestra × Atlético';

test('a new alarm is announced once, with its figures', () => {
  const view = alarmView({ alarms: [alarmOf('stopped')] });
  expect(announceAlarms(new Set(), view)).toBe(
    'Alarme: sem acessos registrados · SUL DORIL. Nenhum acesso registrado desde 18:33, há 3 min; no ritmo de antes seriam cerca de 114.',
  );
  const announced = new Set(callingAlarms(view).map(callOf));
  expect(announceAlarms(announced, view)).toBeUndefined();
  const again = alarmView({ alarms: [alarmOf('stopped', { againAtMs: VIEW_NOW_MS })] });
  expect(announceAlarms(announced, again)).toMatch(/^Alarme: sem acessos/);
});

test('an alarm that is already over is not announced', () => {
  const alarms = [alarmOf('stopped', { returnedAtMs: VIEW_NOW_MS })];
  expect(announceAlarms(new Set(), alarmView({ alarms }))).toBeUndefined();
});

test('an evacuation is announced once, and is over for a reader of the page also where an alarm waits for its acknowledgement', () => {
  const alarms = [alarmOf('stopped', { returnedAtMs: VIEW_NOW_MS })];
  const [calm, evacuated] = [alarmView({ alarms }), alarmView({ alarms, evacuatedAtMs: VIEW_NOW_MS })];
  const first = announce(NOTHING_ANNOUNCED, evacuated);
  expect(first.text).toMatch(/^EVACUAÇÃO EM VIGOR desde 18:36/);
  const second = announce(first.announced, evacuated);
  expect(second.text).toBeUndefined();
  const third = announce(second.announced, calm);
  expect(third.text).toBe('');
  expect(announce(third.announced, calm).text).toBeUndefined();
});

test('of many alarms the most urgent are announced, and the others counted', () => {
  const alarms = (['near-capacity', 'stopped', 'dropped', 'above-capacity', 'no-data'] as const).map((rule) =>
    alarmOf(rule),
  );
  const words = announceAlarms(new Set(), alarmView({ alarms }));
  expect(words).toMatch(/^Alarme: ACIMA DA CAPACIDADE · SUL DORIL\./);
  expect(words).toMatch(/E mais 2\.$/);
  expect(words).not.toMatch(/perto da lotação/);
});

test("a tab's title counts the calls and shows the first one's sign, and loses both again", () => {
  const alarms = [alarmOf('near-capacity'), alarmOf('stopped')];
  const calling = callingAlarms(alarmView({ alarms }));
  const title = titleWith(TITLE, calling);
  expect(title).toBe(`(2) ■ ${TITLE}`);
  expect(titleWithout(title)).toBe(TITLE);
  expect(titleWith(TITLE, [])).toBe(TITLE);
  expect(titleWithout(titleWith(TITLE, [], true))).toBe(TITLE);
});
