import { expect, test } from 'vitest';
import { matchView } from '../../../testing/desk/match-view.ts';
import type { DeskView } from '../desk-view.ts';
import { answerWords } from './answer-words.ts';
import { formatExpected } from '../figure-format.ts';
import { entryCapacityWords } from './entry-capacity-words.ts';

/** 24 minutes before kick-off, with what the gates of SETOR 4, of SETOR 7 and of the ground let in within an hour. */
function viewWith(perHour: readonly (number | undefined)[], ground?: number): DeskView {
  const view = matchView({ atMin: -24 });
  const rows = view.state.rows.map((row, place) =>
    Object.assign({}, row, { entriesPerHour: perHour[place] }),
  );
  return { ...view, state: { ...view.state, rows, total: { ...view.state.total, entriesPerHour: ground } } };
}

test('the needed rate is compared with the entry capacity of the ground and of each sector that has one', () => {
  const view = viewWith([12_000, 9_000], 24_000);
  const { forecast } = view.state;
  if (forecast.kind !== 'made') throw new Error('there is no forecast');
  const needed = [forecast.total?.[0], ...forecast.sectors].map((each) => 60 * (each?.perMinuteNeeded ?? 0));
  expect(needed.map(Math.ceil)).toEqual([31_720, 19_808, 11_913, 0]);
  expect(entryCapacityWords(view)).toEqual([
    'estádio precisa de 31.720/h; passa no máximo 24.000/h; SETOR 4 precisa de 19.810/h; passa no máximo 12.000/h; ' +
      'SETOR 7 precisa de 11.920/h; passa no máximo 9.000/h',
  ]);
  expect(answerWords(view).verdicts[0]).toEqual({ text: entryCapacityWords(view)[0], isCalled: false });
});

test('without earlier matches the best rate of today is held to what the gates of each sector let in', () => {
  const view = viewWith([6_000, 60_000]);
  const { table, verdicts } = answerWords(view);
  expect(table?.title).toBe(
    'dentro no início no melhor ritmo de hoje, até o máximo dos portões, se for às …',
  );
  const [own, other] = view.state.forecast.kind === 'made' ? view.state.forecast.sectors : [];
  if (!own || !other) throw new Error('there is no forecast');
  // In 24 minutes 100 a minute; the gates of SETOR 7 hold nobody up.
  const most = own.admitted + 24 * 100 + other.valid;
  expect(table?.columns[0]?.best).toBe(formatExpected(most, 20_112));
  const lastMin = Math.ceil((own.valid - own.admitted) / 100) - 24;
  expect(verdicts.at(-1)?.text).toBe(
    `no melhor ritmo de hoje, até o máximo dos portões, todos os 20.112 esperados dentro às 19:${lastMin}`,
  );
});

test('of a ground without some sectors the gates are those of the rest', () => {
  const view = viewWith([30_000, 11_000], 42_000);
  const { forecast } = view.state;
  if (forecast.kind !== 'made') throw new Error('there is no forecast');
  const rest = { ...forecast, without: ['7'] };
  expect(entryCapacityWords(view)).toEqual(['SETOR 7 precisa de 11.920/h; passa no máximo 11.000/h']);
  expect(entryCapacityWords({ ...view, state: { ...view.state, forecast: rest } })).toEqual([
    'estádio (sem SETOR 7) precisa de 31.720/h; passa no máximo 31.000/h',
  ]);
});

test('a range above what the gates can let in by kick-off says so, in the same place as one within; in the last minutes no rate is a help', () => {
  const view = matchView({ atMin: -24, earlierMatches: 9 });
  const withGates = (entriesPerHour: number, of = view): DeskView => ({
    ...of,
    state: { ...of.state, total: { ...of.state.total, entriesPerHour } },
  });
  const { forecast } = view.state;
  const asSet = forecast.kind === 'made' ? forecast.total?.[0] : undefined;
  if (!asSet || 'why' in asSet.range) throw new Error('there is no range');
  const perHour = (count: number): number => ((count - asSet.admitted) * 60) / 24;
  const withMost = (count: number) => entryCapacityWords(withGates(perHour(count))).slice(1);
  const most = (count: number) =>
    `: com ele, até as 19:00 serão no máximo ${formatExpected(count, asSet.valid)} dentro`;
  const { low, high } = asSet.range;
  expect(withMost(low - 500)).toEqual([`a faixa não conta com o máximo dos portões${most(low - 500)}`]);
  const within = (low + high) / 2;
  expect(withMost(within)).toEqual([`a ponta menor cabe no máximo dos portões${most(within)}`]);
  expect(withMost(high + 1)).toEqual([`a faixa cabe no máximo dos portões${most(high + 1)}`]);
  expect(withMost(asSet.valid + 1)).toEqual([]);
  expect(entryCapacityWords(withGates(24_000, matchView({ atMin: -2 })))).toEqual([
    'estádio: não dá mais tempo para todos os esperados; passa no máximo 24.000/h',
  ]);
});

test('the gates of a sector where everybody is in let in nobody else by kick-off', () => {
  const view = matchView({ atMin: -24, earlierMatches: 9 });
  const { state } = view;
  if (state.forecast.kind !== 'made') throw new Error('there is no forecast');
  const [own, done] = state.forecast.sectors;
  if (!own || !done) throw new Error('there is no forecast of a sector');
  const sectors = [own, { ...done, admitted: done.valid }, ...state.forecast.sectors.slice(2)];
  const rows = state.rows.map((row) => Object.assign({}, row, { entriesPerHour: 6_000 }));
  const total = { ...state.total, entriesPerHour: 6_000 * rows.length };
  const words = entryCapacityWords({
    ...view,
    state: { ...state, rows, total, forecast: { ...state.forecast, sectors } },
  });
  const { admitted = 0, valid = 0 } = state.forecast.total?.[0] ?? {};
  // In 24 minutes 100 a minute, of one sector.
  expect(words.at(-1)).toMatch(`serão no máximo ${formatExpected(admitted + 2_400, valid)} dentro`);
});

test('nothing is stated within the capacity, nor without one in the venue’s file', () => {
  expect(entryCapacityWords(viewWith([19_808, 11_914], 31_721))).toEqual([]);
  expect(entryCapacityWords(viewWith([]))).toEqual([]);
});

test('of many sectors those with the largest excess are named, and the others counted', () => {
  const view = matchView({
    atMin: -24,
    sectors: ['1', '2', '3', '4', ''].map((code) => ({
      code,
      valid: code === '' ? 0 : 5_000,
      admittedAt: () => 0,
    })),
  });
  const rows = view.state.rows.map((row, place) =>
    Object.assign({}, row, { entriesPerHour: 1_000 * (place + 1) }),
  );
  expect(entryCapacityWords({ ...view, state: { ...view.state, rows } })).toEqual([
    'SETOR 1 precisa de 12.500/h; passa no máximo 1.000/h; SETOR 2 precisa de 12.500/h; passa no máximo 2.000/h · e mais 2',
  ]);
});
