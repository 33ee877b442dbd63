import { expect, test } from 'vitest';
import { entryOf, MATCH_KICK_OFF_MS, matchView } from '../../../testing/desk/match-view.ts';
import type { LogEntry } from '../../model/log/flow-log.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { curveModel } from './curve-model.ts';
import { curveName, curveSentence, curveCaveat } from './curve-sentence.ts';
import { nameIncomplete } from '../caveats.ts';
import { minuteReadings, readingWords } from './minute-reading.ts';
import { rangeAhead } from './range-ahead.ts';

const at = (min: number): number => MATCH_KICK_OFF_MS + min * MINUTE_MS;
const minuteOf = (ms: number): number => (ms - MATCH_KICK_OFF_MS) / MINUTE_MS;

test('the curve covers the time from the gates to half an hour after kick-off, with the admissions of each minute', () => {
  const view = matchView({ atMin: -24, earlierMatches: 12 });
  const model = curveModel(view, null, view.usual);
  expect([model.window.fromMs, model.window.toMs].map(minuteOf)).toEqual([-135, 30]);
  expect(model.runs).toHaveLength(1);
  for (const min of [-110, -60, -25]) {
    const point = model.runs[0]?.find(({ atMs }) => atMs === at(min));
    expect(point?.admitted).toBe(matchView({ atMin: min }).state.total.admitted);
  }
  expect(model.runs[0]?.at(-1)).toEqual({ atMs: at(-24), admitted: view.state.total.admitted });
  expect(model.columns).toHaveLength(106);
  expect(model.columns.at(-1)).toEqual({
    minuteMs: at(-25),
    perMinute: view.state.total.lastMinute,
    lots: 0,
    admitted: view.state.total.admitted,
    isAtLeast: false,
    isRateAtLeast: false,
  });
});

test('the range ahead, the needed rate and the usual curve are those of the forecast', () => {
  const view = matchView({ atMin: -24, earlierMatches: 12 });
  const { range, needed, usual } = curveModel(view, null, view.usual);
  const { forecast } = view.state;
  const outlook = forecast.kind === 'made' ? forecast.total?.[0] : undefined;
  if (!outlook || 'why' in outlook.range) throw new Error('there is no range');
  expect(range).toMatchObject({
    toMs: at(0),
    low: Math.round(outlook.range.low / 100) * 100,
    high: Math.round(outlook.range.high / 100) * 100,
  });
  expect(needed).toEqual({ fromMs: at(-24), toMs: at(0), perMinute: outlook.perMinuteNeeded });
  expect(usual?.matches).toBe(12);
  expect(usual?.points.find(({ atMs }) => atMs === at(-24))?.admitted).toBeCloseTo(outlook.usual ?? 0, 6);
});

test('the range follows the usual curve, shifted by the lateness of today, and widens', () => {
  const view = matchView({ atMin: -24, earlierMatches: 12 });
  const { forecast } = view.state;
  const outlook = forecast.kind === 'made' ? forecast.total?.[0] : undefined;
  if (!outlook || 'why' in outlook.range || !view.usual) throw new Error('there is no forecast');
  const { admitted, valid, range } = outlook;
  const crowd = { usual: view.usual, crowdMs: at(0), fromMs: at(-24) };
  const [onTime, late] = [0, 10].map((lateness) =>
    rangeAhead({ ...crowd, outlook: { ...outlook, lateness } }),
  );
  if (!onTime || !late) throw new Error('there is no range');
  expect(onTime.edges).toHaveLength(25);
  for (const { edges, low, high } of [onTime, late]) {
    expect(edges[0]).toEqual({ atMs: at(-24), low: admitted, high: admitted });
    expect(edges.at(-1)).toEqual({ atMs: at(0), low, high });
    const widths = edges.map((edge) => edge.high - edge.low);
    expect(widths).toEqual(widths.toSorted((a, b) => a - b));
  }
  const bounded = { ...range, low: 15_000, high: 15_010 };
  const isMost = (bound: number) =>
    rangeAhead({ ...crowd, outlook: { ...outlook, range: { ...bounded, bound } } })?.isMost;
  expect([isMost(15_010), isMost(15_020)]).toEqual([true, false]);
  const usualAt = (min: number): number => (view.usual?.shares[min + 120] ?? NaN) * valid;
  const way = (usualAt(-12) - usualAt(-24)) / (usualAt(0) - usualAt(-24));
  expect(onTime.edges[12]?.high).toBeCloseTo(
    admitted + way * (range.middle - admitted) + Math.sqrt(way) * (onTime.high - range.middle),
    6,
  );
  expect(late.edges[12]?.high ?? NaN).toBeLessThan(onTime.edges[12]?.high ?? NaN);
  // The usual curve, from who is in now on, is within.
  for (const { atMs, low, high } of onTime.edges) {
    const usual = usualAt((atMs - at(0)) / MINUTE_MS) + admitted - usualAt(-24);
    expect([atMs, low < usual + 1, usual < high + 1]).toEqual([atMs, true, true]);
  }
});

