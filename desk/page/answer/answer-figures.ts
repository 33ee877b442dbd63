import type { Outlook } from '../../model/forecast/forecast.ts';
import { MAX_LATENESS_MIN } from '../../model/forecast/limits.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import type { DeskView } from '../desk-view.ts';
import { formatExpected, formatNeeded, formatRate } from '../figure-format.ts';
import { isRateAtLeast } from '../caveats.ts';

export interface AnswerFigure {
  readonly label: string;
  readonly value: string;
  /** The words behind the value. */
  readonly unit: string;
}

/** `left`: "sem CAMAROTES", for a forecast without those sectors. `permitted`: how many of its sectors may enter. */
export function neededFigure(
  { perMinuteNeeded, expected, valid }: Outlook,
  left: string | null,
  permitted: number,
): AnswerFigure {
  const label = labelOf('ritmo necessário', left);
  const isForAll = expected.matches === 0;
  // The count is rounded, and could be one that is not in.
  if (perMinuteNeeded <= 0) return { label, value: '0', unit: '/min: os esperados já entraram' };
  const target = expectedWords(expected, valid);
  const most = expectedWords({ ...expected, count: permitted }, valid);
  const remarks = [
    ...(isForAll ? ['todos os ingressos'] : []),
    ...(permitted < expected.count && most !== target ? [`só podem entrar ${most}`] : []),
  ];
  const base = remarks.length === 0 ? '' : ` (${remarks.join('; ')})`;
  return { label, value: formatNeeded(perMinuteNeeded), unit: `/min para ${target} dentro${base}` };
}

/** All tickets are a count; what earlier matches let expect is rounded. */
export function expectedWords({ count, matches }: Outlook['expected'], valid: number): string {
  return matches === 0 ? formatCount(count) : formatExpected(count, valid);
}

/** The current rate of the sectors in the forecast, beside the usual rate at this minute, or the best of today. */
export function nowFigure(
  view: DeskView,
  outlook: Outlook | null = null,
  left: string | null = null,
): AnswerFigure {
  const { forecast, total, rows } = view.state;
  const without = (outlook && forecast.kind === 'made' && forecast.without) || [];
  const counted = rows.filter(({ code }) => !without.includes(code));
  const perMinute = without.length === 0 ? total.lastFive : lastFiveOf(counted);
  const hasStopped =
    without.length === 0 ? total.lastMinute === 0 : counted.every(({ lastMinute }) => lastMinute === 0);
  const label = labelOf('agora (média 5)', left);
  const beside = besideWords(outlook, total.bestFive);
  if (perMinute === null) return { label, value: '—', unit: ` menos de 5 min conhecidos${beside}` };
  const atLeast = counted.some(({ code }) => isRateAtLeast(view, code)) ? ' no mínimo' : '';
  const last = hasStopped && perMinute !== 0 ? ' · último minuto 0' : '';
  return { label, value: formatRate(perMinute), unit: `/min${atLeast}${last}${beside}` };
}

/** Returns the mean that the rows display: a forecast is made anew only every ten seconds. */
function lastFiveOf(rows: DeskView['state']['rows']): number | null {
  let sum = 0;
  for (const { lastFive } of rows) {
    if (lastFive === null) return null;
    sum += lastFive;
  }
  return sum;
}

function labelOf(name: string, left: string | null): string {
  return left === null ? name : `${name} · ${left}`;
}

function besideWords(outlook: Outlook | null, bestFive: number | null): string {
  if (outlook?.usualPerMinute !== undefined) return ` · costume ${formatRate(outlook.usualPerMinute)}`;
  const best = outlook ? outlook.perMinuteBest : bestFive;
  return best === null ? '' : ` · melhor hoje ${formatRate(best)}`;
}

export function arrivalFigure({ lateness }: Outlook): readonly AnswerFigure[] {
  if (lateness === null) return [];
  const label = 'chegada';
  if (lateness === 0) return [{ label, value: 'na hora', unit: ' de costume' }];
  const minutes = Math.abs(lateness);
  const orMore = minutes >= MAX_LATENESS_MIN ? ' ou mais' : '';
  const way = lateness > 0 ? 'tarde' : 'cedo';
  return [{ label, value: `${formatCount(minutes)} min${orMore}`, unit: ` mais ${way} que o costume` }];
}
