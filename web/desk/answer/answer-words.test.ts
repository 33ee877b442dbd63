import { expect, test } from 'vitest';
import type { Alarm } from '../../../domain/flow/alarms/alarm.ts';
import { alarmOf } from '../../../testing/alarm-view.ts';
import { entryOf, MATCH_KICK_OFF_MS, matchView, type MatchViewOptions } from '../../../testing/match-view.ts';
import type { Outlook } from '../../../domain/flow/forecast/forecast.ts';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { answerWords } from './answer-words.ts';
import type { DeskView } from '../desk-view.ts';

const at = (min: number): number => MATCH_KICK_OFF_MS + min * MINUTE_MS;
const wordsOf = (options: MatchViewOptions) => answerWords(matchView(options));

/** With another outlook for kick-off as it is set. */
function withOutlook(view: DeskView, outlook: Partial<Outlook>): DeskView {
  const { forecast } = view.state;
  if (forecast.kind === 'none' || !forecast.total) throw new Error('there is no forecast');
  const total = forecast.total.map((own, index) => (index === 0 ? Object.assign({}, own, outlook) : own));
  return { ...view, state: { ...view.state, forecast: { ...forecast, total } } };
}

test('needed is told with its target, now with the best of today, then when all would be in', () => {
  const { figures, notes } = wordsOf({ atMin: -24 });
  expect(figures).toEqual([
    // (20.112 − 7.424) ÷ 24
    { label: 'ritmo necessário', value: '529', unit: '/min para 20.112 dentro (todos os ingressos)' },
    { label: 'agora (média 5)', value: '345', unit: '/min · melhor hoje 345' },
  ]);
  // 12.688 ÷ 345 = 36.8 min
  expect(notes).toEqual([
    'no melhor de hoje: 7.424 dentro + 24,0 min × 345/min (melhor de hoje)',
    'no melhor ritmo de hoje, todos os 20.100 esperados dentro às 19:12',
  ]);
});

test('the last line of the table can be reckoned from what stands beneath it', () => {
  for (const [options, which] of [
    // Few come yet: earlier matches tell what gates pass.
    [{ atMin: -35.5, earlierMatches: 5 }, /\(melhor de jogos anteriores; hoje \d+\)$/],
    [{ atMin: -24, earlierMatches: 0 }, /\(melhor de hoje\)$/],
  ] as const) {
    const { table, notes } = wordsOf(options);
    const said = /^no (?:máximo|melhor de hoje): ([\d.]+) dentro \+ ([\d,]+) min × ([\d.]+)\/min/.exec(
      notes[0] ?? '',
    );
    const [admitted = NaN, minutes = NaN, rate = NaN] = (said ?? [])
      .slice(1)
      .map((number) => Number(number.replaceAll('.', '').replace(',', '.')));
    const most = Number(/[\d.]+/.exec(table?.columns[0]?.most ?? '')?.[0].replaceAll('.', ''));
    // The table is in hundreds, the minutes are in tenths.
    expect(Math.abs(admitted + minutes * rate - most)).toBeLessThan(50 + 0.05 * rate + 0.5 * minutes);
    expect(notes[0]).toMatch(which);
  }
});

test('a rate that would let in more than all says so, and that all is what it is cut at', () => {
  const view = matchView({ atMin: -24, earlierMatches: 5 });
  const { forecast } = view.state;
  const range = forecast.kind === 'made' ? forecast.total?.[0]?.range : undefined;
  if (!range || 'why' in range) throw new Error('no range');
  const { table, notes } = answerWords(withOutlook(view, { range: { ...range, bound: 7_424 + 24 * 1_000 } }));
  expect(table?.columns[0]?.most).toBe('no máximo, todos os 20.112');
  expect(notes[0]).toBe(
    'no máximo: 7.424 dentro + 24,0 min × 1.000/min (melhor de jogos anteriores; hoje 345), até todos os ingressos',
  );
});

test('with twelve earlier matches it is told who is expected, how late they come, and how often ranges held', () => {
  const view = matchView({
    atMin: -24,
    earlierMatches: 12,
    trackRecord: [
      { minutesBefore: 15, ranges: 12, held: 9 },
      { minutesBefore: 30, ranges: 12, held: 10 },
    ],
  });
  const { figures, table, notes } = answerWords(view);
  const { forecast } = view.state;
  const outlooks = forecast.kind === 'made' ? forecast.total : null;
  const expected = Math.round((outlooks?.[0]?.expected.count ?? 0) / 100) / 10;
  expect(figures[0]?.unit).toBe(`/min para ${expected.toFixed(1)}00 dentro`);
  expect(figures[2]?.label).toBe('chegada');
  expect(table?.columns.map(({ time, postponed }) => [time, postponed])).toEqual([
    ['19:00', 'como marcado'],
    ['19:10', '+10 min'],
    ['19:15', '+15 min'],
    ['19:30', '+30 min'],
  ]);
  expect(table?.base).toBe('em 8 de cada 10 jogos assim · 12 jogos');
  for (const [index, column] of (table?.columns ?? []).entries()) {
    const range = outlooks?.[index]?.range;
    if (!range || 'why' in range) throw new Error('no range');
    const ends = [range.low, range.high].map((count) => Math.round(count / 100) * 100);
    expect(column.range?.split(' – ').map((end) => Number(end.replace('.', '')))).toEqual(ends);
    expect(column.needed).toMatch(/^precisa \d+\/min$/);
    expect(column.most).toMatch(/^no máximo(?:, todos os)? [\d.]+$/);
  }
  expect(notes.at(-1)).toBe('nas últimas 12 faixas a T−30, 10 acertaram');
});

