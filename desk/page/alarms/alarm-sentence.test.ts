import { expect, test } from 'vitest';
import type { Alarm } from '../../model/alarms/alarm.ts';
import { ALARM_RULES } from '../../model/alarms/rules.ts';
import type { SectorMark } from '../../model/log/marks.ts';
import type { DeskView } from '../desk-view.ts';
import { alarmOf, alarmView, VIEW_NOW_MS } from '../../../testing/desk/alarm-view.ts';
import { alarmSentence, alarmTitle, shortSentence } from './alarm-sentence.ts';
import { fillingSentence, fullestFirst, isFull } from './capacity-sentence.ts';
import { adviceOf } from './rule-words.ts';

const live = alarmView();

function viewOfRow(row: Partial<DeskView['state']['rows'][number]>): DeskView {
  const rows = live.state.rows.map((each) => (each.code === '7' ? { ...each, ...row } : each));
  return alarmView({ rows });
}

test('each title has the rule and the sector', () => {
  expect(ALARM_RULES.map((rule) => alarmTitle(alarmOf(rule), live))).toEqual([
    'sem acessos registrados · SUL DORIL',
    'acessos em queda · SUL DORIL',
    'acessos em queda · estádio',
    'vários setores sem acessos',
    'sem dados',
    'perto da lotação · SUL DORIL',
    'no limite · SUL DORIL',
    'ACIMA DA CAPACIDADE · SUL DORIL',
  ]);
});

test('a stop has its beginning, its duration, and the admissions at the former rate', () => {
  expect(alarmSentence(alarmOf('stopped'), live)).toBe(
    'Nenhum acesso registrado desde 18:33, há 3 min; no ritmo de antes seriam cerca de 114.',
  );
  expect(shortSentence(alarmOf('stopped'), live)).toBe('desde 18:33, há 3 min; seriam cerca de 114');
});

test('a stop with a few admissions since does not state that nobody entered', () => {
  const { admitted } = (alarmOf('stopped') as Extract<Alarm, { rule: 'stopped' }>).figures;
  const view = viewOfRow({ lastEntryAtMs: VIEW_NOW_MS - 70_000, admitted });
  const words = 'Poucos acessos registrados desde 18:33; o último, às 18:35.';
  expect(alarmSentence(alarmOf('stopped'), view)).toBe(words);
  expect(shortSentence(alarmOf('stopped'), view)).toBe(words);
  const counted = viewOfRow({ lastEntryAtMs: VIEW_NOW_MS - 70_000, admitted: admitted + 2_277 });
  expect(alarmSentence(alarmOf('stopped'), counted)).toBe(
    '2.277 acessos registrados desde 18:33; o último, às 18:35.',
  );
});

test('without data no age is counted on', () => {
  const view = alarmView({ nowMs: VIEW_NOW_MS + 600_000 }, { status: { kind: 'no-source', ageMs: 600_000 } });
  for (const rule of ALARM_RULES) {
    expect(alarmSentence(alarmOf(rule), view)).not.toMatch(/há \d|Agora/);
    expect(shortSentence(alarmOf(rule), view)).not.toMatch(/há \d|agora/);
  }
  expect(alarmSentence(alarmOf('stopped'), view)).toBe(
    'Nenhum acesso registrado desde 18:33, até as 18:36; depois, sem dados.',
  );
});

test('an ended alarm is described in the past', () => {
  const alarm = alarmOf('stopped', { returnedAtMs: VIEW_NOW_MS + 240_000 });
  const goesOn = viewOfRow({ lastEntryAtMs: VIEW_NOW_MS + 230_000 });
  expect(alarmSentence({ ...alarm, returnedWhy: 'resolved' }, goesOn)).toBe(
    'Nenhum acesso registrado desde 18:33, até as 18:40.',
  );
  expect(alarmSentence({ ...alarm, returnedWhy: 'withdrawn' }, goesOn)).toBe(
    'Nenhum acesso registrado desde 18:33, pelo menos até as 18:40.',
  );
  // Nobody has entered since.
  expect(alarmSentence(alarm, live)).toBe('Nenhum acesso registrado desde 18:33.');
});

