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

/** For what must hold although the machine is busy: no pause of this process is taken for the service's. */
export const PATIENT_LIMITS = {
  connectMs: 60_000,
  silenceMs: 60_000,
  readingSilenceMs: 60_000,
  staleAfterMs: 60_000,
};
