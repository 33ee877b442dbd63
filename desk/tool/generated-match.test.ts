import { describe, expect, test } from 'vitest';
import { FlowSeries } from '../model/series/flow-series.ts';
import { parseIncident } from '../../gates/simulator/incidents.ts';
import {
  generateMatch,
  type GeneratedMatch,
  type MatchOptions,
} from '../../gates/simulator/generated/generated-match.ts';
import { playMatch } from './play-match.ts';
import { median } from '../../testing/statistics.ts';

const entries = (match: GeneratedMatch, code: string) =>
  match.sectors.find((sector) => sector.code === code)?.entriesMs ?? new Float64Array();
const between = (match: GeneratedMatch, code: string, from: number, to: number): number =>
  entries(match, code).filter((ms) => ms >= from * 60_000 && ms < to * 60_000).length;
const shareIn = (match: GeneratedMatch, minute: number): number =>
  match.sectors.reduce((sum, { code }) => sum + between(match, code, -200, minute), 0) /
  match.sectors.reduce((sum, { valid }) => sum + valid, 0);
const SMALL_SECTORS = ['a', 'b', 'c', 'd'].map((code) => ({ code, valid: 500 }));
const matches = (options: Partial<MatchOptions> = {}): GeneratedMatch[] =>
  Array.from({ length: 30 }, (_, seed) => generateMatch({ seed, sectors: SMALL_SECTORS, ...options }));
const medianShare = (of: readonly GeneratedMatch[], minute: number): number =>
  median(of.map((match) => shareIn(match, minute)));

describe('a generated match', () => {
  test('is the same for the same seed, and another for another', () => {
    const generate = (seed: number) => generateMatch({ seed, sectors: SMALL_SECTORS });
    const first = generate(1);
    expect(generate(1)).toEqual(first);
    expect(entries(generate(2), 'a')).not.toEqual(entries(first, 'a'));
  });

  test('comes late: a quarter is in half an hour before kick-off, three quarters at kick-off', () => {
    const usual = matches();
    expect(medianShare(usual, -30)).toBeGreaterThan(0.22);
    expect(medianShare(usual, -30)).toBeLessThan(0.33);
    expect(medianShare(usual, 0)).toBeGreaterThan(0.7);
    expect(medianShare(usual, 0)).toBeLessThan(0.8);
    expect(medianShare(usual, 60)).toBeGreaterThan(0.85);
    expect(medianShare(usual, 60)).toBeLessThan(0.91);
    expect(medianShare(matches({ shape: 'two-waves' }), -45)).toBeGreaterThan(2 * medianShare(usual, -45));
  });

  test('has 44% in a quarter of an hour before kick-off where it is as at Castelão', () => {
    const castelao = matches({ shape: 'castelao', lateness: 0, coming: 0.9 });
    expect(medianShare(castelao, -15) / 0.9).toBeCloseTo(0.44, 1);
  });

  test('is in the order of time, after the gates open, and never more than the valid tickets', () => {
    for (const { entriesMs, valid } of generateMatch({ seed: 3, groupSize: 3, sectors: SMALL_SECTORS })
      .sectors) {
      expect(entriesMs).toEqual(entriesMs.toSorted());
      expect(entriesMs[0]).toBeGreaterThan(-120 * 60_000);
      expect(entriesMs.length).toBeLessThanOrEqual(valid);
    }
  });

  test('varies more where people come in groups', () => {
    const excess = (groupSize: number): number => {
      const sectors = [{ code: 'a', valid: 4_000 }];
      const { entriesMs } = generateMatch({ seed: 4, groupSize, sectors, capacity: 10 }).sectors[0] ?? {};
      const perHalfMinute = Array.from({ length: 60 }, (_, half) => {
        const fromMs = -40 * 60_000 + half * 30_000;
        return entriesMs?.filter((ms) => ms >= fromMs && ms < fromMs + 30_000).length ?? 0;
      });
      // Neighbours: what the curve does between them is little.
      const differences = perHalfMinute.slice(1).map((count, at) => (count - (perHalfMinute[at] ?? 0)) ** 2);
      return differences.reduce((sum, square) => sum + square, 0);
    };
    expect(excess(3)).toBeGreaterThan(1.8 * excess(1));
  });
});

