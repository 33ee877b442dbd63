import { wholeNeeded } from '../model/forecast/whole-needed.ts';
import { formatCount } from '../../page/design/number-format.ts';

/** Of people who are expected: no digit is shown that nobody can know. `among`: how many there are at most. */
export function formatExpected(count: number, among: number): string {
  return formatCount(roundExpected(count, among));
}

/** A ground is told in hundreds; in tens, or exactly, where hundreds would say nothing. */
export function roundExpected(count: number, among: number): number {
  const step = among >= 5_000 ? 100 : among >= 500 ? 10 : 1;
  return Math.round(count / step) * step;
}

/** People a minute: "59"; "3 desfeitas", where more readings were taken back than came. Less than half a person is none. */
export function formatRate(perMinute: number): string {
  const count = Math.round(perMinute) || 0;
  return count < 0 ? `${formatCount(-count)} ${count === -1 ? 'desfeita' : 'desfeitas'}` : formatCount(count);
}

export function formatNeeded(perMinute: number): string {
  return formatCount(wholeNeeded(perMinute));
}

/** "52%", where all are rounded in one way. Null where there is nothing to have a share of. */
export function formatShare(part: number, whole: number): string | null {
  return whole > 0 ? percentWords(part / whole) : null;
}

/** Never more than it is: 100% are all, and 0% is nobody. What is more than all is rounded up. */
function percentWords(share: number): string {
  const percent = Math.round(1e9 * share) / 1e7;
  if (percent > 0 && percent < 1) return '<\u00A01%';
  if (percent > 99 && percent < 100) return '>\u00A099%';
  return `${percent > 100 ? Math.ceil(percent) : Math.floor(percent)}%`;
}
