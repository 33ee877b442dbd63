import { roundExpected } from '../model/forecast/rounded-range.ts';
import { wholeNeeded } from '../model/forecast/whole-needed.ts';
import { formatCount } from '../../page/design/number-format.ts';

/** Formats expected people without digits that nobody can know. `among`: the greatest possible count. */
export function formatExpected(count: number, among: number): string {
  return formatCount(roundExpected(count, among));
}

/** "900 a 1.100"; one number where both ends are the same. */
export function endsWords(low: string, high: string): string {
  return low === high ? low : `${low} a ${high}`;
}

/** Formats people a minute: "59"; "3 desfeitas" if more readings were taken back than came. */
export function formatRate(perMinute: number): string {
  const count = Math.round(perMinute) || 0;
  return count < 0 ? `${formatCount(-count)} ${count === -1 ? 'desfeita' : 'desfeitas'}` : formatCount(count);
}

/** Rounds a needed rate up. */
export function formatNeeded(perMinute: number): string {
  return formatCount(wholeNeeded(perMinute));
}

/** "52%"; null where the whole is 0. */
export function formatShare(part: number, whole: number): string | null {
  return whole > 0 ? percentWords(part / whole) : null;
}

/** Rounds down, so that 100% means all; a share above 100% is rounded up. 0% means nobody. */
function percentWords(share: number): string {
  const percent = Math.round(1e9 * share) / 1e7;
  if (percent > 0 && percent < 1) return '<\u00A01%';
  if (percent > 99 && percent < 100) return '>\u00A099%';
  return `${percent > 100 ? Math.ceil(percent) : Math.floor(percent)}%`;
}
