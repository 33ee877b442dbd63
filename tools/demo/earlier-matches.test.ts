import { expect, test } from 'vitest';
import type { Minute } from '../../desk/model/series/minute.ts';
import type { Venue } from '../../domain/venue.ts';
import { earlierMatchIds, inventMatch } from './earlier-matches.ts';

const NOW_MS = 1_795_001_234_567;
const HOUR_MS = 3_600_000;
const venue = (...codes: string[]): Venue => ({
  name: 'Arena',
  sectors: codes.map((code) => ({ code, name: code, stand: code, codes: [code], capacity: 400 })),
});
const SMALL = venue('a', 'b');

const inAtEnd = (minutes: readonly Minute[]): number =>
  (minutes.at(-1)?.sectors ?? []).reduce((sum, { admitted }) => sum + admitted, 0);

test('there are twelve earlier matches, others for another venue', () => {
  const ids = earlierMatchIds(SMALL);
  expect(new Set(ids).size).toBe(12);
  expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
  expect(earlierMatchIds(SMALL)).toEqual(ids);
  expect(earlierMatchIds(venue('a', 'c')).some((id) => ids.includes(id))).toBe(false);
});

test('each is a match at an hour of an earlier week, watched from before its gates open', () => {
  const matches = earlierMatchIds(SMALL).map((_, place) => inventMatch(SMALL, place, NOW_MS));
  const kickOffsMs = matches.map(({ times }) => (times.kind === 'times' ? times.data.kickOffAtMs : null));
  expect(new Set(kickOffsMs).size).toBe(12);
  for (const [place, { minutes, times }] of matches.entries()) {
    const kickOffMs = kickOffsMs[place] ?? 0;
    expect(kickOffMs).toBeLessThan(NOW_MS);
    expect(kickOffMs % HOUR_MS).toBe(0);
    expect(minutes[0]?.minuteMs).toBe(kickOffMs - 130 * 60_000);
    expect(minutes).toHaveLength(130 + 62);
    expect(times.source).toBe('simulated');
    const last = minutes.at(-1)?.sectors ?? [];
    expect(last).toHaveLength(3);
    const { valid } = times.figures.total;
    expect(last.reduce((sum, sector) => sum + sector.valid, 0)).toBe(valid);
    expect(inAtEnd(minutes) / valid).toBeGreaterThan(0.85);
    expect(inAtEnd(minutes) / valid).toBeLessThan(1);
    // No row's.
    expect(last[2]?.admitted).toBe(0);
  }
  expect(new Set(matches.map(({ minutes }) => inAtEnd(minutes))).size).toBeGreaterThan(6);
});

test('a match is the same whenever it is invented, but for its week', () => {
  const [first, later] = [NOW_MS, NOW_MS + HOUR_MS].map((nowMs) => inventMatch(SMALL, 3, nowMs));
  expect(later?.minutes.map(({ sectors }) => sectors)).toEqual(first?.minutes.map(({ sectors }) => sectors));
});
