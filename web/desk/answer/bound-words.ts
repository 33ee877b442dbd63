import type { Forecast, Outlook } from '../../../domain/flow/forecast/forecast.ts';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { formatCount } from '../../design/number-format.ts';
import { formatRate } from '../figure-format.ts';
import { estimateWords } from '../span-words.ts';

const TENTHS = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/**
 * What the last line of the table is made of, so that it can be followed: for kick-off as it is set, who is in, the
 * minutes that are left, and the best rate. Nothing without a rate.
 */
export function boundWords(outlook: Outlook, forecast: Forecast): readonly string[] {
  const { admitted, estimated = 0, valid, kickOffAtMs, perMinuteBest, range } = outlook;
  if (forecast.kind === 'none') return [];
  const leftMin = (kickOffAtMs - forecast.atMs) / MINUTE_MS;
  const bound = 'why' in range ? null : range.bound;
  const best = bound === null ? perMinuteBest : (bound - admitted) / leftMin;
  if (best === null) return [];
  const isOfToday = perMinuteBest !== null && Math.round(best) <= Math.round(perMinuteBest);
  const today = perMinuteBest === null ? '' : `; hoje ${formatRate(perMinuteBest)}`;
  const which = isOfToday ? 'melhor de hoje' : `melhor de jogos anteriores${today}`;
  const name = bound === null ? 'no melhor de hoje' : 'no máximo';
  const inside =
    estimated === 0
      ? `${formatCount(admitted)} dentro`
      : `${formatCount(admitted - estimated)} lidos + ${estimateWords(estimated)}`;
  const most = admitted + Math.max(0, best) * leftMin >= valid ? ', até todos os ingressos' : '';
  return [
    `${name}: ${inside} + ${TENTHS.format(leftMin)} min × ${formatRate(Math.max(0, best))}/min (${which})${most}`,
  ];
}
