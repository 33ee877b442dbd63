import { expect, test } from 'vitest';
import { entryOf, MATCH_KICK_OFF_MS, matchView } from '../../../testing/desk/match-view.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { headingWords, watchLine } from '../alarms/watch-words.ts';
import { noForecastWords } from '../answer/no-forecast-words.ts';
import { kickOffWords } from '../frame/kick-off-words.ts';
import { rowWords } from '../rows/row-words.ts';
import { totalWords } from './total-words.ts';

const at = (min: number): number => MATCH_KICK_OFF_MS + min * MINUTE_MS;

test('the total has its reference, and states that the queue is not measured', () => {
  const view = matchView({ atMin: -24 });
  const { admitted } = view.state.total;
  expect(admitted).toBe(7_424);
  expect(totalWords(view)).toEqual({
    label: 'acessos',
    admitted: '7.424',
    doubts: [],
    estimate: null,
    facts: ['de 20.112 ingressos válidos', '36%', '12.688 ainda não entraram', 'fila: não medida'],
    caveats: [],
    isStale: false,
    isEvacuated: false,
  });
});

test('who is in without a valid ticket is none of the valid ones: they are still to enter', () => {
  const { state, ...view } = matchView({ atMin: -24 });
  const total = { ...state.total, invalid: 400 };
  expect(totalWords({ ...view, state: { ...state, total } }).facts).toContain('13.088 ainda não entraram');
  // A recorded minute does not have those.
  const recorded = { ...view, state, replay: { atMs: at(-24) } };
  expect(totalWords(recorded).facts).toContain('no mínimo 12.688 ainda não entraram');
});

test('a mark of uncounted people concerns every figure, a suspended entry none', () => {
  const log = [
    entryOf('mark', { mark: 'unscanned' }, { atMs: at(-27), sector: '7' }),
    entryOf('mark', { mark: 'elsewhere' }, { atMs: at(-25), sector: '' }),
    entryOf('mark', { mark: 'suspended' }, { atMs: at(-26), sector: '4' }),
  ];
  const view = matchView({ atMin: -24, log });
  const facts = ['de 20.112 ingressos válidos', 'no mínimo 36%'];
  expect(totalWords(view)).toMatchObject({
    label: 'acessos',
    doubts: ['no mínimo'],
    facts: [...facts, 'no máximo 12.688 ainda não entraram', 'fila: não medida'],
    caveats: ['contagem incompleta: SETOR 7 desde 18:33, fora destes setores desde 18:35'],
  });
  // Of a recorded minute nobody knows who is in without a valid ticket.
  expect(totalWords({ ...view, replay: { atMs: at(-24) } }).facts).toEqual([...facts, 'fila: não medida']);
});

test('an estimate stands beside the count, which stays a lower bound after the mark has ended', () => {
  const estimate = { count: 150, how: 'contagem manual' };
  const marks = [
    entryOf(
      'mark',
      { mark: 'unscanned', sinceMs: at(-30), estimate },
      { atMs: at(-27), sector: '7', id: 'm' },
    ),
    entryOf('take-back', { id: 'm', why: 'ended' }, { atMs: at(-26) }),
  ];
  expect(totalWords(matchView({ atMin: -24, log: marks }))).toMatchObject({
    admitted: '7.424',
    doubts: ['no mínimo'],
    estimate: '7.424 lidos + ~150 sem leitura',
    caveats: ['contagem incompleta: SETOR 7 desde 18:30 até 18:34 (~150 sem leitura)'],
  });
  const other = entryOf('mark', { mark: 'elsewhere' }, { atMs: at(-25), sector: '4' });
  expect(totalWords(matchView({ atMin: -24, log: [...marks, other] })).estimate).toBe(
    '7.424 lidos + ~150 sem leitura ou mais',
  );
  const mistake = entryOf('take-back', { id: 'm', why: 'mistake' }, { atMs: at(-25) });
  expect(totalWords(matchView({ atMin: -24, log: [...marks, mistake] }))).toMatchObject({
    doubts: [],
    estimate: null,
    caveats: [],
  });
});

test('after an evacuation the total does not state who is present or still to come', () => {
  const log = [entryOf('evacuation', {}, { atMs: at(20) })];
  expect(totalWords(matchView({ atMin: 30, log }))).toMatchObject({
    label: 'acessos registrados, não pessoas presentes',
    facts: ['de 20.112 ingressos válidos', expect.stringMatching(/^8\d%$/)],
    caveats: ['evacuação às 19:20'],
  });
});

test('an incomplete count stays one during an evacuation', () => {
  const log = [
    entryOf('mark', { mark: 'unscanned' }, { atMs: at(-27), sector: '7' }),
    entryOf('evacuation', {}, { atMs: at(20) }),
  ];
  expect(totalWords(matchView({ atMin: 30, log }))).toMatchObject({
    label: 'acessos registrados, não pessoas presentes',
    doubts: ['no mínimo'],
    facts: ['de 20.112 ingressos válidos', expect.stringMatching(/^no mínimo 8\d%$/)],
  });
});

test('a stale count has its age', () => {
  expect(totalWords(matchView({ atMin: -24, isLive: false }))).toMatchObject({
    doubts: [expect.stringMatching(/^sem dados desde 18:3\d$/)],
    isStale: true,
  });
});

test('a permitted capacity is displayed, with a lower bound for an incomplete count', () => {
  const view = matchView({ atMin: -24, log: [entryOf('mark', { mark: 'unscanned' }, { atMs: at(-30) })] });
  const total = { ...view.state.total, capacity: 15_000 };
  const { facts, caveats } = totalWords({ ...view, state: { ...view.state, total } });
  expect(facts).toContain('lotação permitida 15.000: no mínimo 49%');
  expect(caveats).toEqual(['contagem incompleta: estádio desde 18:30']);
});

test('without the record every count is a lower bound, and no alarm is verified', () => {
  const known = matchView({ atMin: -24 });
  const record = { ...known.state.record, isUnread: true };
  const view = { ...known, state: { ...known.state, record } };
  expect(totalWords(view)).toMatchObject({
    doubts: ['no mínimo'],
    caveats: ['contagem incompleta: sem o registro, não se sabe se todos foram lidos'],
  });
  expect(rowWords(view).map(({ isAtLeast }) => isAtLeast)).toEqual(
    view.state.rows.slice(0, -1).map(() => true),
  );
  expect(headingWords(view, 0)).toBe('alarmes sem como verificar');
  expect(watchLine(view)).toBe('sem o registro: alarmes não verificados');
  expect(kickOffWords(view.state)).toBe('início: sem o registro');
  expect(noForecastWords(view, 'no-kick-off')).toBe('sem o registro: não há previsão');
});

test('beside a permitted capacity stands the share with the estimates, by which its alarms are raised', () => {
  const estimate = { count: 1_000, how: 'contagem na fila' };
  const log = [entryOf('mark', { mark: 'unscanned', estimate }, { atMs: at(-30), sector: '7' })];
  const view = matchView({ atMin: -24, log });
  const total = { ...view.state.total, capacity: 15_000 };
  const { facts } = totalWords({ ...view, state: { ...view.state, total } });
  expect(facts).toContain('lotação permitida 15.000: no mínimo 49% (com a estimativa 56%)');
});

test('without a valid ticket there is no share', () => {
  const view = matchView({ atMin: -24, sectors: [{ code: '', valid: 0, admittedAt: () => 0 }] });
  expect(totalWords(view).facts[0]).toBe('nenhum ingresso válido');
});
