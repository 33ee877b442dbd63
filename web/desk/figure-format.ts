import { formatCount } from '../design/number-format.ts';

/** Of people who are expected: no digit is shown that nobody can know. `among`: how many there are at most. */
export function formatExpected(count: number, among: number): string {
  return formatCount(roundExpected(count, among));
}

/** A ground is told in hundreds; in tens, or exactly, where hundreds would say nothing. */
export function roundExpected(count: number, among: number): number {
  const step = among >= 5_000 ? 100 : among >= 500 ? 10 : 1;
  return Math.round(count / step) * step;
}

/** People a minute; a correction of less than half a person is none. */
export function formatRate(perMinute: number): string {
  return formatCount(Math.round(perMinute) || 0);
}

/** What is needed is never told too small. */
export function formatNeeded(perMinute: number): string {
  return formatCount(Math.ceil(perMinute - 1e-6));
}

const TENTHS = new Intl.NumberFormat('pt-BR', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** "50,6%", never more than it is: 100,0% are all. Null where there is nothing to have a share of. */
export function formatShare(part: number, whole: number): string | null {
  return whole > 0 ? `${TENTHS.format(Math.floor((1_000 * part) / whole + 1e-9) / 10)}%` : null;
}

/** 100 only where it is all: less is rounded down, and more is rounded up. */
export function wholePercent(part: number, whole: number): number {
  const percent = (100 * part) / whole;
  return part > whole ? Math.ceil(percent) : Math.floor(percent);
}