test('without a usual curve no range is drawn', () => {
  const view = matchView({ atMin: -24, earlierMatches: 12 });
  expect(curveModel(view, null, null).range).toBeNull();
});

test('a sector has its own counts, ceiling and forecast', () => {
  const view = matchView({ atMin: -24, earlierMatches: 12 });
  const model = curveModel(view, '7', view.usual);
  expect(model.runs[0]?.at(-1)?.admitted).toBe(view.state.rows[1]?.admitted);
  expect(model.ceilings).toEqual([
    { kind: 'valid', count: 8_112, text: 'ingressos válidos 8.112', shortText: 'válidos 8.112' },
  ]);
  expect(model.range?.high).toBeLessThanOrEqual(8_112);
  expect(curveName(view, '7')).toBe('acessos ao longo do tempo · SETOR 7');
});

test('no rate is needed where the entry is suspended', () => {
  const perMinute = (...log: LogEntry[]) =>
    curveModel(matchView({ atMin: -24, earlierMatches: 12, log }), '7', null).needed?.perMinute ?? 0;
  expect(perMinute()).toBeGreaterThan(0);
  expect(perMinute(entryOf('mark', { mark: 'suspended' }, { atMs: at(-30), sector: '7' }))).toBe(0);
});

test('a gap has no minute, and breaks the line', () => {
  const view = matchView({ atMin: -24, gapMin: [-48, -45] });
  const model = curveModel(view, null, null);
  expect(model.gaps).toEqual([{ fromMs: at(-48), toMs: at(-45) }]);
  expect(model.runs.map((run) => [run[0], run.at(-1)].map((point) => minuteOf(point?.atMs ?? 0)))).toEqual([
    [-130, -48],
    [-45, -24],
  ]);
  const readings = minuteReadings(model);
  expect(readings.filter(({ column }) => !column).map(({ minuteMs }) => minuteOf(minuteMs))).toEqual([
    -48, -47, -46,
  ]);
  expect(readings.map(readingWords)).toContain('18:13 · sem dados');
  expect(curveSentence(view, null, model)).toContain('sem dados: 18:12–18:15');
});

test('unobserved time after the gates opened is a gap without a bridge', () => {
  const view = matchView({ atMin: -24, fromMin: -60 });
  const model = curveModel(view, null, null);
  expect(model.gaps).toEqual([{ fromMs: at(-120), toMs: at(-60) }]);
  expect(model.runs).toHaveLength(1);
});

test('a moved kick-off stands beside the planned one', () => {
  const log = [entryOf('kick-off', { kickOffAtMs: at(15) }, { atMs: at(-30) })];
  const { moments, window, markers } = curveModel(matchView({ atMin: -24, log }), null, null);
  expect(moments.map(({ text }) => text)).toEqual(['portões 17:00', 'previsto 19:00', 'início 19:15']);
  expect(minuteOf(window.toMs)).toBe(45);
  expect(markers.map(({ text }) => text)).toEqual(['início às 19:15']);
});

