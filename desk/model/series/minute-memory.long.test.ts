import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../../testing/project-root.ts';

const MB = 1_000_000;
/** Prints how many bytes one of several days of sixty sectors takes, on the heap and in typed arrays. */
const MEASURE = `
  const [{ FlowSeries }, { KEPT_MS, MINUTE_MS }] = await Promise.all(
    ['flow-series.js', 'minute.js'].map((file) => import('file://${join(PROJECT_ROOT, 'build/desk/model/series')}/' + file)),
  );
  const [DAYS, sectorCount] = [4, 61];
  const usedBytes = () => {
    gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const change = { admitted: 5, entered: 5, reverted: 0, moved: 0, valid: 0 };
  const changes = Array.from({ length: sectorCount }, (_, sector) => ({ sector, ...change }));
  const observeDay = () => {
    const series = new FlowSeries({ sectorCount });
    series.begin(0, Array.from({ length: sectorCount }, () => ({ admitted: 0, valid: 5_000 })));
    for (let ms = 0; ms < KEPT_MS; ms += MINUTE_MS) {
      series.commit(ms, changes);
      series.advanceTo(ms + MINUTE_MS);
    }
    return series;
  };
  // What the code itself needs is not the day's.
  const days = [observeDay()];
  const usedBefore = usedBytes();
  while (days.length <= DAYS) days.push(observeDay());
  const bytes = (usedBytes() - usedBefore) / DAYS;
  if (days.some((day) => day.confirmedMs(-Infinity, Infinity).length !== KEPT_MS / MINUTE_MS)) throw new Error('minutes are lacking');
  console.log(bytes);
`;

test('a day of sixty sectors, each minute with entries, takes at most 2 MB', () => {
  // In a process of its own, whose heap nothing else uses.
  const args = ['--expose-gc', '--input-type=module', '--eval', MEASURE];
  expect(Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toBeLessThan(2 * MB);
});
