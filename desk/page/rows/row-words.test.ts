import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { entryOf, MATCH_KICK_OFF_MS, matchView } from '../../../testing/desk/match-view.ts';
import type { DeskView } from '../desk-view.ts';
import { barEndWords, barTicks } from './bar-ticks.ts';
import { groundCaveats, rowWords } from './row-words.ts';

type Row = DeskView['state']['rows'][number];

const at = (min: number): number => MATCH_KICK_OFF_MS + min * MINUTE_MS;

function withRow(view: DeskView, code: string, figures: Partial<Row>): DeskView {
  const rows = view.state.rows.map((row) => (row.code === code ? { ...row, ...figures } : row));
  return { ...view, state: { ...view.state, rows } };
}

const rowOf = (view: DeskView, code: string) => rowWords(view).find((row) => row.code === code);

test('a row has its admissions, their share and its rates', () => {
  const view = withRow(matchView({ atMin: -24 }), '7', {
    admitted: 1_872,
    valid: 3_600,
    capacity: null,
    lastMinute: 59,
    lastFive: 58.6,
  });
  expect(rowOf(view, '7')).toEqual({
    code: '7',
    name: 'SETOR 7',
    admitted: '1.872',
    share: { percent: '52%', of: 'de 3.600' },
    isAtLeast: false,
    isRateAtLeast: false,
    bar: 0.52,
    lastMinute: '59',
    lastFive: '59',
    states: [],
    caveats: [],
  });
});

test('a rate rounds to 0, and readings that were taken back are stated as such', () => {
  const view = withRow(matchView({ atMin: -24 }), '7', { lastMinute: -1, lastFive: -0.2 });
  expect(rowOf(view, '7')).toMatchObject({ lastMinute: '1 desfeita', lastFive: '0' });
  const more = withRow(view, '7', { lastMinute: -1_203, lastFive: -3.4 });
  expect(rowOf(more, '7')).toMatchObject({ lastMinute: '1.203 desfeitas', lastFive: '3 desfeitas' });
});

test('the others are a row only where there are any', () => {
  const view = matchView({ atMin: -24 });
  expect(rowWords(view).map(({ code }) => code)).toEqual(['4', '7']);
  const others = rowOf(withRow(view, '', { admitted: 3 }), '');
  expect(others).toMatchObject({ name: 'fora destes setores', admitted: '3', share: null, bar: null });
});

test.each([
  ['stopped', 200, [{ rule: 'stopped', words: 'sem acessos há 3 min', isAlarm: false }]],
  ['dropped', 5, [{ rule: 'dropped', words: 'em queda', isAlarm: false }]],
  ['quiet', 130, [{ rule: null, words: 'último acesso há 2 min', isAlarm: false }]],
  ['quiet', 30, []],
  ['flowing', 200, []],
  ['unknown', 200, [{ rule: null, words: 'sem como verificar', isAlarm: false }]],
  ['unknown', 30, []],
] as const)('a sector that is %s, %i s after its last entry', (state, silentS, states) => {
  const view = matchView({ atMin: -24 });
  const row = { state, lastEntryAtMs: view.state.nowMs - silentS * 1_000 };
  expect(rowOf(withRow(view, '7', row), '7')?.states).toEqual(states);
});

test('once the rules are not applied, a row has its last admission', () => {
  const view = matchView({ atMin: -24 });
  const watch = { atMs: at(-30), waits: 'entry-closed' } as const;
  const closed = { ...view, state: { ...view.state, watch } };
  const statesOf = (lastEntryAtMs: number) =>
    rowOf(withRow(closed, '7', { state: 'unknown', lastEntryAtMs }), '7')?.states;
  expect(statesOf(at(-27) - 1)).toEqual([{ rule: null, words: 'último acesso há 3 min', isAlarm: false }]);
  // After a restart and in replay it is known by its minute: it came before the end of that.
  expect(statesOf(at(-28))).toEqual(statesOf(at(-27) - 1));
});

test('a row counts the silence as the card of its alarm does, and from an entry that was later', () => {
  const figures = { silentSinceMs: at(-28), windowMs: 120_000, before: 40, admitted: 900, valid: 8_112 };
  const alarm = entryOf('alarm', { rule: 'stopped', figures }, { atMs: at(-26), sector: '7' });
  const view = matchView({ atMin: -24, log: [alarm] });
  const silentWords = (lastEntryAtMs: number | null) =>
    rowOf(withRow(view, '7', { state: 'stopped', lastEntryAtMs }), '7')?.states[0]?.words;
  expect(silentWords(at(-28) - 60_000)).toBe('sem acessos há 4 min');
  expect(silentWords(null)).toBe('sem acessos há 4 min');
  expect(silentWords(at(-26))).toBe('sem acessos há 2 min');
});

