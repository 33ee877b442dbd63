/** A needed rate as people read it, in whole people a minute: it is never stated too small, nor as -0. */
export function wholeNeeded(perMinute: number): number {
  return Math.ceil(perMinute - 1e-6) || 0;
}
