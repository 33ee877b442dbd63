import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../testing/server/config-faults.ts';
import { readRoleConfig } from '../roles/role-config.ts';

const ACCOUNT = {
  FIRESTORE_PROJECT: 'estadio-1a2b3',
  FIREBASE_API_KEY: 'AIza',
  FIREBASE_EMAIL: 'painel@exemplo.test',
  FIREBASE_PASSWORD: 'very-secret',
};
const RECORD_DATABASE_URL = 'postgres://record:secret@db.example:5432/triagem';

describe('a counter on Firestore', () => {
  const COUNTER = {
    FIRESTORE_PROJECT: 'demo-estadio',
    FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080',
    ROLE: 'counter',
    NATS_URL: 'nats://127.0.0.1:4222',
    EVENT_ID: 'Final-2026',
  };

  test('counts one event, which it must be told, and keeps something where DATA_DIR says', () => {
    expect(readRoleConfig(COUNTER)).toMatchObject({
      role: 'counter',
      eventId: 'Final-2026',
      source: { kind: 'firestore', dataDir: undefined },
      flow: undefined,
    });
    expect(readRoleConfig({ ...COUNTER, DATA_DIR: '/data' })).toMatchObject({ source: { dataDir: '/data' } });
    expect(faultsOf({ ...COUNTER, EVENT_ID: '' })).toMatch(
      /EVENT_ID is missing: a counter that observes no PostgreSQL counts one event, name it/,
    );
    expect(faultsOf({ ...COUNTER, EVENT_ID: 'a/b' })).toMatch(/EVENT_ID is "a\/b"/);
  });

  test('watches the flow of that event where it has a record', () => {
    expect(readRoleConfig({ ...COUNTER, RECORD_DATABASE_URL, TIME_ZONE: 'UTC' })).toMatchObject({
      flow: { eventId: 'Final-2026', timeZone: 'UTC' },
    });
    expect(faultsOf({ ...COUNTER, TIME_ZONE: 'UTC' })).toMatch(
      /TIME_ZONE is set: a counter counts its event, and watches its flow where RECORD_DATABASE_URL is set/,
    );
  });

  test('wants no more than one that observes a database', () => {
    const others = ['EVENT_TITLE', 'DASHBOARD_KEY', 'DESK_KEY', 'EMBEDDED_DATABASE_PORT', 'STATE_DIR'];
    for (const name of others) expect(faultsOf({ ...COUNTER, [name]: 'x' })).toContain(`${name} is set: `);
    expect(faultsOf({ ROLE: 'counter', NATS_URL: COUNTER.NATS_URL })).toMatch(
      /DATABASE_URL is missing: a counter observes a database, name it \(or a Firebase project/,
    );
  });
});

test('an edge wants nothing of Firestore, and shows an event of any ID', () => {
  const EDGE = {
    ROLE: 'edge',
    NATS_URL: 'nats://127.0.0.1:4222',
    DASHBOARD_EMAIL: 'painel@exemplo.test',
    DASHBOARD_KEY: 'k'.repeat(16),
    SESSION_SECRET: 's'.repeat(16),
    EVENT_ID: 'Final-2026',
  };
  expect(readRoleConfig(EDGE)).toMatchObject({ eventId: 'Final-2026' });
  const faults = faultsOf({ ...EDGE, ...ACCOUNT });
  for (const name of Object.keys(ACCOUNT))
    expect(faults).toMatch(`${name} is set: ROLE=edge does not want it`);
  expect(faults).not.toMatch('very-secret');
});
