/** A total at an instant of the machine's clock: a commit that was acknowledged, or a number that arrived. */
export interface TimedTotal {
  readonly total: number;
  readonly atMs: number;
}

/**
 * For each admission, from its acknowledgement to the first arrival of a total that must count it: numbers may be skipped,
 * admissions not. Both in order of time.
 */
export function delaysOf(admissions: readonly TimedTotal[], arrivals: readonly TimedTotal[]): number[] {
  let next = 0;
  return admissions.map(({ total, atMs }) => {
    while ((arrivals[next]?.total ?? Infinity) < total) next += 1;
    const arrival = arrivals[next];
    if (!arrival) throw new Error(`the total ${total} never arrived`);
    return arrival.atMs - atMs;
  });
}
