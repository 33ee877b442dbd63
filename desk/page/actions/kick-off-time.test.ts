import { expect, test } from 'vitest';
import { kickOffWords } from '../frame/kick-off-words.ts';
import { checkKickOff, instantOf } from './kick-off-time.ts';

const SAO_PAULO = 'America/Sao_Paulo';
/** 19:00 there. */
const KICK_OFF_MS = Date.UTC(2026, 10, 22, 22, 0);

test('a time is the nearest one, in the time zone of the event', () => {
  expect(instantOf('19:30', KICK_OFF_MS, SAO_PAULO)).toBe(Date.UTC(2026, 10, 22, 22, 30));
  expect(instantOf('00:15', Date.UTC(2026, 10, 23, 2, 45), SAO_PAULO)).toBe(Date.UTC(2026, 10, 23, 3, 15));
  expect(instantOf('23:45', Date.UTC(2026, 10, 23, 3, 15), SAO_PAULO)).toBe(Date.UTC(2026, 10, 23, 2, 45));
});

test('beside a change of the clocks it is what clocks show, or nothing', () => {
  const berlin = Date.UTC(2026, 2, 29, 0, 30);
  expect(instantOf('03:30', berlin, 'Europe/Berlin')).toBe(Date.UTC(2026, 2, 29, 1, 30));
  expect(instantOf('01:30', berlin, 'Europe/Berlin')).toBe(Date.UTC(2026, 2, 29, 0, 30));
  expect(instantOf('02:30', berlin, 'Europe/Berlin')).toBeUndefined();
});

test.each(['', '24:00', '9:5', '19:60', 'abc'])('"%s" is no time', (time) => {
  expect(instantOf(time, KICK_OFF_MS, SAO_PAULO)).toBeUndefined();
});

const NOW = {
  nowMs: KICK_OFF_MS - 24 * 60_000,
  kickOffAtMs: KICK_OFF_MS,
  gatesOpenAtMs: KICK_OFF_MS - 120 * 60_000,
  timeZone: SAO_PAULO,
};

test('a later kick-off has its delay, and the time until then', () => {
  expect(checkKickOff('19:30', NOW)).toEqual({
    kind: 'ok',
    kickOffAtMs: KICK_OFF_MS + 30 * 60_000,
    words: '30 min mais tarde que o de agora; daqui a 54 min',
  });
});

test('the time until then is rounded as in the header', () => {
  const nowMs = NOW.nowMs + 50_000;
  const header = kickOffWords({
    nowMs,
    timeZone: SAO_PAULO,
    times: { gatesOpenAtMs: null, kickOffAtMs: KICK_OFF_MS + 30 * 60_000, isKickOffOfDesk: false },
  });
  expect(header).toBe('54 min para o início (19:30)');
  expect(checkKickOff('19:30', { ...NOW, nowMs })).toMatchObject({
    words: '30 min mais tarde que o de agora; daqui a 54 min',
  });
  expect(checkKickOff('20:30', { ...NOW, nowMs })).toMatchObject({
    words: '1 h 30 min mais tarde que o de agora; daqui a 1 h 54 min',
  });
});

test('a kick-off with seconds is compared in whole minutes', () => {
  const now = { ...NOW, kickOffAtMs: KICK_OFF_MS + 45_000 };
  expect(checkKickOff('19:15', now)).toMatchObject({
    words: '15 min mais tarde que o de agora; daqui a 39 min',
  });
  expect(checkKickOff('18:45', now)).toMatchObject({
    words: '15 min mais cedo que o de agora; daqui a 9 min',
  });
  expect(checkKickOff('19:00', now)).toMatchObject({ message: 'Este já é o horário do início.' });
});

test('a kick-off in the past is stated as such', () => {
  expect(checkKickOff('18:30', NOW)).toMatchObject({
    words: '30 min mais cedo que o de agora; este horário já passou',
  });
});

test.each([
  ['19:00', 'Este já é o horário do início.'],
  ['17:00', 'Isto é antes de os portões abrirem.'],
  ['', 'Informe o horário.'],
])('%s is refused: %s', (time, message) => {
  expect(checkKickOff(time, NOW)).toEqual({ kind: 'fault', message });
});
