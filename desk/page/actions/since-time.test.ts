import { expect, test } from 'vitest';
import { checkSince } from './since-time.ts';

const TIME_ZONE = 'America/Sao_Paulo';
const at = (hours: number, minutes: number, seconds = 0): number =>
  Date.UTC(2026, 4, 3, hours + 3, minutes, seconds);
const check = (time: string, nowMs = at(18, 40, 5)) =>
  checkSince(time, { proposedMs: at(18, 33, 20), nowMs, timeZone: TIME_ZONE });

test('the proposal keeps its seconds, and another time is the last one before now', () => {
  expect(check('18:33')).toEqual({ kind: 'ok', sinceMs: at(18, 33, 20) });
  expect(check('18:20')).toEqual({ kind: 'ok', sinceMs: at(18, 20) });
  expect(check('18:40')).toEqual({ kind: 'ok', sinceMs: at(18, 40) });
  expect(check('23:50', at(24, 10))).toEqual({ kind: 'ok', sinceMs: at(23, 50) });
});

test.each([
  ['18:41', 'Isto ainda não passou: o “desde” é antes de agora.'],
  ['25:99', '25:99 não é um horário deste dia.'],
  ['', 'isto não é um horário deste dia.'],
])('%j is refused: %s', (time, message) => {
  expect(check(time)).toEqual({ kind: 'fault', message });
});
