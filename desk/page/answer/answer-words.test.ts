import { expect, test } from 'vitest';
import {
  entryOf,
  MATCH_KICK_OFF_MS,
  matchView,
  type MatchViewOptions,
} from '../../../testing/desk/match-view.ts';
import type { ForecastRange, Outlook } from '../../model/forecast/forecast.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { type AnswerWords, answerWords } from './answer-words.ts';
import { crowd } from '../../../testing/desk/recorded-match.ts';
import type { DeskView } from '../desk-view.ts';
import { formatNeeded } from '../figure-format.ts';

const at = (min: number): number => MATCH_KICK_OFF_MS + min * MINUTE_MS;
const wordsOf = (options: MatchViewOptions) => answerWords(matchView(options));
const textsOf = ({ verdicts }: AnswerWords): string[] => verdicts.map(({ text }) => text);

/** With another outlook for kick-off as it is set. */
function withOutlook(view: DeskView, outlook: Partial<Outlook>): DeskView {
  const { forecast } = view.state;
  if (forecast.kind === 'none' || !forecast.total) throw new Error('there is no forecast');
  const total = forecast.total.map((own, index) => (index === 0 ? Object.assign({}, own, outlook) : own));
  return { ...view, state: { ...view.state, forecast: { ...forecast, total } } };
}

/** With other figures in these rows. */
function withRows(
  view: DeskView,
  own: Partial<DeskView['state']['rows'][number]>,
  ...codes: string[]
): DeskView {
  const rows = view.state.rows.map((row) => (codes.includes(row.code) ? Object.assign({}, row, own) : row));
  return { ...view, state: { ...view.state, rows } };
}

function rangeOf(view: DeskView): ForecastRange {
  const { forecast } = view.state;
  const range = forecast.kind === 'made' ? forecast.total?.[0]?.range : undefined;
  if (!range || 'why' in range) throw new Error('no range');
  return range;
}

test('without earlier matches there are the needed rate, the best of today, and when all would be in', () => {
  const words = wordsOf({ atMin: -24 });
  expect(words.figures).toEqual([
    // (20.112 − 7.424) ÷ 24
    { label: 'ritmo necessário', value: '529', unit: '/min para 20.112 dentro (todos os ingressos)' },
    { label: 'agora (média 5)', value: '345', unit: '/min · melhor hoje 345' },
  ]);
  // 12.688 ÷ 345 = 36.8 min: not by 19:12.
  expect(textsOf(words)).toEqual(['no melhor ritmo de hoje, todos os 20.112 esperados dentro às 19:13']);
  expect(words.table).toMatchObject({
    title: 'dentro no início no melhor ritmo de hoje, se for às …',
    base: 'sem faixa: menos de 3 jogos anteriores para comparar',
  });
  // 7.424 + 24 × 345
  expect(words.table?.columns[0]).toMatchObject({ range: null, best: '15.700' });
});

test('where more are expected than the permitted capacities let in, that is said', () => {
  const view = withRows(matchView({ atMin: -24 }), { valid: 8_112, admitted: 3_000, capacity: 8_000 }, '7');
  const capacity = (ground: number | null) => ({
    ...view,
    state: { ...view.state, total: { ...view.state.total, capacity: ground } },
  });
  const permitted = (most: string) => `/min para 20.112 dentro (todos os ingressos; só podem entrar ${most})`;
  expect(answerWords(view).figures[0]?.unit).toBe(permitted('20.000'));
  expect(answerWords(capacity(19_000)).figures[0]?.unit).toBe(permitted('19.000'));
  // Of those who are expected by earlier matches, fewer than all tickets.
  const usual = matchView({ atMin: -40, earlierMatches: 12 });
  const few = withRows(usual, { capacity: 4_000 }, '7');
  const counts = /para ([\d.]+) dentro \(só podem entrar ([\d.]+)\)/.exec(
    answerWords(few).figures[0]?.unit ?? '',
  );
  const [expected = NaN, most = NaN] = (counts ?? []).slice(1).map((count) => Number(count.replace('.', '')));
  const { forecast } = usual.state;
  const ofSeven = forecast.kind === 'made' ? (forecast.sectors[1]?.expected.count ?? NaN) : NaN;
  expect(Math.abs(expected - most - (ofSeven - 4_000))).toBeLessThanOrEqual(100);
  const allIn = withRows(view, { admitted: 8_112 }, '7');
  expect(answerWords(allIn).figures[0]?.unit).toBe('/min para 20.112 dentro (todos os ingressos)');
});

