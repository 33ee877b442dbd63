import { MIN_SHARE } from './limits.ts';

/** Returns the logit of a share. On this scale errors near 0 and 1 are as large as in the middle, and ranges stay within 0 to 1. */
export function logit(share: number): number {
  const inside = Math.min(Math.max(share, MIN_SHARE), 1 - MIN_SHARE);
  return Math.log(inside / (1 - inside));
}

/** Returns the share of a logit. */
export function shareOf(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