test('only an active alarm marks a row', () => {
  const figures = { silentSinceMs: at(-28), windowMs: 120_000, before: 40, admitted: 900, valid: 8_112 };
  const alarm = entryOf('alarm', { rule: 'stopped', figures }, { atMs: at(-26), sector: '7' });
  const raised = withRow(matchView({ atMin: -24, log: [alarm] }), '7', { state: 'stopped' });
  expect(rowOf(raised, '7')?.states[0]).toMatchObject({ rule: 'stopped', isAlarm: true });
  expect(rowOf(raised, '4')?.states).toEqual([]);
  const returned = entryOf('alarm-returned', { alarm: alarm.id, why: 'resolved' }, { atMs: at(-25) });
  const over = withRow(matchView({ atMin: -24, log: [alarm, returned] }), '7', { state: 'stopped' });
  expect(rowOf(over, '7')?.states[0]).toMatchObject({ rule: 'stopped', isAlarm: false });
  const evacuated = { ...raised, state: { ...raised.state, evacuatedAtMs: at(-25) } };
  expect(rowOf(evacuated, '7')?.states[0]).toMatchObject({ rule: 'stopped', isAlarm: false });
});

test('an active alarm that cannot be verified yet, as after a restart, stays in the row', () => {
  const figures = { silentSinceMs: at(-28), windowMs: 120_000, before: 40, admitted: 900, valid: 8_112 };
  const alarm = entryOf('alarm', { rule: 'stopped', figures }, { atMs: at(-26), sector: '7' });
  const view = withRow(matchView({ atMin: -24, log: [alarm] }), '7', {
    state: 'unknown',
    lastEntryAtMs: null,
  });
  const shown = (waits: DeskView['state']['watch']['waits']) =>
    rowOf({ ...view, state: { ...view.state, watch: { atMs: at(-24), waits } } }, '7')?.states;
  const stopped = [{ rule: 'stopped', words: 'sem acessos há 4 min', isAlarm: true }];
  expect(shown(null)).toEqual(stopped);
  expect(shown('not-live')).toEqual(stopped);
  expect(shown('entry-closed')).not.toEqual(stopped);
  // Somebody enters again.
  const resumed = withRow(view, '7', { lastEntryAtMs: at(-24) - 10_000 });
  expect(
    rowOf({ ...resumed, state: { ...resumed.state, watch: { atMs: at(-24), waits: null } } }, '7')?.states,
  ).toEqual([]);
});

test('without data there are no rates and no states, but alarms of capacity stay', () => {
  const figures = { admitted: 7_800, capacity: 8_000 };
  const alarm = entryOf('alarm', { rule: 'at-capacity', figures }, { atMs: at(-26), sector: '7' });
  const stop = { silentSinceMs: at(-28), windowMs: 120_000, before: 40, admitted: 900, valid: 8_112 };
  const stopped = entryOf('alarm', { rule: 'stopped', figures: stop }, { atMs: at(-25), sector: '4' });
  const row = { state: 'stopped', lastMinute: 10, lastFive: 12 } as const;
  const view = withRow(matchView({ atMin: -24, isLive: false, log: [alarm, stopped] }), '7', row);
  // Its card stays, and says until when it was known.
  expect(rowOf(view, '4')?.states).toEqual([]);
  expect(rowOf(view, '7')).toMatchObject({
    lastMinute: '–',
    lastFive: '–',
    states: [{ rule: 'at-capacity', words: 'no limite', isAlarm: true }],
  });
  expect(barTicks(view)).toBeNull();
  const above = withRow(view, '7', { admitted: 8_001, capacity: 8_000 });
  expect(rowOf(above, '7')?.states).toEqual([
    { rule: 'above-capacity', words: 'ACIMA DA CAPACIDADE', isAlarm: true },
  ]);
});

test('the share of a permitted capacity counts an estimate, as its alarms do', () => {
  const estimate = { count: 200, how: 'contagem na fila' };
  const mark = entryOf('mark', { mark: 'unscanned', estimate }, { atMs: at(-27), sector: '7' });
  const view = withRow(matchView({ atMin: -24, log: [mark] }), '7', {
    admitted: 7_500,
    capacity: 8_000,
  });
  expect(rowOf(view, '7')).toMatchObject({
    admitted: '7.500',
    share: { percent: '~96%', of: 'de 8.000' },
    bar: 0.9625,
  });
  const ofTickets = withRow(view, '7', { admitted: 4_056, capacity: null });
  expect(rowOf(ofTickets, '7')?.share).toEqual({ percent: '50%', of: 'de 8.112' });
});

