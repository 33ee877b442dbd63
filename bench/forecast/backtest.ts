import type { EarlierMatch } from '../../domain/flow/forecast/earlier-match.ts';
import { EarlierMatches } from '../../domain/flow/forecast/earlier-matches.ts';
import type { Forecast, Outlook } from '../../domain/flow/forecast/forecast.ts';
import { makeForecast } from '../../domain/flow/forecast/make-forecast.ts';
import { FlowSeries } from '../../domain/flow/flow-series.ts';
import { MINUTE_MS } from '../../domain/flow/minute.ts';
import { playMatch } from '../../testing/play-match.ts';
import { BASELINES } from './baselines.ts';
import { CODES, type InventedMatch } from './invented-match.ts';

/** A range, and what came: shares of the valid tickets. */
export interface Trial {
  readonly method: string;
  readonly minutesBefore: number;
  /** How many earlier matches it was made of. */
  readonly matches: number;
  readonly isOfSector: boolean;
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly outcome: number;
}

export const MINUTES_BEFORE = [90, 60, 45, 30, 20, 15, 10, 5] as const;
const OURS = 'ours';

/** What is forecast of a match from others, at all MINUTES_BEFORE, beside the baselines. */
export function backtest(today: InventedMatch, earlier: readonly EarlierMatch[]): readonly Trial[] {
  const { match, kickOffMs } = today;
  const trials: Trial[] = [];
  const history = new EarlierMatches({ eventId: 'today', matches: earlier, codes: CODES, isSimulated: true });
  const series = new FlowSeries({ sectorCount: CODES.length });
  const total = today.earlier.total;
  if (!total) throw new Error('a generated match has no curve');
  const log = {
    kickOffAtMs: kickOffMs,
    plannedKickOffAtMs: kickOffMs,
    marks: [],
    incomplete: [],
    entryClosedAtMs: null,
    evacuatedAtMs: null,
  };
  const made: { readonly minutesBefore: number; readonly forecast: Forecast }[] = [];
  playMatch(match, series, {
    kickOffMs,
    untilMinute: 0,
    onBoundary(atMs) {
      const minutesBefore = MINUTES_BEFORE.find((minutes) => kickOffMs - atMs === minutes * MINUTE_MS);
      if (minutesBefore === undefined) return;
      const forecast = makeForecast({
        nowMs: atMs,
        isLive: true,
        series,
        codes: CODES,
        log,
        earlier: history,
      });
      made.push({ minutesBefore, forecast });
    },
  });
  const inAtKickOff = series.totals.map(({ admitted }) => admitted);
  const whole = inAtKickOff.reduce((sum, admitted) => sum + admitted, 0);
  for (const { minutesBefore, forecast } of made) {
    if (forecast.kind === 'none') throw new Error(`nothing is forecast: ${forecast.why}`);
    const head = { minutesBefore, matches: earlier.length };
    const add = (outlook: Outlook | null | undefined, admitted: number, isOfSector: boolean): void => {
      if (!outlook || !('low' in outlook.range)) return;
      const { valid, range } = outlook;
      const [low, middle, high] = [range.low / valid, range.middle / valid, range.high / valid];
      trials.push({ ...head, method: OURS, isOfSector, low, middle, high, outcome: admitted / valid });
    };
    add(forecast.total?.[0], whole, false);
    for (const [place, outlook] of forecast.sectors.entries()) add(outlook, inAtKickOff[place] ?? 0, true);
    const curves = earlier.flatMap((one) => one.total ?? []);
    for (const { name, range } of BASELINES) {
      const answer = range(total, curves, minutesBefore);
      trials.push({
        ...head,
        method: name,
        isOfSector: false,
        ...answer,
        outcome: whole / (total.valid.at(-1) ?? 1),
      });
    }
  }
  return trials;
}