test('a minute since people passed uncounted has a count, and one in which they did a rate, of at least that many', () => {
  const log = [
    entryOf('mark', { mark: 'unscanned' }, { atMs: at(-40), sector: '4', id: 'a' }),
    entryOf('take-back', { id: 'a', why: 'ended' }, { atMs: at(-35) }),
  ];
  const readings = minuteReadings(curveModel(matchView({ atMin: -24, log }), null, null));
  const words = (min: number): string => {
    const reading = readings.find(({ minuteMs }) => minuteMs === at(min));
    return reading ? readingWords({ ...reading, entries: [] }) : '';
  };
  expect(words(-41)).toMatch(/^18:19 · [\d.]+ acessos · \d+ por minuto$/);
  expect(words(-40)).toMatch(/^18:20 · no mínimo [\d.]+ acessos · no mínimo \d+ por minuto$/);
  expect(words(-36)).toMatch(/^18:24 · no mínimo [\d.]+ acessos · no mínimo \d+ por minuto$/);
  expect(words(-35)).toMatch(/^18:25 · no mínimo [\d.]+ acessos · \d+ por minuto$/);
});

test('active entries stand below the curve of their sector', () => {
  const log = [
    entryOf('mark', { mark: 'unscanned' }, { atMs: at(-50), sector: '4', id: 'a' }),
    entryOf('take-back', { id: 'a' }, { atMs: at(-49) }),
    entryOf('lot', { count: 412 }, { atMs: at(-40), sector: '4' }),
    entryOf('occurrence', { text: 'chuva' }, { atMs: at(-35) }),
    entryOf('mark', { mark: 'suspended' }, { atMs: at(-30), sector: '7' }),
  ];
  const view = matchView({ atMin: -24, log });
  const texts = (sector: string | null) => curveModel(view, sector, null).markers.map(({ text }) => text);
  expect(texts(null)).toEqual(['lote de 412 leituras · SETOR 4', '“chuva”', 'entrada suspensa · SETOR 7']);
  expect(texts('7')).toEqual(['“chuva”', 'entrada suspensa · SETOR 7']);
  const reading = minuteReadings(curveModel(view, null, null)).find(({ time }) => time === '18:25');
  const flow = (perMinute: number) =>
    reading?.column && readingWords({ ...reading, entries: [], column: { ...reading.column, perMinute } });
  expect(flow(-3)).toMatch(/acessos · 3 leituras desfeitas$/);
  expect(flow(-1)).toMatch(/acessos · 1 leitura desfeita$/);
  expect(reading && readingWords(reading)).toMatch(/^18:25 · [\d.]+ acessos · \d+ por minuto · “chuva”$/);
});

test('a mark or an evacuation that has ended stands below the curve from its beginning, a mistake does not', () => {
  const log = [
    entryOf('mark', { mark: 'unscanned' }, { atMs: at(-60), sector: '4', id: 'a' }),
    entryOf('mark', { mark: 'suspended' }, { atMs: at(-50), sector: '7', id: 'b' }),
    entryOf('take-back', { id: 'b' }, { atMs: at(-48) }),
    entryOf('take-back', { id: 'a' }, { atMs: at(-40) }),
    entryOf('mark', { mark: 'elsewhere', sinceMs: at(-45) }, { atMs: at(-39), sector: '7', id: 'c' }),
    entryOf('take-back', { id: 'c', why: 'ended' }, { atMs: at(-38) }),
    entryOf('mark', { mark: 'elsewhere' }, { atMs: at(-37), sector: '4', id: 'd' }),
    entryOf('take-back', { id: 'd', why: 'mistake' }, { atMs: at(-30) }),
    entryOf('evacuation', {}, { atMs: at(-29), id: 'e' }),
    entryOf('take-back', { id: 'e' }, { atMs: at(-28) }),
  ];
  const { markers } = curveModel(matchView({ atMin: -24, log }), null, null);
  expect(markers).toEqual([
    { atMs: at(-60), kind: 'caveat', text: 'entrada liberada sem leitura · SETOR 4, até 18:20' },
    { atMs: at(-45), kind: 'caveat', text: 'leitura em outro sistema · SETOR 7, até 18:22' },
    { atMs: at(-29), kind: 'evacuation', text: 'evacuação, até 18:32' },
  ]);
});

test('what is declared long after kick-off, and after the last entry, is on the curve', () => {
  const atMin = 130;
  const lastMin = minuteOf(curveModel(matchView({ atMin }), null, null).window.toMs);
  const log = [entryOf('evacuation', {}, { atMs: at(lastMin + 5) })];
  const { markers, window } = curveModel(matchView({ atMin, log }), null, null);
  expect(markers.map(({ kind }) => kind)).toEqual(['evacuation']);
  expect(minuteOf(window.toMs)).toBeGreaterThanOrEqual(lastMin + 5);
});

