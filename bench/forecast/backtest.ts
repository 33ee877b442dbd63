import { EarlierMatches } from '../../desk/model/forecast/earlier-matches.ts';
import type { EarlierMatch } from '../../desk/model/forecast/earlier-match.ts';
import type { Forecast, Outlook } from '../../desk/model/forecast/forecast.ts';
import { makeForecast } from '../../desk/model/forecast/make-forecast.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { playMatch } from '../../desk/tool/play-match.ts';
import { quietLog } from '../../testing/desk/recorded-match.ts';
import { BASELINES, shareAt } from './baselines.ts';
import type { InventedMatch } from './invented-match.ts';

/** A range, and what came: shares of the valid tickets. */
export interface Trial {
  /** OURS, OURS_OF_SECTORS or a baseline's name. */
  readonly method: string;
  readonly minutesBefore: number;
  /** How many earlier matches it was made of. */
  readonly matches: number;
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly outcome: number;
}

export const OURS = 'ours';
export const OURS_OF_SECTORS = 'ours, of sectors';
const MINUTES_BEFORE = [90, 60, 45, 30, 15, 10, 5] as const;

/** What is forecast of a match from each of these histories while it is played, beside the baselines. */
export function backtest(
  today: InventedMatch,
  histories: readonly (readonly EarlierMatch[])[],
): readonly Trial[] {
  const { match, codes, kickOffMs } = today;
  const earlier = histories.map(
    (matches) => new EarlierMatches({ eventId: 'today', matches, codes, isSimulated: true }),
  );
  const series = new FlowSeries({ sectorCount: codes.length });
  const made: { minutesBefore: number; matches: readonly EarlierMatch[]; forecast: Forecast }[] = [];
  playMatch(match, series, {
    kickOffMs,
    untilMinute: 0,
    onBoundary(nowMs) {
      const minutesBefore = MINUTES_BEFORE.find((minutes) => kickOffMs - nowMs === minutes * MINUTE_MS);
      if (minutesBefore === undefined) return;
      for (const [index, history] of earlier.entries()) {
        const log = quietLog(kickOffMs);
        const forecast = makeForecast({ nowMs, isLive: true, series, codes, log, earlier: history });
        made.push({ minutesBefore, matches: histories[index] ?? [], forecast });
      }
    },
  });
  const inAtKickOff = series.totals.map(({ admitted }) => admitted);
  return made.flatMap(({ minutesBefore, matches, forecast }) => {
    if (forecast.kind === 'none') throw new Error(`nothing is forecast: ${forecast.why}`);
    const head = { minutesBefore, matches: matches.length };
    const whole = inAtKickOff.reduce((sum, admitted) => sum + admitted, 0);
    return [
      ...rangesOf(OURS, forecast.total?.slice(0, 1) ?? [], [whole]),
      ...rangesOf(OURS_OF_SECTORS, forecast.sectors, inAtKickOff),
      ...baselineRanges(today.earlier, matches, minutesBefore),
    ].map((range) => Object.assign(range, head));
  });
}

type Ranged = Pick<Trial, 'method' | 'low' | 'middle' | 'high' | 'outcome'>;

function rangesOf(
  method: string,
  outlooks: readonly (Outlook | null)[],
  inAtKickOff: readonly number[],
): readonly Ranged[] {
  return outlooks.flatMap((outlook, place) => {
    if (!outlook || 'why' in outlook.range) return [];
    const { valid, range } = outlook;
    const [low, middle, high] = [range.low / valid, range.middle / valid, range.high / valid];
    return [{ method, low, middle, high, outcome: (inAtKickOff[place] ?? 0) / valid }];
  });
}

function baselineRanges(
  { total }: EarlierMatch,
  earlier: readonly EarlierMatch[],
  minutesBefore: number,
): readonly Ranged[] {
  const curves = earlier.flatMap((one) => one.total ?? []);
  return BASELINES.flatMap(({ name, rangeOf }) =>
    total ? [{ ...rangeOf(total, curves, minutesBefore), method: name, outcome: shareAt(total, 0) }] : [],
  );
}
