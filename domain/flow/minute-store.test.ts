import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { FlowSeries } from './flow-series.ts';
import { KEPT_MS, MINUTE_MS } from './minute.ts';

const START_MS = Date.UTC(2026, 4, 3, 12, 0);
const HOUR_MS = 60 * MINUTE_MS;
const MB = 1_000_000;
function watch(sectorCount: number): FlowSeries {
  const series = new FlowSeries({ sectorCount });
  series.begin(
    START_MS,
    Array.from({ length: sectorCount }, () => ({ admitted: 0, valid: 5_000 })),
  );
  return series;
}

test('a day of minutes is kept, and the last forty minutes bucket by bucket', () => {
  const series = watch(1);
  series.pass(START_MS + KEPT_MS);
  expect(series.known(START_MS)).toBe(true);
  const endMs = START_MS + KEPT_MS + 5 * HOUR_MS;
  series.pass(endMs);
  const minutes = series.minutes(-Infinity, Infinity);
  expect(minutes[0]?.minuteMs).toBe(endMs - KEPT_MS);
  expect(minutes).toHaveLength(KEPT_MS / MINUTE_MS);
  expect(series.admittedAt(endMs - 40 * MINUTE_MS + 10_000, 0)).toBe(0);
  expect(series.admittedAt(endMs - 40 * MINUTE_MS - 10_000, 0)).toBeUndefined();
  expect(series.admittedAt(endMs - 50 * MINUTE_MS, 0)).toBe(0);
});

test('a clock that is years away for some minutes takes no place from the last hours', () => {
  const series = watch(1);
  const nowMs = START_MS + KEPT_MS;
  series.pass(nowMs);
  series.interrupt(nowMs);
  series.pass(nowMs + 500 * KEPT_MS);
  series.pass(nowMs + 500 * KEPT_MS + 5 * MINUTE_MS);
  series.interrupt(nowMs + 500 * KEPT_MS + 5 * MINUTE_MS);
  series.pass(nowMs + 5 * MINUTE_MS);
  series.pass(nowMs + 3 * HOUR_MS);
  expect(series.minutes(nowMs - 12 * HOUR_MS, nowMs)).toHaveLength(12 * 60);
  expect(series.minutes(nowMs, nowMs + KEPT_MS)).toHaveLength(3 * 60 - 5);
});

test('minutes of more than a day ago are not restored over those of today', () => {
  const yesterday = watch(1).pass(START_MS);
  const old = watch(1);
  const oldMinutes = old.pass(START_MS + KEPT_MS);
  const series = new FlowSeries({ sectorCount: 1 });
  series.begin(START_MS + 2 * KEPT_MS, [{ admitted: 0, valid: 0 }]);
  series.pass(START_MS + 2 * KEPT_MS + HOUR_MS);
  expect(yesterday).toEqual([]);
  series.restore(oldMinutes);
  expect(series.minutes(-Infinity, Infinity)).toHaveLength(60);
});

/** Prints how many bytes one of several days of sixty sectors takes, on the heap and in typed arrays. */
const MEASURE = `
  const [{ FlowSeries }, { KEPT_MS, MINUTE_MS }] = await Promise.all(
    ['flow-series.js', 'minute.js'].map((file) => import('file://${join(PROJECT_ROOT, 'build/domain/flow')}/' + file)),
  );
  const [DAYS, sectorCount] = [4, 61];
  const usedBytes = () => {
    gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const change = { admitted: 5, entered: 5, reverted: 0, moved: 0, valid: 0 };
  const changes = Array.from({ length: sectorCount }, (_, sector) => ({ sector, ...change }));
  const watchDay = () => {
    const series = new FlowSeries({ sectorCount });
    series.begin(0, Array.from({ length: sectorCount }, () => ({ admitted: 0, valid: 5_000 })));
    for (let ms = 0; ms < KEPT_MS; ms += MINUTE_MS) {
      series.commit(ms, changes);
      series.pass(ms + MINUTE_MS);
    }
    return series;
  };
  // What the code itself needs is not the day's.
  const days = [watchDay()];
  const usedBefore = usedBytes();
  while (days.length <= DAYS) days.push(watchDay());
  const bytes = (usedBytes() - usedBefore) / DAYS;
  if (days.some((day) => day.knownMs(-Infinity, Infinity).length !== KEPT_MS / MINUTE_MS)) throw new Error('minutes are lacking');
  console.log(bytes);
`;

test('a day of sixty sectors, each minute with entries, takes at most 2 MB', () => {
  // In a process of its own, whose heap nothing else uses.
  const args = ['--expose-gc', '--input-type=module', '--eval', MEASURE];
  expect(Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toBeLessThan(2 * MB);
});