test('a kick-off that a desk has moved is not said to be as it was set for', () => {
  const moved = (min: number) => entryOf('kick-off', { kickOffAtMs: at(min) }, { atMs: at(-30) });
  const asSet = (min: number) => wordsOf({ atMin: -24, log: [moved(min)] }).table?.columns[0];
  expect(asSet(15)).toMatchObject({ time: '19:15', postponed: 'como adiado' });
  expect(asSet(-5)).toMatchObject({ time: '18:55', postponed: 'como antecipado' });
  expect(asSet(0)).toMatchObject({ time: '19:00', postponed: 'como marcado' });
});

test.each([
  [0, 'sem faixa: menos de 3 jogos anteriores para comparar'],
  [2, 'sem faixa: menos de 3 jogos anteriores para comparar'],
  [5, 'como nos últimos 5 jogos'],
  [9, 'em 8 de cada 10 jogos assim · 9 jogos'],
])('with %i earlier matches: %s', (earlierMatches, base) => {
  const { table } = wordsOf({ atMin: -24, earlierMatches });
  expect(table?.base).toBe(base);
  expect(table?.columns.every(({ range }) => (range !== null) === earlierMatches > 2)).toBe(true);
  expect(table?.columns[0]?.most).toMatch(earlierMatches < 3 ? /no melhor de hoje$/ : /^no máximo/);
});

test('where columns differ in what they are made of, each says it', () => {
  const view = withOutlook(matchView({ atMin: -24, earlierMatches: 5 }), { range: { why: 'few-matches' } });
  const { table } = answerWords(view);
  expect(table?.base).toBeNull();
  expect(table?.columns[0]?.base).toMatch(/^sem faixa/);
  expect(table?.columns[1]?.base).toBe('como nos últimos 5 jogos');
});

test.each([
  [6, '6 min', ' mais tarde que o costume'],
  [-3, '3 min', ' mais cedo que o costume'],
  [0, 'na hora', ' de costume'],
  [20, '20 min ou mais', ' mais tarde que o costume'],
])('a crowd that comes %i min later', (lateness, value, unit) => {
  const view = withOutlook(matchView({ atMin: -24, earlierMatches: 5 }), { lateness });
  expect(answerWords(view).figures[2]).toEqual({ label: 'chegada', value, unit });
});

test('a range that is not shifted says nothing of lateness', () => {
  const view = withOutlook(matchView({ atMin: -24, earlierMatches: 5 }), { lateness: null });
  expect(answerWords(view).figures).toHaveLength(2);
});

test.each([
  [{ atMin: -24, times: { gatesOpenAtMs: null, kickOffAtMs: null } }, /^sem horário de início: informe-o/],
  [{ atMin: 6 }, /^o início foi às 19:00: não há mais previsão$/],
  [{ atMin: -24, log: [entryOf('entry-closed', {}, { atMs: at(-30) })] }, /^entrada encerrada às 18:30/],
  [{ atMin: -24, log: [entryOf('evacuation', {}, { atMs: at(-30) })] }, /^evacuação às 18:30/],
  [
    { atMin: -24, log: [entryOf('mark', { mark: 'unscanned' }, { atMs: at(-27), sector: '7' })] },
    /^previsão retirada até haver uma estimativa: contagem incompleta: SETOR 7 desde 18:33$/,
  ],
] as const)('why nothing is forecast is said, and now all the same: %#', (options, words) => {
  const { figures, table, notes } = wordsOf(options);
  expect(notes).toEqual([expect.stringMatching(words)]);
  expect(table).toBeNull();
  expect(figures.at(-1)?.label).toBe('agora (média 5)');
});

test('where people pass uncounted, the rate of now is at least what it says', () => {
  const mark = entryOf('mark', { mark: 'unscanned' }, { atMs: at(-27), sector: '7' });
  const unitOf = (log: MatchViewOptions['log']) =>
    answerWords(matchView({ atMin: -24, ...(log && { log }) })).figures.find(
      ({ label }) => label === 'agora (média 5)',
    )?.unit;
  expect(unitOf([mark])).toMatch(/^\/min no mínimo/);
  expect(unitOf(undefined)).not.toMatch(/no mínimo/);
  // Five minutes after the last one who passed unread, the mean is what was read.
  const ended = (min: number) => [
    entryOf('mark', { mark: 'unscanned' }, { atMs: at(-40), sector: '7', id: 'm' }),
    entryOf('take-back', { id: 'm', why: 'ended' }, { atMs: at(min) }),
  ];
  expect(unitOf(ended(-28))).toMatch(/^\/min no mínimo/);
  expect(unitOf(ended(-29))).not.toMatch(/no mínimo/);
});