test('a drop has the rate when it was raised, the expected rate, and the current one', () => {
  const raised = '34 por minuto às 18:35; no ritmo de antes e dos outros setores seriam cerca de 78.';
  expect(alarmSentence(alarmOf('dropped'), live)).toBe(raised);
  const now = { entered: 181, expected: 400, windowMs: 300_000, before: 75, share: 0.1 };
  const alarm = alarmOf('dropped', { now });
  expect(alarmSentence(alarm, live)).toBe(`${raised} Agora: 36; seriam 80.`);
  expect(shortSentence(alarm, live)).toBe('agora 36 por minuto; seriam cerca de 80');
});

test('a drop of the ground names the sectors that it leaves out, as its own figures do', () => {
  const figures = { entered: 10, expected: 285, windowMs: 180_000, before: 95, share: null };
  const now = { ...figures, entered: 9, bySector: { 4: 95, '': 0 } };
  const alarm = alarmOf('ground-dropped', { now });
  const raised = '100 por minuto às 18:35; no ritmo de antes seriam cerca de 300.';
  const mark = { id: '1', mark: 'unscanned', sector: '7', sinceMs: VIEW_NOW_MS, by: 'Ana' } as const;
  const marked = alarmView({ marks: [mark] });
  expect(alarmSentence(alarm, marked)).toBe(`${raised} Agora, sem SUL DORIL (marcado): 3; seriam 95.`);
  expect(shortSentence(alarm, marked)).toBe(
    'agora 3 por minuto, sem SUL DORIL (marcado); seriam cerca de 95',
  );
  // After its end a mark is within the compared minutes for a while.
  const ended = { ...mark, id: '2', sector: '4', endedAtMs: VIEW_NOW_MS - 60_000 };
  const both = { ...alarm, now: { ...now, bySector: { '': 0 } } } as typeof alarm;
  expect(alarmSentence(both, alarmView({ marks: [mark, ended] }))).toBe(
    `${raised} Agora, sem SUL DORIL (marcado) nem NORTE (marcado antes): 3; seriam 95.`,
  );
  const same = { ...alarm, figures: { ...figures, bySector: now.bySector } } as typeof alarm;
  expect(alarmSentence(same, marked)).toBe(
    '3 por minuto às 18:35, sem SUL DORIL (marcado); no ritmo de antes seriam cerca de 95. Agora: 3; seriam 95.',
  );
});

test('several stopped sectors are named, without those where people enter again', () => {
  const rows = live.state.rows.map((row) => ({ ...row, state: 'stopped' as const }));
  const stopped = alarmView({ rows });
  expect(alarmSentence(alarmOf('several-stopped'), stopped)).toBe(
    '3 setores sem acesso registrado desde 18:33, há 3 min: SUL DORIL, NORTE e fora destes setores.',
  );
  expect(shortSentence(alarmOf('several-stopped'), stopped)).toBe(
    '3 setores desde 18:33, há 3 min: SUL DORIL, NORTE e mais 1',
  );
  const mark = { id: '1', mark: 'unscanned', sector: '4', sinceMs: 0, by: 'Ana' } as const;
  const marked = alarmView({ rows, marks: [mark] });
  expect(alarmSentence(alarmOf('several-stopped'), marked)).toBe(
    '2 setores sem acesso registrado desde 18:33, há 3 min: SUL DORIL e fora destes setores.',
  );
  const both = alarmView({ rows, marks: [mark, { ...mark, id: '2', sector: '' }] });
  expect(alarmSentence(alarmOf('several-stopped'), both)).toBe(
    '1 setor sem acesso registrado desde 18:33, há 3 min: SUL DORIL.',
  );
  const sectors = [0, 1, 2].map((place) => {
    return { sector: ['7', '4', ''][place], silentSinceMs: VIEW_NOW_MS - (3 - place) * 60_000, before: 10 };
  });
  const later = { ...alarmOf('several-stopped'), figures: { sectors } } as Alarm;
  expect(alarmSentence(later, stopped)).toBe(
    '3 setores sem acesso registrado, o primeiro desde 18:33, há 3 min: SUL DORIL, NORTE e fora destes setores.',
  );
  expect(shortSentence(later, stopped)).toBe(
    '3 setores, o primeiro desde 18:33, há 3 min: SUL DORIL, NORTE e mais 1',
  );
  const flowing = rows.map((row) =>
    Object.assign({}, row, row.code === '4' && { state: 'flowing' as const }),
  );
  expect(alarmSentence(later, alarmView({ rows: flowing }))).toBe(
    '2 setores sem acesso registrado, o primeiro desde 18:33, há 3 min: SUL DORIL e fora destes setores.',
  );
  // The alarm ends a minute later.
  const resumed = rows.map((row) => Object.assign({}, row, { state: 'flowing' as const }));
  for (const sentence of [alarmSentence, shortSentence]) {
    expect(sentence(later, alarmView({ rows: resumed }))).toBe(
      'Nenhum dos 3 setores continua sem acessos: entra gente de novo.',
    );
    expect(sentence(later, alarmView({ rows: resumed, marks: [mark] }))).toBe(
      'Nenhum dos 3 setores continua sem acessos: entra gente de novo, ou há marca.',
    );
  }
});

