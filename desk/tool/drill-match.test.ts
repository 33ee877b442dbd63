import { expect, test } from 'vitest';
import { type Minute, MINUTE_MS } from '../model/series/minute.ts';
import { parseIncident } from '../../gates/simulator/incidents.ts';
import { readEntries } from './drill-entries.ts';
import { playDrill } from './drill-match.ts';

const KICK_OFF_MS = Date.UTC(2026, 10, 22, 19);
const CODES = ['4', '7', ''];
const LATER_MS = 3 * 24 * 60 * MINUTE_MS;

/** Returns an hour and a half of minutes with these entries, by sector. */
function minutesOf(perMinute: readonly number[], fromMin = -75, untilMin = 15): Minute[] {
  return Array.from({ length: untilMin - fromMin }, (_, index) => ({
    minuteMs: KICK_OFF_MS + (fromMin + index) * MINUTE_MS,
    sectors: perMinute.map((net) => ({
      admitted: 10 + (index + 1) * net,
      net,
      entered: net,
      reverted: 0,
      moved: 0,
      valid: 5_000,
      lots: 0,
    })),
  }));
}

function play(texts: readonly string[], minutes = minutesOf([40, 20, 0])) {
  return playDrill({
    codes: CODES,
    minutes,
    kickOffAtMs: KICK_OFF_MS,
    gatesOpenAtMs: null,
    incidents: texts.map(parseIncident),
    laterMs: LATER_MS,
    opening: 'começo',
    closing: 'fim',
  });
}

const moved = (minutes: readonly Minute[]): Minute[] =>
  minutes.map((minute) => ({ ...minute, minuteMs: minute.minuteMs + LATER_MS }));

test('a match without an incident is the same match, later, and raises no alarm', () => {
  const minutes = minutesOf([40, 20, 0]);
  const played = play([]);
  expect(played.minutes).toEqual(moved(minutes));
  expect(played.log.map(({ kind }) => kind)).toEqual(['occurrence', 'times', 'occurrence']);
});

test('a sector that stops raises the alarm that it would have raised, and those whom it held enter afterwards', () => {
  const { minutes, log } = play(['stop:7@-35+6']);
  const netAt = (min: number, place: number) =>
    minutes.find(({ minuteMs }) => minuteMs === KICK_OFF_MS + LATER_MS + min * MINUTE_MS)?.sectors[place]
      ?.net;
  expect([-36, -35, -30].map((min) => netAt(min, 1))).toEqual([20, 0, 0]);
  expect(netAt(-29, 1)).toBeGreaterThan(100);
  expect([-36, -35, -30, -29].map((min) => netAt(min, 0))).toEqual([40, 40, 40, 40]);
  expect(minutes.at(-1)?.sectors.map(({ admitted }) => admitted)).toEqual([3_610, 1_810, 10]);
  const alarm = log.find(({ kind }) => kind === 'alarm');
  expect(alarm).toMatchObject({ sector: '7', data: { rule: 'stopped' } });
  expect(alarm?.atMs).toBe(KICK_OFF_MS + LATER_MS - 33 * MINUTE_MS);
  expect(log.some(({ kind }) => kind === 'alarm-returned')).toBe(true);
});

test('everything that is said is simulated, in order, and names itself at its ends', () => {
  const { log } = play(['stop:7@-35+6', 'lot:4@-20x600', 'unread:7@-10', 'late:5']);
  expect(new Set(log.map(({ source }) => source))).toEqual(new Set(['simulated']));
  expect(log.every(({ by }) => by === null)).toBe(true);
  expect(log.map(({ atMs }) => atMs)).toEqual(log.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  expect(log.filter(({ kind }) => kind === 'lot')).toMatchObject([{ sector: '4', data: { count: 600 } }]);
  expect(log[1]).toMatchObject({ data: { kickOffAtMs: KICK_OFF_MS + LATER_MS } });
  expect(log.at(-1)).toMatchObject({ kind: 'occurrence', data: { text: 'fim' } });
  expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
});

test('who entered in a minute did so evenly; who was taken back is not there twice; a gap is filled', () => {
  const [first, , third, fourth] = minutesOf([4, 2, 0], -4, 0) as [Minute, Minute, Minute, Minute];
  const back: Minute = {
    ...fourth,
    sectors: [{ ...third.sectors[0], net: -3 }] as unknown as Minute['sectors'],
  };
  const entries = (minutes: readonly Minute[]) => readEntries(minutes, 0, KICK_OFF_MS).minutes;
  expect(entries([first])).toEqual([-3.875, -3.625, -3.375, -3.125]);
  expect(entries([first, third])).toHaveLength(12);
  expect(entries([third, back])).toEqual(entries([third]));
  const lot: Minute = {
    ...first,
    sectors: [{ ...first.sectors[0], net: 104, lots: 100 }] as unknown as Minute['sectors'],
  };
  expect(readEntries([lot], 0, KICK_OFF_MS)).toMatchObject({
    minutes: { length: 4 },
    lots: [{ minute: -4, count: 100 }],
  });
});