test('a mark stands on the row of its sector', () => {
  const log = [
    entryOf('mark', { mark: 'unscanned' }, { atMs: at(-27), sector: '7' }),
    entryOf('mark', { mark: 'suspended' }, { atMs: at(-24), sector: '4' }),
  ];
  const view = matchView({ atMin: -24, log });
  expect(rowOf(view, '7')?.caveats).toEqual(['contagem incompleta desde 18:33']);
  expect(rowOf(view, '4')?.caveats).toEqual(['entrada suspensa desde 18:36']);
  expect(rowWords(view).map(({ isAtLeast }) => isAtLeast)).toEqual([false, true]);
});

test('where readings come although the entry is suspended, the mark states how many', () => {
  /** The caveats of a sector and of the ground, of which six enter each minute after the first two of the mark. */
  const caveatsAt = (atMin: number, sector: string | null, isLive = true) => {
    const sectors = ['4', '7', ''].map((code) => ({
      code,
      valid: 2_000,
      admittedAt: (min: number) => (code === '4' ? 500 + 6 * Math.max(0, Math.min(min, -10) + 24) : 500),
    }));
    const log = [entryOf('mark', { mark: 'suspended' }, { atMs: at(-26), sector })];
    const view = matchView({ atMin, sectors, log, isLive });
    return [...(rowOf(view, '4')?.caveats ?? []), ...groundCaveats(view)];
  };
  expect(caveatsAt(-24, '4')).toEqual(['entrada suspensa desde 18:34']);
  expect(caveatsAt(-23, '4')).toEqual(['entrada suspensa, mas entraram: 6 em 3 min']);
  expect(caveatsAt(-12, '4')).toEqual(['entrada suspensa, mas entraram: 30 em 5 min']);
  expect(caveatsAt(-12, null)).toEqual(['estádio: entrada suspensa, mas entraram: 30 em 5 min']);
  expect(caveatsAt(-12, '7')).toEqual([]);
  expect(caveatsAt(-12, '4', false)).toEqual(['entrada suspensa desde 18:34']);
  expect(caveatsAt(-5, '4')).toEqual(['entrada suspensa desde 18:34']);
});

test('readings that came although the entry is suspended count, too, in a time that nobody saw', () => {
  /** Ten enter each minute; those from `fromMin` to `toMin` are not known. */
  const caveatAt = (fromMin: number, toMin: number) => {
    const view = matchView({
      atMin: -12,
      sectors: ['4', ''].map((code) => ({
        code,
        valid: 2_000,
        admittedAt: (min: number) => 10 * (min + 90),
      })),
      log: [entryOf('mark', { mark: 'suspended' }, { atMs: at(-26), sector: '4' })],
    });
    const minutes = view.minutes.filter(({ minuteMs }) => minuteMs < at(fromMin) || minuteMs >= at(toMin));
    return rowOf({ ...view, minutes }, '4')?.caveats[0];
  };
  expect(caveatAt(-12, -12)).toBe('entrada suspensa, mas entraram: 50 em 5 min');
  expect(caveatAt(-16, -14)).toBe('entrada suspensa, mas entraram: no mínimo 50 desde 18:43');
  expect(caveatAt(-20, -12)).toBe('entrada suspensa, mas entraram: no mínimo 80 desde 18:40');
  expect(caveatAt(-30, -12)).toBe('entrada suspensa desde 18:34');
});

test('readings that were taken back hide none that came although the entry is suspended', () => {
  const view = matchView({
    atMin: -22,
    log: [entryOf('mark', { mark: 'suspended' }, { atMs: at(-26), sector: '4' })],
  });
  const minutes = view.minutes.map((minute) => ({
    ...minute,
    sectors: minute.sectors.map((sector) => {
      const isIn = (min: number) => minute.minuteMs === at(min);
      if (isIn(-25)) return { ...sector, net: -10, entered: 0, reverted: 10 };
      if (isIn(-24)) return { ...sector, net: 0, entered: 4, reverted: 4 };
      // Nobody knows how many of them entered.
      return { ...sector, net: isIn(-23) ? 3 : 0, entered: isIn(-23) ? null : 0, reverted: null };
    }),
  }));
  expect(rowOf({ ...view, minutes }, '4')?.caveats).toEqual(['entrada suspensa, mas entraram: 7 em 4 min']);
});

