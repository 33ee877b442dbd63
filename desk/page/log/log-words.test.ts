import { expect, test } from 'vitest';
import type { LogEntry, LogKind, LogRow } from '../../model/log/flow-log.ts';
import { alarmOf, alarmView, logOf, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import { occurrence } from '../../../testing/desk/log-rows.ts';
import { logContextOf } from './log-context.ts';
import { logWords } from './log-words.ts';
import { readTakenBack } from '../../model/log/taken-back.ts';
import { activeEntry, waysToTakeBack } from '../actions/active-entry.ts';

type DataByKind = { readonly [K in LogKind]: Extract<LogEntry, { kind: K }>['data'] };

const { rule, figures } = alarmOf('stopped');
const STORED = { minutesBefore: 30, kickOffAtMs: VIEW_NOW_MS, expected: 38_100, perMinuteNeeded: 741.09 };
const RANGE = { low: 29_900, middle: 32_000, high: 34_600, matches: 12, coverage: 0.8 };

/** One of each kind, whose id is its kind. */
const DATA: DataByKind = {
  started: { version: '1.0.0' },
  returned: { atMs: VIEW_NOW_MS },
  gap: { fromMs: VIEW_NOW_MS - 120_000, toMs: VIEW_NOW_MS },
  lot: { count: 412 },
  interrupted: { what: 'record', fromMs: VIEW_NOW_MS - 120_000, toMs: VIEW_NOW_MS },
  clock: { byMs: -3_000 },
  times: { gatesOpenAtMs: VIEW_NOW_MS - 5_400_000, kickOffAtMs: null },
  capacities: { permitted: { 4: 3_043, 7: 5_000 } },
  mark: { mark: 'unscanned', sinceMs: VIEW_NOW_MS - 180_000, estimate: { count: 50, how: 'a olho' } },
  estimate: { mark: 'mark', count: 1_150, how: 'contagem manual' },
  'kick-off': { kickOffAtMs: VIEW_NOW_MS },
  'entry-closed': {},
  evacuation: {},
  occurrence: { text: 'ônibus da visitante' },
  'take-back': { id: 'mark', why: 'ended' },
  import: { minutes: 1_180, sha256: '' },
  alarm: { rule, figures } as DataByKind['alarm'],
  'alarm-returned': { alarm: 'alarm', why: 'resolved' },
  'alarm-again': { alarm: 'alarm', why: 'unresolved' },
  'alarm-joined': { alarm: 'alarm', sectors: [{ sector: '4', silentSinceMs: 0, before: 3 }] },
  acknowledge: { alarm: 'alarm', note: 'revista no portão 4' },
  suspend: { rule: 'dropped', minutes: 15, reason: 'obra' },
  forecast: { ...STORED, range: RANGE },
  outcome: { forecast: 'forecast', admitted: 33_120, isHeld: true },
  notified: { id: 'alarm', status: 500 },
};

const KINDS = Object.keys(DATA) as LogKind[];

const log: readonly LogRow[] = logOf(...KINDS.map((kind) => [kind, DATA[kind], 'Ana', kind] as const));
const { sectors, state } = alarmView();
const context = logContextOf(log, sectors, state.timeZone);

test('each kind of entry has its words', () => {
  expect(Object.fromEntries(log.map((row) => [row.kind, logWords(row, context)]))).toEqual({
    started: 'servidor iniciado · versão 1.0.0',
    returned: 'volta ao banco de dados anterior, decidida às 18:36',
    gap: '2 min sem dados (18:34 a 18:36)',
    lot: 'lote de 412 leituras · SUL DORIL',
    interrupted: 'registro interrompido por 2 min (18:34 a 18:36): a ligação foi refeita',
    clock: 'relógio do banco atrasado em 3 s',
    times: 'horários do evento: portões 17:06, início sem horário',
    capacities: 'lotação permitida: 8.043 em 2 setores',
    mark: 'entrada liberada sem leitura · SUL DORIL, desde 18:33; ~50 sem leitura: “a olho”',
    estimate: 'estimativa: ~1.150 sem leitura · SUL DORIL: “contagem manual”',
    'kick-off': 'início às 18:36',
    'entry-closed': 'entrada encerrada',
    evacuation: 'EVACUAÇÃO',
    occurrence: '“ônibus da visitante” · SUL DORIL',
    'take-back': 'acabou: entrada liberada sem leitura · SUL DORIL, desde 18:33 (18:36)',
    import: 'importação de 1.180 minutos',
    alarm: 'alarme: SUL DORIL: nenhum acesso registrado desde 18:33 (antes, 38 por minuto)',
    'alarm-returned': 'sem acessos registrados · SUL DORIL: voltou ao normal',
    'alarm-again': 'sem acessos registrados · SUL DORIL: o alarme chama de novo: nada mudou depois do ciente',
    'alarm-joined': 'sem acessos registrados · SUL DORIL: também NORTE',
    acknowledge: 'ciente: sem acessos registrados · SUL DORIL: “revista no portão 4”',
    suspend: 'alarme suspenso por 15 min: acessos em queda · SUL DORIL: “obra”',
    forecast: 'previsão 30 min antes das 18:36: 29.900 a 34.600 dentro; ritmo necessário 742/min',
    outcome: 'resultado da previsão 30 min antes das 18:36: 33.120 dentro; a faixa acertou',
    notified:
      'aviso recusado pelo destino (500): alarme: SUL DORIL: nenhum acesso registrado desde 18:33 (antes, 38 por minuto)',
  });
});

test('the times of the event have the day where it is not that of the entry', () => {
  const dayMs = 86_400_000;
  const wordsFor = (gatesOpenAtMs: number, kickOffAtMs: number): string => {
    const row = { ...log.find(({ kind }) => kind === 'times'), data: { gatesOpenAtMs, kickOffAtMs } };
    return logWords(row as LogRow, context);
  };
  expect(wordsFor(VIEW_NOW_MS, VIEW_NOW_MS + dayMs)).toBe(
    'horários do evento: portões 18:36, início 23/11/2026 18:36',
  );
  expect(wordsFor(VIEW_NOW_MS + dayMs, VIEW_NOW_MS + 60_000)).toBe(
    'horários do evento: portões 23/11/2026 18:36, início 18:37',
  );
});

test('a forecast names the sectors that it leaves out, and one number where its ends are the same', () => {
  const row = log.find(({ kind }) => kind === 'forecast');
  if (row?.kind !== 'forecast') throw new Error('there is no forecast');
  const range = { low: 5_000, middle: 5_000, high: 5_000, matches: 9, coverage: 0.8 };
  expect(logWords({ ...row, data: { ...row.data, range } }, context)).toMatch(/: 5\.000 dentro; /);
  const words = logWords({ ...row, data: { ...row.data, without: ['99', ''] } }, context);
  expect(words).toMatch(
    /^previsão 30 min antes das 18:36, sem .+ e quem está .+: 29\.900 a 34\.600 dentro; /,
  );
  const outcome = log.find(({ kind }) => kind === 'outcome');
  if (outcome?.kind !== 'outcome') throw new Error('there is no outcome');
  const ofRest = { ...row, data: { ...row.data, without: ['99'] } };
  const unjudged = { ...outcome, data: { forecast: row.id, admitted: 33_120, isHeld: null } };
  expect(logWords(unjudged, { ...context, find: () => ofRest })).toMatch(
    /^resultado da previsão 30 min antes das 18:36, sem [^:]+: 33\.120 dentro no estádio todo; não conferida$/,
  );
});

test('an operator’s entry can be taken back once; the server’s cannot', () => {
  const takenBack = readTakenBack(log);
  const ways = log.flatMap((row) =>
    waysToTakeBack(row, takenBack, VIEW_NOW_MS).map((why) => [row.kind, why]),
  );
  expect(ways).toEqual([
    // It has ended.
    ['mark', 'mistake'],
    ['estimate', undefined],
    ['kick-off', undefined],
    ['entry-closed', undefined],
    ['evacuation', undefined],
    ['occurrence', undefined],
    ['suspend', undefined],
  ]);
  const mark = log.find(({ kind }) => kind === 'mark') as LogRow;
  expect(waysToTakeBack(mark, readTakenBack([]), VIEW_NOW_MS)).toEqual(['ended', 'mistake']);
  // It has ended by itself.
  const suspension = log.find(({ kind }) => kind === 'suspend') as LogRow;
  expect(waysToTakeBack(suspension, takenBack, suspension.atMs + 15 * 60_000)).toEqual([]);
  expect(activeEntry(log, 'mark')).toBeUndefined();
  expect(activeEntry(log, 'evacuation')?.id).toBe('evacuation');
});

test('take-backs, outcomes, marks, interruptions and repeated alarms have their words', () => {
  const wordsFor = (kind: LogKind, data: object): string =>
    logWords(Object.assign(occurrence('x', '', VIEW_NOW_MS), { kind, data }) as unknown as LogRow, context);
  const unjudged = { forecast: 'forecast', admitted: null, isHeld: null };
  const not = 'resultado da previsão 30 min antes das 18:36: não conferida';
  expect(wordsFor('outcome', { ...unjudged, why: 'incomplete' })).toBe(
    `${not}: contagem então marcada como incompleta`,
  );
  // As older records have it.
  expect(wordsFor('outcome', unjudged)).toBe(not);
  expect(wordsFor('take-back', { id: 'mark', why: 'mistake' })).toMatch(/^foi engano: entrada liberada/);
  expect(wordsFor('take-back', { id: 'mark' })).toMatch(/^desfeito: entrada liberada/);
  expect(wordsFor('mark', { mark: 'unscanned', sinceMs: VIEW_NOW_MS })).toBe(
    'entrada liberada sem leitura · SUL DORIL',
  );
  expect(wordsFor('mark', { mark: 'unscanned', alarm: 'alarm' })).toBe(
    'entrada liberada sem leitura · SUL DORIL; ciente: sem acessos registrados',
  );
  // Whoever takes it back has acknowledged nothing.
  const marked = { ...log.find(({ kind }) => kind === 'mark'), data: { mark: 'elsewhere', alarm: 'alarm' } };
  const takeBack = log.find(({ kind }) => kind === 'take-back') as LogRow;
  expect(logWords(takeBack, { ...context, find: () => marked as LogRow })).toBe(
    'acabou: leitura em outro sistema · SUL DORIL (18:36)',
  );
  expect(wordsFor('mark', { mark: 'elsewhere' })).toBe('leitura em outro sistema · SUL DORIL');
  expect(wordsFor('interrupted', { what: 'tickets', fromMs: VIEW_NOW_MS - 3_000, toMs: VIEW_NOW_MS })).toBe(
    'contagem interrompida por 3 s (18:36): a ligação foi refeita',
  );
  // As many minutes as from one of its times to the other.
  const minuteMs = Math.floor(VIEW_NOW_MS / 60_000) * 60_000;
  expect(wordsFor('interrupted', { what: 'record', fromMs: minuteMs - 70_000, toMs: minuteMs })).toBe(
    'registro interrompido por 2 min (18:34 a 18:36): a ligação foi refeita',
  );
  expect(wordsFor('alarm-returned', { alarm: 'alarm', why: 'withdrawn' })).toBe(
    'sem acessos registrados · SUL DORIL: retirado, não se sabe se voltou',
  );
  expect(wordsFor('alarm-again', { alarm: 'alarm', why: 'recurred', figures })).toBe(
    'sem acessos registrados · SUL DORIL: o alarme chama de novo',
  );
  expect(wordsFor('alarm-again', { alarm: 'alarm', why: 'recurred', figures, isSilent: true })).toBe(
    'sem acessos registrados · SUL DORIL: de novo, sem chamar (alarme suspenso)',
  );
  expect(wordsFor('alarm', { rule, figures, isSilent: true })).toMatch(
    /^alarme, sem chamar \(alarme suspenso\): SUL DORIL: nenhum acesso/,
  );
  expect(wordsFor('forecast', { ...STORED, range: RANGE, estimated: 150 })).toMatch(
    /29\.900 a 34\.600 dentro, com ~150 sem leitura; ritmo/,
  );
});

test('a change of capacity names up to three sectors', () => {
  const changes: Record<string, number>[] = [
    { 4: 3_000 },
    { 4: 2_000, 7: 5_000 },
    { 4: 2_000 },
    { 4: 2_100 },
    { 1: 1, 2: 2, 3: 3, 4: 4 },
    {},
  ];
  const rows = logOf(...changes.map((permitted) => ['capacities', { permitted }] as const));
  const capacityContext = logContextOf(rows, sectors, state.timeZone);
  expect(rows.map((row) => logWords(row, capacityContext))).toEqual([
    'lotação permitida: 3.000 em NORTE',
    'lotação permitida: 7.000 em 2 setores; NORTE 2.000 (antes 3.000); SUL DORIL 5.000 (antes sem limite)',
    'lotação permitida: 2.000 em NORTE; SUL DORIL sem limite (antes 5.000)',
    'lotação permitida: NORTE 2.100 (antes 2.000)',
    'lotação permitida: 10 em 4 setores',
    'sem lotação permitida informada',
  ]);
});
