import type { Outlook } from '../../model/forecast/forecast.ts';
import { formatExpected, roundExpected } from '../figure-format.ts';

/** A sentence below the figures. `isCalled`: an urgent one, which comes first. */
export interface Verdict {
  readonly text: string;
  readonly isCalled: boolean;
}

/**
 * States how many of those expected will not be in at kick-off, if even the range's upper end is too low. That is usual for most
 * crowds, so it is urgent only if the upper end is below the usual count.
 */
export function reachVerdict({ expected, range, usualAtKickOff, valid }: Outlook): readonly Verdict[] {
  if ('why' in range || expected.matches === 0 || usualAtKickOff === undefined) return [];
  const missing = (inside: number): number => Math.max(0, expected.count - inside);
  if (roundExpected(missing(range.high), valid) <= 0) return [];
  const [least, most, usual] = [range.high, range.low, usualAtKickOff].map((inside) =>
    formatExpected(missing(inside), valid),
  );
  const isCalled = range.high < usualAtKickOff;
  const count = least === most ? least : `de ${least} a ${most}`;
  const sentence = `no início, ${count} dos esperados ainda não terão entrado (costume: ${usual})`;
  return [{ text: isCalled ? `ritmo necessário fora do alcance: ${sentence}` : sentence, isCalled }];
}