test('after its end a mark leaves a lower bound, but right rates', () => {
  const log = (endMin: number) => [
    entryOf(
      'mark',
      { mark: 'unscanned', estimate: { count: 150, how: 'a olho' } },
      { atMs: at(-40), sector: '7', id: 'm' },
    ),
    entryOf('take-back', { id: 'm', why: 'ended' }, { atMs: at(endMin) }),
  ];
  const row = (endMin: number) => rowOf(matchView({ atMin: -24, log: log(endMin) }), '7');
  expect(row(-30)).toMatchObject({
    isAtLeast: true,
    isRateAtLeast: false,
    caveats: ['contagem incompleta desde 18:20 até 18:30'],
  });
  expect(row(-28)).toMatchObject({ isAtLeast: true, isRateAtLeast: true });
});

test('a mark on the whole ground is stated once for all rows', () => {
  expect(groundCaveats(matchView({ atMin: -24 }))).toEqual([]);
  const log = [
    entryOf('mark', { mark: 'elsewhere' }, { atMs: at(-27), sector: null }),
    entryOf('mark', { mark: 'suspended' }, { atMs: at(-24), sector: '4' }),
  ];
  const view = matchView({ atMin: -24, log });
  expect(groundCaveats(view)).toEqual(['estádio: contagem incompleta desde 18:33']);
  expect(rowWords(view).map(({ caveats }) => caveats)).toEqual([['entrada suspensa desde 18:36'], []]);
  expect(rowWords(view).map(({ isAtLeast }) => isAtLeast)).toEqual([true, true]);
});

test('bar and share refer to the permitted capacity, or else to the valid tickets, which the legend states', () => {
  const view = matchView({ atMin: -24 });
  expect(barEndWords(view)).toBe('barra e %: dos ingressos válidos');
  const some = withRow(view, '7', { admitted: 3_000, valid: 8_000, capacity: 4_000 });
  expect(rowOf(some, '7')).toMatchObject({ bar: 0.75, share: { percent: '75%', of: 'de 4.000' } });
  expect(barEndWords(some)).toMatch(/^barra e %: da lotação permitida; onde não há/);
  expect(barEndWords(withRow(some, '4', { capacity: 9_000 }))).toBe('barra e %: da lotação permitida');
  const others = withRow(withRow(some, '4', { capacity: 9_000 }), '', { admitted: 8, valid: 40 });
  expect(barEndWords(others)).toMatch(/onde não há, dos ingressos válidos$/);
  const overfilled = withRow(view, '7', { admitted: 4_001, capacity: 4_000 });
  expect(rowOf(overfilled, '7')).toMatchObject({ bar: 1, share: { percent: '101%', of: 'de 4.000' } });
});

test('no share is rounded to all or nobody', () => {
  const percentOf = (admitted: number, valid: number) =>
    rowOf(withRow(matchView({ atMin: -24 }), '7', { admitted, valid, capacity: null }), '7')?.share?.percent;
  expect(
    [
      [0, 3_000],
      [1, 3_000],
      [29, 3_000],
      [30, 3_000],
      [1_000, 3_000],
      [2_970, 3_000],
      [2_971, 3_000],
      [2_999, 3_000],
      [3_000, 3_000],
      [3_001, 3_000],
    ].map(([admitted = 0, valid = 0]) => percentOf(admitted, valid)),
  ).toEqual(['0%', '<\u00A01%', '<\u00A01%', '1%', '33%', '99%', '>\u00A099%', '>\u00A099%', '100%', '101%']);
});

test('a tick is at the usual count, or at the share of the ground', () => {
  const alone = matchView({ atMin: -24 });
  const { admitted, valid } = alone.state.total;
  expect(barTicks(alone)?.words).toBe('traço: média do estádio, 36% dos ingressos');
  expect(barTicks(alone)?.at.get('4')).toBeCloseTo(admitted / valid, 9);
  const among = matchView({ atMin: -24, earlierMatches: 5 });
  const { forecast, rows } = among.state;
  const usual = forecast.kind === 'made' ? forecast.sectors[1]?.usual : undefined;
  expect(barTicks(among)?.words).toBe('traço: onde costuma estar a esta hora');
  expect(barTicks(among)?.at.get('7')).toBeCloseTo((usual ?? NaN) / (rows[1]?.valid ?? NaN), 9);
});

test('a row with an incomplete count has no tick at the mean of the ground, and none has one where all are incomplete', () => {
  const marked = (sector: string | null) =>
    barTicks(
      matchView({ atMin: -24, log: [entryOf('mark', { mark: 'unscanned' }, { atMs: at(-27), sector })] }),
    );
  expect([...(marked('7')?.at.keys() ?? [])]).toEqual(['4']);
  expect(marked(null)).toBeNull();
});
