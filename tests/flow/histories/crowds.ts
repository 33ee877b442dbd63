import type { Crowd } from './planned-match.ts';

/** As at most matches: half of them within half an hour before kick-off. */
export const USUAL: Crowd = [
  [-60, 0.15],
  [-50, 0.35],
  [-40, 0.55],
  [-30, 0.75],
  [-20, 0.95],
  [-10, 1],
  [-2, 1],
  [2, 0.7],
  [6, 0.35],
  [10, 0.15],
  [16, 0.05],
];

/** Nearly all of them in the last quarter of an hour, and after kick-off. */
export const LATE: Crowd = [
  [-60, 0.05],
  [-40, 0.12],
  [-25, 0.25],
  [-18, 0.6],
  [-12, 1],
  [4, 1],
  [8, 0.8],
  [12, 0.45],
  [16, 0.2],
];

/** Of a kick-off that is put off by ten minutes. */
export const WAITING: Crowd = [
  [-50, 0.2],
  [-40, 0.35],
  [-20, 0.6],
  [-10, 0.8],
  [0, 1],
  [12, 1],
  [28, 0.5],
];

export const PEAKS = { 4: 60, 7: 50, 1: 40, 9: 40, 12: 30, 3: 30, 8: 24, 13: 15, 99: 8 };
