/** The time of day with fractions of a millisecond, which every process of this machine has in common. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}
