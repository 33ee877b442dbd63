import { expect, test } from 'vitest';
import { kickOffWords } from './kick-off-words.ts';

const KICK_OFF_MS = Date.UTC(2026, 10, 22, 22);

const words = (minutesBefore: number, isKickOffOfDesk = false) =>
  kickOffWords({
    nowMs: KICK_OFF_MS - minutesBefore * 60_000,
    timeZone: 'America/Sao_Paulo',
    times: { gatesOpenAtMs: null, kickOffAtMs: KICK_OFF_MS, isKickOffOfDesk },
  });

test('before kick-off the words have the time left, and the time in the event’s zone', () => {
  expect(words(24)).toBe('24 min para o início (19:00)');
  expect(words(23.2)).toBe('24 min para o início (19:00)');
  expect(words(0.1)).toBe('1 min para o início (19:00)');
  expect(words(125)).toBe('2 h 05 min para o início (19:00)');
  expect(words(26 * 60)).toBe('26 h 00 min para o início (22/11 19:00)');
  expect(words(3 * 24 * 60)).toBe('3 dias para o início (22/11 19:00)');
});

test('after kick-off the words have the time since then', () => {
  expect(words(0)).toBe('início agora (19:00)');
  expect(words(-3.9)).toBe('início há 3 min (19:00)');
});

test('the words state a kick-off set by a desk, and a missing one', () => {
  expect(words(24, true)).toBe('24 min para o início (19:00, definido na mesa)');
  const times = { gatesOpenAtMs: null, kickOffAtMs: null, isKickOffOfDesk: false };
  expect(kickOffWords({ nowMs: 0, timeZone: 'UTC', times })).toBe('início sem horário');
});