test('the current rate is that of the rows, which are newer than the forecast', () => {
  const view = matchView({ atMin: -24 });
  const newer = { ...view, state: { ...view.state, total: { ...view.state.total, lastFive: 330 } } };
  expect(answerWords(newer).figures[1]?.value).toBe('330');
});

test('the needed rate stands beside the usual one, and is urgent only if the range is below the usual count', () => {
  const view = matchView({ atMin: -40, earlierMatches: 12 });
  const { figures } = answerWords(view);
  const [needed, now] = figures.map(({ value }) => Number(value.replace('.', '')));
  // As on every evening: the crowd comes late.
  expect((needed ?? NaN) / (now ?? NaN)).toBeGreaterThan(2);
  const usual = /^\/min · costume (\d+)$/.exec(figures[1]?.unit ?? '')?.[1];
  expect(Math.abs(Number(usual) - (now ?? NaN))).toBeLessThan(0.25 * (now ?? NaN));
  expect(answerWords(view).verdicts.some(({ isCalled }) => isCalled)).toBe(false);

  const range = rangeOf(view);
  const expected = { count: 18_000, matches: 12 };
  const reach = { expected, usualAtKickOff: 15_000 };
  const verdicts = (low: number, high: number) =>
    answerWords(withOutlook(view, { ...reach, range: { ...range, low, high, bound: null } })).verdicts;
  expect(verdicts(14_000, 17_000)).toEqual([
    {
      text: 'no início, de 1.000 a 4.000 dos esperados ainda não terão entrado (costume: 3.000)',
      isCalled: false,
    },
  ]);
  expect(verdicts(12_000, 14_900)[0]).toEqual({
    text: 'ritmo necessário fora do alcance: no início, de 3.100 a 6.000 dos esperados ainda não terão entrado (costume: 3.000)',
    isCalled: true,
  });
  expect(verdicts(14_000, 18_000)).toEqual([]);
  const cutAbove = { ...range, low: 14_000, high: 17_000, bound: 17_000 };
  expect(textsOf(answerWords(withOutlook(view, { ...reach, range: cutAbove })))[0]).toBe(
    'no início, mesmo no melhor ritmo conhecido, de 1.000 a 4.000 dos esperados ainda não terão entrado (costume: 3.000)',
  );
  // A ceiling of the gates is no forecast, whatever other lines displace its calculation.
  const ceiling = { ...range, low: 10_300, high: 10_310, bound: 10_310 };
  const cut = answerWords(
    withRows(withOutlook(view, { ...reach, range: ceiling }), { state: 'stopped' }, '7'),
  );
  expect(cut.table?.columns[0]?.range).toBe('no máximo 10.300');
  expect(textsOf(cut)).toEqual([
    'ritmo necessário fora do alcance: no início, mesmo no melhor ritmo conhecido, pelo menos 7.700 dos esperados ainda não terão entrado (costume: 3.000)',
    'a previsão conta com a volta dos acessos: SETOR 7',
  ]);
});

test('a range that ends at its bound has the calculation of the bound', () => {
  const view = matchView({ atMin: -24, earlierMatches: 12 });
  const { low, middle, matches, coverage } = rangeOf(view);
  const bounded = (perMinute: number, perMinuteBest: number, high = Infinity) => {
    const bound = 7_424 + 24 * perMinute;
    const range = { low, middle, high: Math.min(high, bound), matches, coverage, bound };
    return textsOf(answerWords(withOutlook(view, { range, perMinuteBest }))).filter((text) =>
      text.includes('no máximo'),
    );
  };
  expect(bounded(400, 345)).toEqual([
    'no máximo 17.000 às 19:00: 7.424 dentro + 24,0 min × 400/min (melhor de jogos anteriores; hoje 345)',
  ]);
  expect(bounded(345, 345)).toEqual([
    'no máximo 15.700 às 19:00: 7.424 dentro + 24,0 min × 345/min (melhor de hoje)',
  ]);
  expect(bounded(400, 345, 16_900)).toEqual([]);
});