describe('an incident', () => {
  test('that stops a sector holds its people, and no other sector', () => {
    const plain = generateMatch({ seed: 5 });
    const match = generateMatch({ seed: 5, incidents: [parseIncident('stop:7@-35+6')] });
    expect(between(match, '7', -35, -29)).toBe(0);
    expect(between(plain, '7', -35, -29)).toBeGreaterThan(100);
    expect(entries(match, '7').length).toBe(entries(plain, '7').length);
    expect(between(match, '7', -29, -26)).toBeGreaterThan(between(plain, '7', -29, -26));
    expect(entries(match, '4')).toEqual(entries(plain, '4'));
  });

  test('that slows a sector leaves a share of those who would get in, and the others get in afterwards', () => {
    const plain = generateMatch({ seed: 6 });
    const match = generateMatch({ seed: 6, incidents: [parseIncident('slow:4@-25+10x0.3')] });
    expect(between(match, '4', -25, -15)).toBe(Math.floor(0.3 * between(plain, '4', -25, -15)));
    expect(between(match, '4', -22, -19) / between(plain, '4', -22, -19)).toBeCloseTo(0.3, 1);
    expect(entries(match, '4').length).toBe(entries(plain, '4').length);
    expect(between(match, '4', -15, -10)).toBeGreaterThan(between(plain, '4', -15, -10));
  });

  test('that makes all late moves everyone', () => {
    const late = shareIn(generateMatch({ seed: 7, incidents: [parseIncident('late:12')] }), -15);
    expect(late).toBeCloseTo(shareIn(generateMatch({ seed: 7 }), -27), 1);
  });

  test('that reads many at once takes them from the half hour before', () => {
    const plain = generateMatch({ seed: 8 });
    const match = generateMatch({ seed: 8, incidents: [parseIncident('lot:9@-20x400')] });
    expect(match.sectors.find(({ code }) => code === '9')?.lateBatches).toEqual([
      { atMs: -20 * 60_000, count: 400 },
    ]);
    expect(entries(match, '9').length).toBe(entries(plain, '9').length - 400);
    expect(between(match, '9', -50, -20)).toBe(between(plain, '9', -50, -20) - 400);
  });

  test('that leaves people unread ends the entries of its sector', () => {
    const match = generateMatch({ seed: 9, incidents: [parseIncident('unread:8@-15')] });
    expect(between(match, '8', -15, 200)).toBe(0);
    expect(between(match, '8', -200, -15)).toBe(between(generateMatch({ seed: 9 }), '8', -200, -15));
  });
});

test('a series that watches a match ends with its totals, and knows every minute', () => {
  const match = generateMatch({ seed: 10, incidents: [parseIncident('lot:9@-20x400')] });
  const lots: number[] = [];
  const sectorCount = match.sectors.length + 1;
  const series = new FlowSeries({ sectorCount, onLateBatch: ({ count }) => void lots.push(count) });
  const kickOffMs = 1_795_000_020_000;
  let boundaries = 0;
  playMatch(match, series, {
    kickOffMs,
    untilMinute: 30,
    onBoundary: (atMs) => {
      boundaries += 1;
      expect(series.lastBoundaryMs).toBe(atMs);
    },
  });
  expect(boundaries).toBe(160 * 6);
  expect(lots).toEqual([400]);
  expect(series.minutes(0, Infinity)).toHaveLength(160);
  const held = (code: string): number => (code === '9' ? 400 : 0);
  expect(series.totals.map(({ admitted }) => admitted)).toEqual([
    ...match.sectors.map(({ code }) => between(match, code, -200, 30) + held(code)),
    0,
  ]);
});
