import { afterEach, expect, test, vi } from 'vitest';
import { compareAlarms, compareForecasts } from './histories/compare-log.ts';
import { HISTORIES } from './histories/histories.ts';
import { playHistory } from './histories/play-history.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test.each(HISTORIES)(
  'of $what, the log says what docs/flow.md promises, in time, and no more',
  async (history) => {
    const match = await playHistory(history);
    const { log } = match;
    const { wrong, missing } = compareAlarms(history, match);
    expect({ wrong, missing }).toEqual({ wrong: [], missing: [] });
    expect(compareForecasts(history, match)).toEqual(history.forecasts ?? []);

    const linesOf = (kind: string) => log.filter((line) => line.kind === kind);
    const { lots = [], deeds = [] } = history;
    expect(linesOf('lot').map(({ sector }) => sector)).toEqual(lots.map(({ sector }) => sector));
    for (const [index, { between }] of lots.entries()) {
      const count = linesOf('lot')[index]?.data['count'];
      expect(count).toBeGreaterThanOrEqual(between[0]);
      expect(count).toBeLessThanOrEqual(between[1]);
    }
    const restarts = deeds.filter((deed) => 'restarts' in deed).length;
    expect(linesOf('started')).toHaveLength(1 + restarts);
    expect(linesOf('gap')).toHaveLength(restarts);
  },
);
