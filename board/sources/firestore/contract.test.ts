import { openFirestoreDriver } from '../../../testing/firestore/source-driver.ts';
import { SHORT_LIMITS } from '../../../testing/firestore/source-limits.ts';
import { startFirestoreStandIn } from '../../../testing/firestore/stand-in.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { describeSource } from '../../../testing/sources/source-contract.ts';
import { FirestoreSource } from './firestore-source.ts';

const standIn = openForAll(() => startFirestoreStandIn());

describeSource('Firestore (stand-in)', () =>
  openFirestoreDriver(
    standIn,
    (settings, options) => new FirestoreSource({ ...options, settings, limits: SHORT_LIMITS }),
  ),
);
