import { expect, test } from 'vitest';
import { NO_FIGURES } from '../../../testing/desk/log-rows.ts';
import { entryDetails } from './entry-details.ts';
import type { LogEntry, LogRow } from './flow-log.ts';

const AT_MS = Date.UTC(2026, 10, 26, 21, 29);
const context = {
  timeOf: (atMs: number) => new Date(atMs).toISOString().slice(11, 19),
  minuteOf: (atMs: number) => new Date(atMs).toISOString().slice(11, 16),
  nameOf: (code: string) => `SETOR ${code}`,
  find: (id: string) =>
    (
      {
        a: { seq: 12, rule: null },
        stop: { seq: 11, rule: 'stopped' },
        full: { seq: 10, rule: 'at-capacity' },
      } as const
    )[id],
};

function detailsOf(kind: LogEntry['kind'], data: object): string {
  const row = { id: 'x', seq: 13, atMs: AT_MS, source: 'live', by: 'Ana', sector: '7', kind, data };
  return entryDetails({ ...row, figures: NO_FIGURES, previous: '' } as LogRow, context);
}

test.each([
  [
    'alarm',
    { rule: 'stopped', figures: { silentSinceMs: AT_MS, before: 12 } },
    'SETOR 7: nenhum acesso registrado desde 21:28 (antes, 12 por minuto)',
  ],
  ['acknowledge', { alarm: 'a', note: 'vou lá' }, 'linha 12: vou lá'],
  ['acknowledge', { alarm: 'a', note: null }, 'linha 12'],
  ['alarm-returned', { alarm: 'gone', why: 'resolved' }, 'linha ?: voltou ao normal'],
  [
    'alarm-returned',
    { alarm: 'stop', why: 'resolved' },
    'linha 11: sem acessos registrados: voltou ao normal',
  ],
  ['alarm-returned', { alarm: 'full', why: 'resolved' }, 'linha 10: no limite: deixou de estar no limite'],
  ['alarm-joined', { alarm: 'a', sectors: [{ sector: '4' }, { sector: '5' }] }, 'linha 12: SETOR 4, SETOR 5'],
  ['mark', { mark: 'unscanned', sinceMs: AT_MS }, 'entrada liberada sem leitura; desde 21:29:00'],
  ['mark', { mark: 'suspended', alarm: 'a' }, 'entrada suspensa; ciente: linha 12'],
  ['alarm-again', { alarm: 'a', why: 'recurred' }, 'linha 12: o alarme chama de novo'],
  [
    'alarm-again',
    { alarm: 'a', why: 'recurred', isSilent: true },
    'linha 12: de novo, sem chamar (alarme suspenso)',
  ],
  ['estimate', { mark: 'a', count: 150, how: 'a olho' }, 'linha 12: ~150 sem leitura (a olho)'],
  ['take-back', { id: 'a', why: 'mistake' }, 'linha 12: foi engano'],
  ['suspend', { rule: 'stopped', minutes: 15, reason: 'obra' }, 'sem acessos registrados, 15 min: obra'],
  ['gap', { fromMs: AT_MS, toMs: AT_MS + 60_000 }, '21:29:00 a 21:30:00'],
  ['capacities', { permitted: { 4: 100 } }, 'SETOR 4: 100'],
  [
    'outcome',
    { forecast: 'a', admitted: 10, isHeld: false },
    'linha 12: 10 dentro no estádio: a faixa errou',
  ],
  [
    'outcome',
    { forecast: 'a', admitted: null, isHeld: null, why: 'unseen' },
    'linha 12: não conferida: sem dados',
  ],
  [
    'forecast',
    {
      minutesBefore: 30,
      kickOffAtMs: AT_MS,
      range: { low: 900.4, high: 1_100, matches: 9 },
      estimated: 150,
      without: ['4'],
    },
    '30 min antes de 21:29:00: 900 a 1100 dentro, como em 9 jogos; com ~150 sem leitura; sem SETOR 4',
  ],
  ['evacuation', {}, ''],
] as const)('%s %j is said in one cell', (kind, data, words) => {
  expect(detailsOf(kind, data)).toBe(words);
});
