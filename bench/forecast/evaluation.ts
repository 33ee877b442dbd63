import type { EarlierMatch } from '../../desk/model/forecast/earlier-match.ts';
import { EarlierMatches } from '../../desk/model/forecast/earlier-matches.ts';
import { makeForecast } from '../../desk/model/forecast/make-forecast.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { playMatch } from '../../desk/tool/play-match.ts';
import { inventMatch, type InventedMatch, quietLog, type Season } from './invented-match.ts';

const EARLIER_MATCHES = 12;
/** With the others 61, as many as the largest venue may have. */
const SECTORS = Array.from({ length: 60 }, (_, n) => ({ code: `${n + 1}`, capacity: 728 }));
const SEASON: Season = { seed: 200, shape: 'default', sectors: SECTORS };
const FROM_MINUTE = -120;

/**
 * What a forecast costs, every ten seconds from two hours before kick-off on, in milliseconds of a processor: in a process
 * that has just begun, and in one that has run for a match.
 */
export function measureEvaluations(): {
  readonly coldMs: readonly number[];
  readonly warmMs: readonly number[];
} {
  const matches = Array.from({ length: EARLIER_MATCHES }, (_, n) => inventMatch(SEASON, n).earlier);
  const today = inventMatch(SEASON, EARLIER_MATCHES);
  const coldMs = playThrough(today, matches);
  return { coldMs, warmMs: playThrough(today, matches) };
}

function playThrough(
  { match, codes, kickOffMs }: InventedMatch,
  matches: readonly EarlierMatch[],
): readonly number[] {
  const earlier = new EarlierMatches({ eventId: 'today', matches, codes, isSimulated: true });
  const series = new FlowSeries({ sectorCount: codes.length });
  const log = quietLog(kickOffMs);
  const tookMs: number[] = [];
  playMatch(match, series, {
    kickOffMs,
    untilMinute: 0,
    onBoundary(nowMs) {
      if (nowMs < kickOffMs + FROM_MINUTE * MINUTE_MS) return;
      const before = process.cpuUsage();
      makeForecast({ nowMs, isLive: true, series, codes, log, earlier });
      const { user, system } = process.cpuUsage(before);
      tookMs.push((user + system) / 1_000);
    },
  });
  return tookMs;
}
