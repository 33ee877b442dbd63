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

/**
 * As `delaysOf`, where some may never arrive: those have waited until `endAtMs`, which is the least that their delay can be.
 */
export function delaysUntil(
  endAtMs: number,
  admissions: readonly TimedTotal[],
  arrivals: readonly TimedTotal[],
): { readonly delaysMs: number[]; readonly missing: number } {
  const last = arrivals.reduce((most, { total }) => Math.max(most, total), -Infinity);
  const arrived = admissions.filter(({ total }) => total <= last);
  const missing = admissions.slice(arrived.length);
  const delaysMs = delaysOf(arrived, arrivals).concat(missing.map(({ atMs }) => endAtMs - atMs));
  return { delaysMs, missing: missing.length };
}