test('an alarm of capacity has the free places or the excess, as bounds for an incomplete count', () => {
  expect(alarmSentence(alarmOf('at-capacity'), live)).toBe(
    '5.206 registrados, 5.480 permitidos: 95%; cabem 274.',
  );
  expect(alarmSentence(alarmOf('above-capacity'), viewOfRow({ admitted: 5_500 }))).toBe(
    '5.500 registrados, 5.480 permitidos: 101%; 20 a mais.',
  );
  expect(alarmSentence(alarmOf('at-capacity'), viewOfRow({ incompleteSinceMs: VIEW_NOW_MS }))).toBe(
    'No mínimo 5.206 registrados, 5.480 permitidos: 95%; cabem no máximo 274.',
  );
});

test('of an alarm that is over, the card has the estimate by which it was raised, whatever is said of it later', () => {
  const over = Object.assign(
    alarmOf('above-capacity', { returnedAtMs: VIEW_NOW_MS, returnedWhy: 'resolved' }),
    { figures: { admitted: 5_206, capacity: 5_480, estimated: 300, isAtLeast: true } },
  );
  expect(alarmSentence(over, viewOfRow({ admitted: 5_300 }))).toMatch(
    /^5\.206 registrados \+ ~300 sem leitura, 5\.480 permitidos: ~101% às \d\d:\d\d\.$/,
  );
});

test.each([
  [
    5_206,
    [150],
    '5.206 registrados + ~150 sem leitura, 5.480 permitidos: ~97%; cabem no máximo 274, com a estimativa cerca de 124.',
    false,
  ],
  [
    5_206,
    [274],
    '5.206 registrados + ~274 sem leitura, 5.480 permitidos: ~100%; com a estimativa, não cabe mais ninguém.',
    true,
  ],
  [
    5_480,
    [404],
    '5.480 registrados + ~404 sem leitura, 5.480 permitidos: ~108%; com a estimativa, cerca de 404 a mais.',
    true,
  ],
  [5_480, [], '5.480 registrados, 5.480 permitidos: 100%; não cabe mais ninguém.', true],
  [
    5_500,
    [404],
    '5.500 registrados + ~404 sem leitura, 5.480 permitidos: ~108%; 20 a mais, com a estimativa cerca de 424.',
    true,
  ],
] as const)(
  'with %s readings and the estimates %j, a card names both, and who still fits',
  (admitted, counts, words, full) => {
    const marks = [...counts.map((count) => ['7', count] as const), [null, 9_000] as const].map(
      ([sector, count], place): SectorMark => ({
        id: `${place}`,
        mark: 'unscanned',
        sector,
        sinceMs: VIEW_NOW_MS,
        by: null,
        estimate: { count, how: 'a olho', by: 'Bia', atMs: VIEW_NOW_MS },
      }),
    );
    const { state } = viewOfRow({ admitted, incompleteSinceMs: VIEW_NOW_MS });
    const view = alarmView({ ...state, marks });
    const alarm = alarmOf('at-capacity');
    expect(alarmSentence(alarm, view)).toBe(`No mínimo ${words}`);
    expect(adviceOf(alarm.rule, state, isFull(alarm, view))).toMatch(
      full ? /^Feche a entrada/ : /^Controle a entrada: só passa quem ainda cabe/,
    );
  },
);