test('at most two verdicts are displayed, the urgent one first', () => {
  const estimate = { count: 150, how: 'a olho' };
  const log = [entryOf('mark', { mark: 'unscanned', estimate }, { atMs: at(-40), sector: '7', id: 'm' })];
  const trackRecord = [{ minutesBefore: 30, ranges: 12, held: 10 }];
  const view = matchView({ atMin: -24, earlierMatches: 12, log, trackRecord });
  const range = { ...rangeOf(view), low: 9_000, high: 9_100, bound: 9_100 };
  const { verdicts } = answerWords(withOutlook(view, { range, usualAtKickOff: 15_000 }));
  expect(verdicts.map(({ text, isCalled }) => [text.split(' ').slice(0, 3).join(' '), isCalled])).toEqual([
    ['ritmo necessário fora', true],
    ['a previsão conta', false],
  ]);
});

test('twelve earlier matches give the expected count, the lateness, and how often ranges held', () => {
  const view = matchView({
    atMin: -24,
    earlierMatches: 12,
    trackRecord: [
      { minutesBefore: 15, ranges: 12, held: 9 },
      { minutesBefore: 30, ranges: 12, held: 10 },
    ],
  });
  const words = answerWords(view);
  const { figures, table } = words;
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
    expect(column.needed).toMatch(/^\d+$/);
    expect(column.best).toBeNull();
  }
  expect(textsOf(words).at(-1)).toBe('nas últimas 12 faixas a T−30, 10 acertaram');
});

test('once all who are expected are in, nothing is needed, nor said of it', () => {
  const view = withOutlook(matchView({ atMin: -24, earlierMatches: 12 }), { perMinuteNeeded: 0 });
  const { figures, table } = answerWords(view);
  expect(figures[0]).toMatchObject({ value: '0', unit: '/min: os esperados já entraram' });
  expect(table?.columns.map(({ needed }) => needed === null)).toEqual([true, false, false, false]);
  expect(formatNeeded(0)).toBe('0');
});

test('a kick-off that a desk has moved is displayed as postponed or advanced', () => {
  const moved = (min: number) => entryOf('kick-off', { kickOffAtMs: at(min) }, { atMs: at(-30) });
  const scheduled = (min: number) => wordsOf({ atMin: -24, log: [moved(min)] }).table?.columns[0];
  expect(scheduled(15)).toMatchObject({ time: '19:15', postponed: 'como adiado' });
  expect(scheduled(-5)).toMatchObject({ time: '18:55', postponed: 'como antecipado' });
  expect(scheduled(0)).toMatchObject({ time: '19:00', postponed: 'como marcado' });
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
  expect(table?.columns.every(({ best }) => (best !== null) === earlierMatches < 3)).toBe(true);
});

