import { LEAST_SHARE } from './limits.ts';

/** The logit of a share: errors near 0 and 1 are as large there as in the middle, and no range leaves 0 to 1. */
export function logit(share: number): number {
  const inside = Math.min(Math.max(share, LEAST_SHARE), 1 - LEAST_SHARE);
  return Math.log(inside / (1 - inside));
}

/** The share of a logit. */
export function shareOf(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