test('with an estimate the forecast goes on, and says of what it is made', () => {
  const estimate = { count: 150, how: 'a olho' };
  const log = [
    entryOf('mark', { mark: 'unscanned', estimate }, { atMs: at(-40), sector: '7', id: 'm' }),
    entryOf('take-back', { id: 'm', why: 'ended' }, { atMs: at(-38) }),
  ];
  const { figures, table, notes } = wordsOf({ atMin: -24, earlierMatches: 9, log });
  expect(figures[0]?.label).toBe('ritmo necessário');
  expect(table?.columns.every(({ range }) => range !== null)).toBe(true);
  expect(notes[0]).toBe('a previsão conta com a estimativa: ~150 sem leitura');
  expect(notes[1]).toMatch(/^no máximo: 7\.424 lidos \+ ~150 sem leitura \+ 24,0 min × /);
});

test('a suspended entry has no range, and says where', () => {
  const log = [entryOf('mark', { mark: 'suspended' }, { atMs: at(-27), sector: '4' })];
  expect(wordsOf({ atMin: -24, earlierMatches: 12, log }).table?.base).toBe(
    'sem faixa: entrada suspensa: SETOR 4 desde 18:33',
  );
});

test('a range that is still to come says when it will', () => {
  expect(wordsOf({ atMin: -125, earlierMatches: 12 }).table?.base).toBe(
    'a faixa aparece às 17:00, duas horas antes do início',
  );
});

test('after kick-off it is told who was in then', () => {
  const view = matchView({ atMin: 6 });
  const atKickOff = matchView({ atMin: 0 }).state.total.admitted;
  expect(answerWords(view).figures[0]).toEqual({
    label: 'dentro no início',
    value: atKickOff.toLocaleString('pt-BR'),
    unit: ' às 19:00',
  });
  // Kick-off as it is set in the table of events: on no whole minute.
  const within = { gatesOpenAtMs: null, kickOffAtMs: at(0) + 23_456 };
  expect(answerWords(matchView({ atMin: 6, times: within })).figures[0]).toEqual({
    label: 'dentro no início',
    value: atKickOff.toLocaleString('pt-BR'),
    unit: ' às 19:00',
  });
  const unscanned = (min: number) => [entryOf('mark', { mark: 'unscanned' }, { atMs: at(min), sector: '7' })];
  expect(wordsOf({ atMin: 6, log: unscanned(-20) }).figures[0]?.label).toBe('dentro no início · no mínimo');
  expect(wordsOf({ atMin: 6, log: unscanned(2) }).figures[0]?.label).toBe('dentro no início');
  expect(answerWords(matchView({ atMin: 6, gapMin: [-1, 2] })).figures[0]?.label).toBe('agora (média 5)');
});

test('what is not live is not carried on', () => {
  expect(wordsOf({ atMin: -24, earlierMatches: 12, isLive: false })).toEqual({
    figures: [],
    table: null,
    notes: ['sem dados desde 18:36'],
  });
});

test('where entries have stopped it says that the forecast reckons with them, and that the last minute had none', () => {
  const view = matchView({ atMin: -24, earlierMatches: 5 });
  const total = { ...view.state.total, lastMinute: 0 };
  const withAlarms = (...alarms: Alarm[]) =>
    answerWords({ ...view, state: { ...view.state, total, alarms } });
  const one = withAlarms(alarmOf('stopped', { sector: '7' }));
  expect(one.notes[0]).toBe('a previsão conta com a volta dos acessos: SETOR 7');
  expect(one.figures[1]?.unit).toBe('/min · último minuto 0 · melhor hoje 345');
  expect(withAlarms(alarmOf('several-stopped')).notes[0]).toBe(
    'a previsão conta com a volta dos acessos: SETOR 7, SETOR 4 e fora destes setores',
  );
  const returned = alarmOf('stopped', { sector: '7', returnedAtMs: view.state.nowMs });
  expect(withAlarms(returned).notes[0]).toMatch(/^no máximo/);
});

test('the best of today lets in no more than there are tickets, however it is rounded', () => {
  const view = matchView({ atMin: -24, earlierMatches: 0 });
  const best = withOutlook(view, { valid: 20_160, admittedAtBest: 20_160 });
  expect(answerWords(best).table?.columns[0]?.most).toBe('20.160 no melhor de hoje');
});

test('a needed rate that is met, and a time that nobody waits for', () => {
  const view = matchView({ atMin: -24 });
  const met = withOutlook(view, { perMinuteNeeded: 0 });
  expect(answerWords(met).figures[0]).toMatchObject({ value: '0' });
  const late = withOutlook(view, { allInAtMs: at(600) });
  expect(answerWords(late).notes[1]).toBe(
    'no melhor ritmo de hoje, todos os 20.100 esperados dentro só depois das 22:00',
  );
});
