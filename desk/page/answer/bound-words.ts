import type { Forecast, Outlook } from '../../model/forecast/forecast.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { formatTime } from '../event-time.ts';
import { formatExpected, formatRate } from '../figure-format.ts';
import { estimateWords } from '../span-words.ts';

const TENTHS = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/**
 * Explains the upper bound of the range for the scheduled kick-off: who is in, the minutes left, and the best rate. Empty where
 * the range ends below the bound.
 */
export function boundWords(outlook: Outlook, forecast: Forecast, timeZone: string): readonly string[] {
  const { admitted, estimated = 0, valid, kickOffAtMs, perMinuteBest, range } = outlook;
  if (forecast.kind === 'none' || 'why' in range || range.bound === null) return [];
  const { bound } = range;
  if (range.high < bound) return [];
  const leftMin = (kickOffAtMs - forecast.atMs) / MINUTE_MS;
  const best = (bound - admitted) / leftMin;
  const isOfToday = perMinuteBest !== null && Math.round(best) <= Math.round(perMinuteBest);
  const today = perMinuteBest === null ? '' : `; hoje ${formatRate(perMinuteBest)}`;
  const which = isOfToday ? 'melhor de hoje' : `melhor de jogos anteriores${today}`;
  const inside =
    estimated === 0
      ? `${formatCount(admitted)} dentro`
      : `${formatCount(admitted - estimated)} lidos + ${estimateWords(estimated)}`;
  const most = `no máximo ${formatExpected(bound, valid)} às ${formatTime(kickOffAtMs, timeZone)}`;
  return [`${most}: ${inside} + ${TENTHS.format(leftMin)} min × ${formatRate(best)}/min (${which})`];
}
