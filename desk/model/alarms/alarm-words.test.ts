import { expect, test } from 'vitest';
import type { AlarmNotice } from './alarm.ts';
import { alarmWords } from './alarm-words.ts';

const NOON_MS = Date.UTC(2026, 4, 3, 12);
const timeOf = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);
const fill = { admitted: 12_345, capacity: 13_000 };
const drop = { entered: 120, expected: 1_433.6, windowMs: 290_000, before: 140, share: 0.2 };

const NOTICES: readonly (readonly [notice: AlarmNotice, names: readonly string[], words: string])[] = [
  [
    {
      rule: 'stopped',
      figures: { silentSinceMs: NOON_MS, windowMs: 60_000, before: 1_234.4, admitted: 5, valid: 9 },
    },
    ['NORTE'],
    'NORTE: nenhum acesso registrado desde 11:59 (antes, 1.234 por minuto)',
  ],
  [{ rule: 'dropped', figures: drop }, ['SUL'], 'SUL: acessos em queda: 120 em 5 min, eram esperados 1.434'],
  [
    { rule: 'ground-dropped', figures: { ...drop, windowMs: 330_000 } },
    [],
    'Estádio: acessos em queda: 120 em 6 min, eram esperados 1.434',
  ],
  [
    {
      rule: 'several-stopped',
      figures: { sectors: [{ sector: '4', silentSinceMs: NOON_MS, before: 12 }] },
    },
    ['NORTE', 'SUL', 'LESTE'],
    'NORTE, SUL, LESTE: sem acessos registrados ao mesmo tempo (verificar primeiro a origem dos dados)',
  ],
  [{ rule: 'no-data', figures: { staleMs: 30_000 } }, [], 'Estádio: sem dados da contagem'],
  [{ rule: 'near-capacity', figures: fill }, ['NORTE'], 'NORTE: perto da lotação: 12.345 de 13.000'],
  [{ rule: 'at-capacity', figures: fill }, ['NORTE'], 'NORTE: no limite da lotação: 12.345 de 13.000'],
  [
    { rule: 'at-capacity', figures: { ...fill, isAtLeast: true } },
    ['NORTE'],
    'NORTE: no limite da lotação: no mínimo 12.345 de 13.000',
  ],
  [
    { rule: 'at-capacity', figures: { ...fill, isAtLeast: true, estimated: 1_500 } },
    ['NORTE'],
    'NORTE: no limite da lotação: no mínimo 12.345 de 13.000, e ~1.500 sem leitura',
  ],
  [{ rule: 'above-capacity', figures: fill }, [], 'Estádio: ACIMA DA CAPACIDADE: 12.345 de 13.000'],
];

test.each(NOTICES)('$0.rule says what it found, and where', (notice, names, words) => {
  expect(alarmWords(notice, names, timeOf)).toBe(words);
});