test('the title of a filling sector says that it is above its capacity as soon as the figures do', () => {
  const above = viewOfRow({ admitted: 5_486 });
  expect(alarmTitle(alarmOf('at-capacity'), above)).toBe('ACIMA DA CAPACIDADE · SUL DORIL');
  expect(alarmTitle(alarmOf('stopped'), above)).toBe('sem acessos registrados · SUL DORIL');
  const over = alarmOf('at-capacity', { returnedAtMs: VIEW_NOW_MS });
  expect(alarmTitle(over, above)).toBe('no limite · SUL DORIL');
});

test('an alarm without data has its beginning', () => {
  const stale = alarmView({}, { status: { kind: 'no-source', ageMs: 60_000 } });
  expect(alarmSentence(alarmOf('no-data'), stale)).toBe(
    'A contagem parou às 18:34; dos acessos desde então nada se sabe.',
  );
  expect(alarmSentence(alarmOf('no-data'), live)).toBe('A contagem parou às 18:34 e acaba de voltar.');
  const over = alarmOf('no-data', { returnedAtMs: VIEW_NOW_MS });
  expect(alarmSentence(over, live)).toBe('A contagem parou às 18:34.');
  // It stopped again, five minutes later.
  const againAtMs = alarmOf('no-data').sinceMs + 300_000;
  expect(alarmSentence(alarmOf('no-data', { againAtMs, figuresAtMs: againAtMs }), stale)).toMatch(
    'A contagem parou às 18:39; dos',
  );
});

test('filling sectors share a sentence, the fullest first', () => {
  const alarms = ['7', '4', ''].map((sector) => alarmOf('near-capacity', { sector }));
  const filling = alarms.flatMap((alarm) => (alarm.rule === 'near-capacity' ? [alarm] : []));
  const sentence = (view: DeskView) => fillingSentence(fullestFirst(filling, view), view);
  const admitted = [4_700, 5_000, 4_800];
  const rows = live.state.rows.map((row, place) => Object.assign({}, row, { admitted: admitted[place] }));
  expect(sentence(alarmView({ rows }))).toBe('NORTE 91%, fora destes setores 87% e SUL DORIL 85%.');
  const stale = alarmView({ rows }, { status: { kind: 'no-source', ageMs: 600_000 } });
  expect(sentence(stale)).toBe(
    'NORTE 91%, fora destes setores 87% e SUL DORIL 85%, até as 18:36; depois, sem dados.',
  );
  const incomplete = { incompleteSinceMs: VIEW_NOW_MS };
  const unread = rows.map((row) => (row.code === '4' ? Object.assign({}, row, incomplete) : row));
  expect(sentence(alarmView({ rows: unread }))).toMatch(/^NORTE no mínimo 91%, fora/);
});

test('capacity is the current one, and unknown free places are not stated', () => {
  const rows = live.state.rows.map((row) => Object.assign({}, row, { capacity: 5_300, admitted: 5_206 }));
  const view = alarmView({ rows });
  expect(alarmSentence(alarmOf('at-capacity'), view)).toBe(
    '5.206 registrados, 5.300 permitidos: 98%; cabem 94.',
  );
  const stale = alarmView({ rows }, { status: { kind: 'no-source', ageMs: 600_000 } });
  expect(alarmSentence(alarmOf('at-capacity'), stale)).toBe(
    '5.206 registrados, 5.300 permitidos: 98%, até as 18:36; depois, sem dados.',
  );
});
