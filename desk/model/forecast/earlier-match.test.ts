import { expect, test } from 'vitest';
import { chain } from '../../../testing/desk/log-rows.ts';
import { entryOf } from '../../../testing/desk/match-view.ts';
import { crowd, recordedMatch, type RecordedMatchOptions } from '../../../testing/desk/recorded-match.ts';
import type { LogEntry, LogKind } from '../log/flow-log.ts';
import { MINUTE_MS } from '../series/minute.ts';
import { valueAt } from './curve-value.ts';
import { type EarlierMatch, readEarlierMatch } from './earlier-match.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 22, 0);
const SECTORS = [
  { code: '7', valid: 4_000, admittedAt: crowd(3_500, -20) },
  { code: '', valid: 100, admittedAt: crowd(80, -20) },
];

/** Returns an entry at `min` minutes from kick-off. */
function entry<K extends LogKind>(
  min: number,
  kind: K,
  data: Extract<LogEntry, { kind: K }>['data'],
  sector: string | null = null,
): LogEntry {
  return entryOf(kind, data as never, { atMs: KICK_OFF_MS + min * MINUTE_MS, sector });
}

function read(entries: readonly LogEntry[], options: Partial<RecordedMatchOptions> = {}) {
  const log = chain('earlier', entries);
  return readEarlierMatch(recordedMatch({ kickOffAtMs: KICK_OFF_MS, sectors: SECTORS, log, ...options }));
}

function fit(match: ReturnType<typeof readEarlierMatch>): EarlierMatch {
  if ('unfit' in match) throw new Error(match.unfit);
  return match;
}

const inAt = (match: EarlierMatch, min: number): number | undefined =>
  match.total ? valueAt(match.total.admitted, min) : undefined;

test('a recorded match gives a curve of each sector and of the ground', () => {
  const match = fit(read([]));
  expect([...match.sectors.keys()]).toEqual(['7', '']);
  expect(match.sectors.get('7')?.valid[0]).toBe(4_000);
  expect(inAt(match, -20)).toBe(1_790);
  expect(match).toMatchObject({ kickOffAtMs: KICK_OFF_MS, isSimulated: false, total: { toMin: 60 } });
});

test('a kick-off that was put off a little leaves the crowd where it was', () => {
  const times = entry(-300, 'times', { gatesOpenAtMs: null, kickOffAtMs: KICK_OFF_MS });
  const putOff = (min: number): LogEntry =>
    entry(-10, 'kick-off', { kickOffAtMs: KICK_OFF_MS + min * MINUTE_MS });
  expect(inAt(fit(read([times, putOff(15)])), -20)).toBe(1_790);
  expect(inAt(fit(read([times, putOff(-5)])), -15)).toBe(1_790);
  expect(read([times, putOff(90)], { toMin: 120 })).toMatchObject({
    kickOffAtMs: KICK_OFF_MS + 90 * MINUTE_MS,
  });
});

test('a match without a kick-off, or not watched around it, is no base', () => {
  const without = { ...recordedMatch({ kickOffAtMs: 0, sectors: SECTORS }), kickOffAtMs: null };
  expect(readEarlierMatch(without)).toEqual({ unfit: 'no-kick-off' });
  expect(read([], { toMin: -5 })).toEqual({ unfit: 'not-whole' });
  expect(read([], { fromMin: -40 })).toEqual({ unfit: 'not-whole' });
});

test('a match whose entry was closed, or whose ground was evacuated, before kick-off is no base', () => {
  expect(read([entry(-8, 'evacuation', {})])).toEqual({ unfit: 'not-whole' });
  expect(read([entry(-8, 'entry-closed', {})])).toEqual({ unfit: 'not-whole' });
  expect(fit(read([entry(20, 'entry-closed', {})])).total?.toMin).toBe(20);
  const closed = entry(-8, 'entry-closed', {});
  expect(fit(read([closed, entry(-7, 'take-back', { id: closed.id })])).total?.toMin).toBe(60);
});

test('a sector whose count was incomplete by kick-off is missing, and with it the ground', () => {
  const match = fit(read([entry(-30, 'mark', { mark: 'unscanned' }, '7')]));
  expect([...match.sectors.keys()]).toEqual(['']);
  expect(match.total).toBeNull();
  expect(read([entry(-30, 'mark', { mark: 'elsewhere' })])).toEqual({ unfit: 'not-whole' });
  expect(fit(read([entry(-30, 'mark', { mark: 'suspended' }, '7')])).total?.toMin).toBe(60);
  expect(fit(read([entry(5, 'mark', { mark: 'unscanned' }, '7')])).total?.toMin).toBe(5);
});

test('a mark that has ended leaves a count that lacks people, a mistake does not', () => {
  const mark = entry(-30, 'mark', { mark: 'unscanned' }, '7');
  const sectorsWith = (backMin: number, why?: 'ended' | 'mistake'): number =>
    fit(read([mark, entry(backMin, 'take-back', { id: mark.id, ...(why && { why }) })])).sectors.size;
  expect(sectorsWith(-29, 'ended')).toBe(1);
  expect(sectorsWith(-20, 'mistake')).toBe(2);
  // An older desk said the same of both.
  expect(sectorsWith(-29)).toBe(2);
  expect(sectorsWith(-20)).toBe(1);
  const since = entry(20, 'mark', { mark: 'unscanned', sinceMs: KICK_OFF_MS + 8 * MINUTE_MS }, '7');
  expect(fit(read([since])).total?.toMin).toBe(8);
});

test('invented matches say so', () => {
  expect(read([], { source: 'simulated' })).toMatchObject({ isSimulated: true });
  expect(read([], { source: 'import' })).toMatchObject({ isSimulated: false });
});