test('a late batch is in no column', () => {
  const view = matchView({ atMin: -24 });
  const minutes = view.minutes.map((minute, index) =>
    index === 100
      ? {
          ...minute,
          sectors: minute.sectors.map((sector, place) => (place === 0 ? { ...sector, lots: 40 } : sector)),
        }
      : minute,
  );
  const [before, after] = [view, { ...view, minutes }].map((own) => curveModel(own, null, null).columns[100]);
  expect(after).toEqual({ ...before, perMinute: (before?.perMinute ?? 0) - 40, lots: 40 });
});

test('what is recorded ends with its last known minute', () => {
  const view = matchView({ atMin: -24 });
  const recorded = {
    ...view,
    state: { ...view.state, nowMs: at(-23) + 20_000 },
    replay: { atMs: at(-23) },
  };
  const model = curveModel(recorded, null, null);
  expect(model.runs.at(-1)?.at(-1)?.atMs).toBe(at(-24));
  expect(curveSentence(recorded, null, model)).toMatch(/acessos até 18:36, de/);
});

test('stale data has no range, no needed rate, and a gap up to now', () => {
  const view = matchView({ atMin: -24, earlierMatches: 12, isLive: false });
  const state = { ...view.state, nowMs: at(-19) };
  const model = curveModel({ ...view, state }, null, view.usual);
  expect([model.range, model.needed]).toEqual([null, null]);
  expect(model.gaps).toEqual([{ fromMs: at(-24), toMs: at(-19) }]);
  expect(curveSentence(view, null, model)).toContain('sem dados desde 18:36');
});

test('before the gates, without times, after kick-off and after the end there is a curve as well', () => {
  const before = curveModel(matchView({ atMin: -125 }), null, null);
  expect(minuteOf(before.window.toMs)).toBe(30);
  const times = { gatesOpenAtMs: null, kickOffAtMs: null };
  const without = matchView({ atMin: -24, times });
  const timeless = curveModel(without, null, without.usual);
  expect([timeless.moments, timeless.range, timeless.needed]).toEqual([[], null, null]);
  expect(minuteOf(timeless.window.toMs)).toBe(-15);
  const after = curveModel(matchView({ atMin: 55 }), null, null);
  expect([after.range, after.needed]).toEqual([null, null]);
  expect(minuteOf(after.window.toMs)).toBeGreaterThanOrEqual(45);
  const end = curveModel(matchView({ atMin: 240 }), null, null);
  expect(minuteOf(end.window.toMs)).toBeLessThanOrEqual(120);
});

test('an incomplete count is a caveat on the curves of the ground and of its sector alone', () => {
  const log = [entryOf('mark', { mark: 'unscanned' }, { atMs: at(-27), sector: '7' })];
  const view = matchView({ atMin: -24, log });
  const caveats = [null, '7', '4'].map((sector) => curveCaveat(view, sector));
  const caveat = 'contagem incompleta: SETOR 7 desde 18:33';
  expect(caveats).toEqual([caveat, caveat, null]);
  expect(curveSentence(view, '7', curveModel(view, '7', null))).toContain(caveat);
  const ground = [entryOf('mark', { mark: 'elsewhere' }, { atMs: at(-27), sector: null })];
  expect(curveCaveat(matchView({ atMin: -24, log: ground }), '4')).toContain('estádio desde 18:33');
  expect(nameIncomplete(view)).toBe('contagem incompleta: SETOR 7');
  expect(nameIncomplete(matchView({ atMin: -24, log: ground }))).toBe('contagem incompleta: estádio');
  expect(nameIncomplete(matchView({ atMin: -24 }))).toBeNull();
  expect(curveCaveat(matchView({ atMin: -24 }), null)).toBeNull();
});

test('without a minute there is a sentence, and no reading', () => {
  const view = { ...matchView({ atMin: -24 }), minutes: [] };
  const model = curveModel(view, null, null);
  expect(minuteReadings(model)).toEqual([]);
  expect(curveSentence(view, null, model)).toContain('nenhum minuto conhecido');
});
