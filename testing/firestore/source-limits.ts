import { FIRESTORE_LIMITS } from '../../board/sources/firestore/limits.ts';

/** The shortest ones that a busy machine keeps. */
export const SHORT_LIMITS = {
  ...FIRESTORE_LIMITS,
  tickMs: 50,
  probeEveryMs: 100,
  probeAtMostEveryMs: 50,
  staleAfterMs: 1_000,
  connectMs: 1_000,
  silenceMs: 2_500,
  readingSilenceMs: 2_500,
  differenceCheckEveryMs: 500,
};