test('columns with different bases have one each', () => {
  const view = withOutlook(matchView({ atMin: -24, earlierMatches: 5 }), { range: { why: 'few-matches' } });
  const { table } = answerWords(view);
  expect(table?.base).toBeNull();
  expect(table?.columns[0]?.base).toBe('sem faixa: menos de 3 jogos anteriores contados até tão tarde');
  expect(table?.columns[1]?.base).toBe('como nos últimos 5 jogos');
  expect(table?.columns[0]?.best).toBeNull();
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

test('a range that is not shifted has no lateness', () => {
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
] as const)('without a forecast there are its reason and the current rate: %#', (options, words) => {
  const { figures, table, verdicts } = wordsOf(options);
  expect(verdicts).toEqual([{ text: expect.stringMatching(words), isCalled: false }]);
  expect(table).toBeNull();
  expect(figures.at(-1)?.label).toBe('agora (média 5)');
});

test('while people pass uncounted, the current rate is a lower bound', () => {
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

test('with an estimate there is a forecast that names it', () => {
  const estimate = { count: 150, how: 'a olho' };
  const log = [
    entryOf('mark', { mark: 'unscanned', estimate }, { atMs: at(-40), sector: '7', id: 'm' }),
    entryOf('take-back', { id: 'm', why: 'ended' }, { atMs: at(-38) }),
  ];
  const words = wordsOf({ atMin: -24, earlierMatches: 9, log });
  const { figures, table } = words;
  expect(figures[0]?.label).toBe('ritmo necessário');
  expect(table?.columns.every(({ range }) => range !== null)).toBe(true);
  expect(textsOf(words)[0]).toBe('a previsão conta com a estimativa: ~150 sem leitura');
});

test.each([0, 12])(
  'no number counts those whose entry is suspended, with %i earlier matches',
  (earlierMatches) => {
    const suspended = entryOf('mark', { mark: 'suspended' }, { atMs: at(-27), sector: '4' });
    const elsewhere = (data: object = {}) =>
      entryOf('mark', { mark: 'elsewhere', ...data }, { atMs: at(-26), sector: '7' });
    const estimate = { count: 150, how: 'a olho' };
    const words = 'sem faixa: entrada suspensa: SETOR 4 desde 18:33';
    for (const [marks, text] of [
      [[suspended], words],
      [[suspended, elsewhere()], `${words}; contagem incompleta: SETOR 7 desde 18:34`],
      [[suspended, elsewhere({ estimate })], words],
    ] as const) {
      const { figures, table, verdicts } = wordsOf({ atMin: -24, earlierMatches, log: marks });
      expect(figures.map(({ label }) => label)).toEqual(['agora (média 5)']);
      expect(table).toBeNull();
      expect(verdicts).toEqual([{ text, isCalled: false }]);
    }
  },
);

test('before there is a range, its time is stated', () => {
  expect(wordsOf({ atMin: -125, earlierMatches: 12 }).table?.base).toBe(
    'a faixa aparece às 17:00, duas horas antes do início',
  );
});

test('after kick-off the admissions at kick-off are displayed', () => {
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

test('after kick-off the time when nearly all others will be in is displayed, if earlier matches give one', () => {
  const [, late] = [0, 6].map((atMin) => textsOf(wordsOf({ atMin, earlierMatches: 5 })));
  expect(late).toEqual([
    expect.stringMatching(
      /^no ritmo de agora e como de costume, quase todos os que ainda vêm estarão dentro às 19:[12]\d$/,
    ),
  ]);
  for (const options of [{ earlierMatches: 2 }, { earlierMatches: 5, gapMin: [2, 4] as const }])
    expect(textsOf(wordsOf({ atMin: 6, ...options }))).toEqual([
      'o início foi às 19:00: não há mais previsão',
    ]);
});

test('a small marked sector leaves a forecast of the others, and each figure states it', () => {
  const sectors = [
    { code: '4', valid: 12_000, admittedAt: crowd(10_800, -18) },
    { code: '7', valid: 2_000, admittedAt: crowd(1_800, -22) },
    { code: '', valid: 0, admittedAt: () => 0 },
  ];
  const log = [entryOf('mark', { mark: 'unscanned' }, { atMs: at(-27), sector: '7' })];
  const view = matchView({ atMin: -24, earlierMatches: 9, log, sectors });
  const { figures, table } = answerWords(view);
  const whole = wordsOf({
    atMin: -24,
    earlierMatches: 9,
    sectors: sectors.filter(({ code }) => code !== '7'),
  });
  expect(figures.map(({ label }) => label)).toEqual([
    'ritmo necessário · sem SETOR 7',
    'agora (média 5) · sem SETOR 7',
    'chegada',
  ]);
  expect(figures.map(({ value, unit }) => [value, unit])).toEqual(
    whole.figures.map(({ value, unit }) => [value, unit]),
  );
  expect(table?.title).toBe('dentro no início, sem SETOR 7, se for às …');
  expect(table?.columns).toEqual(whole.table?.columns);
  // Their readings are not part of this forecast, whether or not they come back.
  const withStops = (...codes: string[]) => answerWords(withRows(view, { state: 'stopped' }, ...codes));
  expect(textsOf(withStops('7')).join()).not.toContain('volta dos acessos');
  expect(textsOf(withStops('4', '7', ''))[0]).toBe(
    'a previsão conta com a volta dos acessos: SETOR 4 e fora destes setores',
  );
});

test('stale data has no figures', () => {
  expect(wordsOf({ atMin: -24, earlierMatches: 12, isLive: false })).toEqual({
    figures: [],
    table: null,
    verdicts: [{ text: 'sem dados desde 18:36', isCalled: false }],
  });
});

test('with stopped sectors the forecast assumes their return, and the last minute is stated as 0', () => {
  const view = matchView({ atMin: -24, earlierMatches: 5 });
  const total = { ...view.state.total, lastMinute: 0 };
  const silent = { ...view, state: { ...view.state, total } };
  const withStops = (...codes: string[]) => answerWords(withRows(silent, { state: 'stopped' }, ...codes));
  const one = withStops('7');
  expect(textsOf(one)[0]).toBe('a previsão conta com a volta dos acessos: SETOR 7');
  expect(one.figures[1]?.unit).toMatch(/^\/min · último minuto 0 · costume \d+$/);
  expect(textsOf(withStops('4', '7', ''))[0]).toBe(
    'a previsão conta com a volta dos acessos: SETOR 4, SETOR 7 e fora destes setores',
  );
  expect(textsOf(answerWords(silent)).join(' ')).not.toContain('volta dos acessos');
});

test('without a range the hour at the best rate of today assumes the return of stopped sectors, too', () => {
  const view = withRows(matchView({ atMin: -24, earlierMatches: 0 }), { state: 'stopped' }, '7');
  expect(textsOf(answerWords(view))).toEqual([
    'a previsão conta com a volta dos acessos: SETOR 7',
    'no melhor ritmo de hoje, todos os 20.112 esperados dentro às 19:13',
  ]);
});

test.each([
  ['unknown', 200, true],
  ['unknown', 30, false],
  ['unknown', null, false],
  ['quiet', 200, false],
  ['quiet', 16 * 60, true],
] as const)(
  'of a sector that is %s, %s s after its last admission, the return is assumed aloud: %s',
  (state, silentS, isNamed) => {
    const view = matchView({ atMin: -24, earlierMatches: 5 });
    const lastEntryAtMs = silentS === null ? null : view.state.nowMs - silentS * 1_000;
    const [text] = textsOf(answerWords(withRows(view, { state, lastEntryAtMs }, '7')));
    expect(text?.startsWith('a previsão conta com a volta dos acessos: SETOR 7')).toBe(isNamed);
  },
);

test('the admissions at the best rate never exceed the valid tickets', () => {
  const view = matchView({ atMin: -24, earlierMatches: 0 });
  const best = withOutlook(view, { valid: 20_160, admittedAtBest: 20_160 });
  expect(answerWords(best).table?.columns[0]?.best).toBe('20.160');
  // Nor are all in while some are missing.
  const few = withOutlook(view, { valid: 20_160, admittedAtBest: 20_155 });
  expect(answerWords(few).table?.columns[0]?.best).toBe('20.100');
});

test('a needed rate that is met is 0, and a late time is capped', () => {
  const view = matchView({ atMin: -24 });
  const met = withOutlook(view, { perMinuteNeeded: 0 });
  expect(answerWords(met).figures[0]).toMatchObject({ value: '0' });
  const late = withOutlook(view, { allInAtMs: at(600) });
  expect(textsOf(answerWords(late))[0]).toBe(
    'no melhor ritmo de hoje, todos os 20.112 esperados dentro só depois das 22:00',
  );
});
