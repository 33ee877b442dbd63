import { expect, test } from 'vitest';
import { firestoreError } from './firestore-error.ts';
import type { FirestoreSettings } from './firestore-settings.ts';
import { GRPC_CODE } from './grpc-status.ts';

const SETTINGS: FirestoreSettings = {
  kind: 'firestore',
  project: 'estadio',
  database: '(default)',
  collection: 'events/{event}/tickets',
  emulatorHost: '127.0.0.1:8080',
  authEmulatorHost: undefined,
  credentials: { kind: 'emulator-owner' },
  dataDir: undefined,
};

test('an attempt that fails as the one before it has the same reason', () => {
  const at = (time: string): string =>
    firestoreError(
      {
        code: GRPC_CODE.UNAVAILABLE,
        message: `No connection established. Last error: connect ECONNREFUSED 127.0.0.1:8080 (${time}). Resolution note: `,
      },
      SETTINGS,
      'the tickets',
    ).message;
  expect(at('2026-11-26T11:07:29.230Z')).toBe(at('2026-11-26T11:07:30.001Z'));
  expect(at('2026-11-26T11:07:29.230Z')).toBe(
    'Nobody answers at 127.0.0.1:8080 (No connection established. Last error: connect ECONNREFUSED 127.0.0.1:8080): start the emulator, or correct FIRESTORE_EMULATOR_HOST',
  );
});
