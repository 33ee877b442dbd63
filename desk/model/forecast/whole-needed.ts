/** A needed rate as people read it, in whole people a minute: it is never stated too small. */
export function wholeNeeded(perMinute: number): number {
  return Math.ceil(perMinute - 1e-6);
}
