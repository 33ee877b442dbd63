import { startFirestoreEmulator } from '../../../testing/firestore/emulator.ts';
import { openFirestoreDriver } from '../../../testing/firestore/source-driver.ts';
import { SHORT_LIMITS } from '../../../testing/firestore/source-limits.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { describeSource } from '../../../testing/sources/source-contract.ts';
import { FirestoreSource } from './firestore-source.ts';

const emulator = openForAll(() => startFirestoreEmulator());

/** On a busy machine the emulator is silent for seconds over a write of hundreds of tickets. */
const LIMITS = { ...SHORT_LIMITS, silenceMs: 10_000, readingSilenceMs: 10_000 };

describeSource('Firestore', () =>
  openFirestoreDriver(
    emulator,
    (settings, options) => new FirestoreSource({ ...options, settings, limits: LIMITS }),
  ),
);
