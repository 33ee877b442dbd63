import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { readConfig } from './config.ts';
import { faultsOf } from '../testing/server/config-faults.ts';

const folder = makeTestFolder({
  'key.json': JSON.stringify({ type: 'service_account', private_key: 'very-secret' }),
  'user.json': JSON.stringify({ type: 'authorized_user', refresh_token: 'very-secret' }),
  'list.json': '["very-secret"]',
  'text.json': 'very-secret',
});
const keyFile = join(folder, 'key.json');

const EMULATOR = { FIRESTORE_PROJECT: 'demo-estadio', FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' };
const SERVICE_ACCOUNT = { FIRESTORE_PROJECT: 'estadio-1a2b3', GOOGLE_APPLICATION_CREDENTIALS: keyFile };
const ACCOUNT = {
  FIRESTORE_PROJECT: 'estadio-1a2b3',
  FIREBASE_API_KEY: 'AIza',
  FIREBASE_EMAIL: 'painel@exemplo.test',
  FIREBASE_PASSWORD: 'very-secret',
};
const RECORD_DATABASE_URL = 'postgres://record:secret@db.example:5432/triagem';
const DESK_KEY = 'd'.repeat(16);

describe('a board on Firestore', () => {
  test('needs a project and an emulator, and then no key, no account and no PostgreSQL', () => {
    expect(readConfig(EMULATOR)).toMatchObject({
      eventId: DEFAULT_EVENT_ID,
      dashboardKey: undefined,
      sessionSecret: undefined,
      source: {
        kind: 'firestore',
        project: 'demo-estadio',
        database: '(default)',
        collection: 'events/{event}/tickets',
        credentials: { kind: 'emulator-owner' },
        emulatorHost: '127.0.0.1:8080',
        authEmulatorHost: undefined,
        dataDir: undefined,
      },
      record: { kind: 'memory' },
      embedded: undefined,
      ownFolder: { dataDir: undefined },
    });
  });

  test('reads a real project as a service account, or as an account of it', () => {
    expect(readConfig(SERVICE_ACCOUNT).source).toMatchObject({
      credentials: { kind: 'service-account', file: keyFile },
      emulatorHost: undefined,
    });
    expect(readConfig(ACCOUNT).source).toMatchObject({
      credentials: { kind: 'account', apiKey: 'AIza', email: 'painel@exemplo.test', password: 'very-secret' },
    });
  });

  test('reads emulators as an account where both are named, and as their owner beside the key of a machine', () => {
    const FIREBASE_AUTH_EMULATOR_HOST = '[::1]:9099';
    expect(readConfig({ ...EMULATOR, ...ACCOUNT, FIREBASE_AUTH_EMULATOR_HOST }).source).toMatchObject({
      credentials: { kind: 'account' },
      authEmulatorHost: FIREBASE_AUTH_EMULATOR_HOST,
    });
    expect(readConfig({ ...EMULATOR, ...SERVICE_ACCOUNT }).source).toMatchObject({
      credentials: { kind: 'emulator-owner' },
    });
  });

  test('may name its database and its collection', () => {
    const env = {
      ...EMULATOR,
      FIRESTORE_DATABASE: 'jogos',
      FIRESTORE_COLLECTION: 'jogos/jogo-{event}/ingressos',
    };
    expect(readConfig(env).source).toMatchObject({
      database: 'jogos',
      collection: 'jogos/jogo-{event}/ingressos',
    });
    expect(readConfig({ ...EMULATOR, FIRESTORE_COLLECTION: 'ingressos' }).source).toMatchObject({
      collection: 'ingressos',
    });
  });

  test('shows an event with the ID of any document', () => {
    for (const EVENT_ID of ['Final-2026', 'Palestra × Atlético', 'x'.repeat(1_500)])
      expect(readConfig({ ...EMULATOR, EVENT_ID }).eventId).toBe(EVENT_ID);
    for (const EVENT_ID of ['a/b', '..', '__final__', 'é'.repeat(751)])
      expect(faultsOf({ ...EMULATOR, EVENT_ID })).toContain(
        `EVENT_ID is "${EVENT_ID}": give 32 hexadecimal characters, or the ID of a document of Firestore: no slash`,
      );
  });

  test('records in the embedded database where it has a desk, or in the one that is named', () => {
    expect(readConfig({ ...EMULATOR, DESK_KEY, DATA_DIR: '/data' })).toMatchObject({
      record: { kind: 'embedded' },
      embedded: { dataDir: '/data', port: 54_329 },
      ownFolder: { dataDir: '/data' },
      source: { dataDir: '/data' },
    });
    expect(readConfig({ ...EMULATOR, DESK_KEY, RECORD_DATABASE_URL })).toMatchObject({
      record: { kind: 'postgres' },
      embedded: undefined,
    });
  });

  test('a board on PostgreSQL has none of it', () => {
    expect(readConfig({}).ownFolder).toBeUndefined();
    // Of other programs of the machine.
    const { FIRESTORE_EMULATOR_HOST } = EMULATOR;
    expect(readConfig({ FIRESTORE_EMULATOR_HOST, GOOGLE_APPLICATION_CREDENTIALS: keyFile })).toEqual(
      readConfig({}),
    );
  });
});

describe('refused, with the fix,', () => {
  test.each<[Record<string, string>, string | RegExp]>([
    [
      { ...EMULATOR, DATABASE_URL: RECORD_DATABASE_URL },
      /DATABASE_URL is set beside FIRESTORE_PROJECT, and the tickets are in one place: leave one of them out/,
    ],
    [
      { ...EMULATOR, SOURCE_DATABASE_URL: RECORD_DATABASE_URL },
      /SOURCE_DATABASE_URL is set: subscriptions bring tickets into a PostgreSQL.*leave it out/,
    ],
    [{ ...EMULATOR, UNWATCHED_SUBSCRIPTIONS: 'crm' }, /UNWATCHED_SUBSCRIPTIONS is set: subscriptions/],
    [
      { FIRESTORE_COLLECTION: 'x', FIREBASE_EMAIL: 'a@b' },
      /FIRESTORE_COLLECTION is set, and FIRESTORE_PROJECT is not: name .*\n.*FIREBASE_EMAIL is set, and FIRESTORE_PROJECT is not/,
    ],
    [{ ...EMULATOR, FIRESTORE_PROJECT: 'my project' }, /FIRESTORE_PROJECT is "my project": give the ID/],
    [{ ...EMULATOR, FIRESTORE_DATABASE: 'Default' }, /FIRESTORE_DATABASE is "Default": give the ID/],
    [
      { FIRESTORE_PROJECT: 'p' },
      /GOOGLE_APPLICATION_CREDENTIALS is missing: name the key file .* or set FIREBASE_API_KEY, FIREBASE_EMAIL, FIREBASE_PASSWORD/,
    ],
    [
      { ...ACCOUNT, GOOGLE_APPLICATION_CREDENTIALS: keyFile },
      /GOOGLE_APPLICATION_CREDENTIALS is set beside FIREBASE_API_KEY.*: set the key file of a service account, or/,
    ],
    [
      { ...ACCOUNT, FIREBASE_API_KEY: '', FIREBASE_PASSWORD: '' },
      /FIREBASE_API_KEY is missing: .* go together\n.*FIREBASE_PASSWORD is missing: .* go together/,
    ],
    [{ ...ACCOUNT, FIREBASE_EMAIL: 'painel' }, /FIREBASE_EMAIL is "painel": give the e-mail address/],
    [
      { ...ACCOUNT, ...EMULATOR },
      /FIREBASE_AUTH_EMULATOR_HOST is missing beside FIRESTORE_EMULATOR_HOST: .* set both or neither/,
    ],
    [
      { ...ACCOUNT, FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099' },
      /FIRESTORE_EMULATOR_HOST is missing beside FIREBASE_AUTH_EMULATOR_HOST/,
    ],
    [
      { ...EMULATOR, FIRESTORE_EMULATOR_HOST: 'http://127.0.0.1:8080' },
      /FIRESTORE_EMULATOR_HOST is "http:.*": write it as host:port/,
    ],
    [
      { ...SERVICE_ACCOUNT, GOOGLE_APPLICATION_CREDENTIALS: '/none.json' },
      /CREDENTIALS is "\/none.json", which cannot be read: ENOENT/,
    ],
    [
      { ...SERVICE_ACCOUNT, GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'text.json') },
      /text.json", which is no JSON/,
    ],
    [
      { ...SERVICE_ACCOUNT, GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'list.json') },
      /list.json", which is no key of a service account: make one/,
    ],
    [
      { ...SERVICE_ACCOUNT, GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'user.json') },
      /user.json", which is no key of a service account \(its type is "authorized_user"\)/,
    ],
  ])('%#', (env, message) => {
    const faults = faultsOf(env);
    expect(faults).toMatch(message);
    expect(faults).not.toMatch('secret');
  });

  test.each([
    ['/events/{event}/tickets', 'which begins or ends with a slash'],
    ['events//tickets', 'which begins or ends with a slash, or has two in a row'],
    ['events/{event}/tickets/', 'which begins or ends with a slash'],
    ['events/{event}', 'which is the path of a document and not of a collection'],
    ['events/{id}/tickets', 'which has braces that are not {event}'],
    ['events/../tickets', 'whose ".." no path of Firestore may have'],
    ['events/__x__/tickets', 'whose "__x__" no path of Firestore may have'],
  ])('FIRESTORE_COLLECTION=%s', (path, why) => {
    expect(faultsOf({ ...EMULATOR, FIRESTORE_COLLECTION: path })).toContain(
      `FIRESTORE_COLLECTION is "${path}", ${why}`,
    );
  });
});
