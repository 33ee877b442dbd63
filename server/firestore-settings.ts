import { readFileSync } from 'node:fs';
import { isDocumentId } from '../domain/event.ts';
import { errorMessage } from '../database/setup-error.ts';
import type { SettingReader } from './setting-reader.ts';
import type {
  FirestoreCredentials,
  FirestoreSettings,
} from '../board/sources/firestore/firestore-settings.ts';

const ACCOUNT_SETTINGS = ['FIREBASE_API_KEY', 'FIREBASE_EMAIL', 'FIREBASE_PASSWORD'] as const;
const KEY_FILE_SETTING = 'GOOGLE_APPLICATION_CREDENTIALS';
/**
 * Settings that only this source reads. The emulators' hosts and GOOGLE_APPLICATION_CREDENTIALS may be set for other
 * programs of the machine.
 */
export const FIRESTORE_SETTINGS: readonly string[] = [
  'FIRESTORE_PROJECT',
  'FIRESTORE_DATABASE',
  'FIRESTORE_COLLECTION',
  ...ACCOUNT_SETTINGS,
];

const DEFAULT_DATABASE = '(default)';
const DEFAULT_COLLECTION = 'events/{event}/tickets';

export function readFirestoreSettings(settings: SettingReader, project: string): FirestoreSettings {
  const { faults } = settings;
  if (!/^[A-Za-z0-9][\w.:-]*$/.test(project)) {
    faults.push(`FIRESTORE_PROJECT is "${project}": give the ID of the project, as my-project-1a2b3`);
  }
  const database = settings.text('FIRESTORE_DATABASE') ?? DEFAULT_DATABASE;
  if (database !== DEFAULT_DATABASE && !/^[a-z][a-z0-9-]*$/.test(database)) {
    faults.push(
      `FIRESTORE_DATABASE is "${database}": give the ID of a database of the project, or nothing for (default)`,
    );
  }
  const emulatorHost = readHost(settings, 'FIRESTORE_EMULATOR_HOST');
  const authEmulatorHost = readHost(settings, 'FIREBASE_AUTH_EMULATOR_HOST');
  return {
    kind: 'firestore',
    project,
    database,
    collection: readCollection(settings),
    credentials: readCredentials(settings, { emulatorHost, authEmulatorHost }),
    emulatorHost,
    authEmulatorHost,
    dataDir: settings.text('DATA_DIR'),
  };
}

/** Adds a fault for each setting that needs FIRESTORE_PROJECT. */
export function refuseFirestoreSettings(settings: SettingReader): void {
  for (const name of FIRESTORE_SETTINGS) {
    if (settings.text(name) === undefined) continue;
    settings.faults.push(
      `${name} is set, and FIRESTORE_PROJECT is not: name the Firebase project there, or leave it out`,
    );
  }
}

function readCollection(settings: SettingReader): string {
  const path = settings.text('FIRESTORE_COLLECTION') ?? DEFAULT_COLLECTION;
  const fault = faultOfCollection(path);
  if (fault !== undefined) {
    settings.faults.push(
      `FIRESTORE_COLLECTION is "${path}", ${fault}: write it as ${DEFAULT_COLLECTION}, where {event} stands for EVENT_ID`,
    );
  }
  return path;
}

function faultOfCollection(path: string): string | undefined {
  const segments = path.split('/');
  if (segments.includes('')) return 'which begins or ends with a slash, or has two in a row';
  if (segments.length % 2 === 0) return 'which is the path of a document and not of a collection';
  const names = segments.map((segment) => segment.replaceAll('{event}', 'event'));
  if (names.some((name) => /[{}]/.test(name))) return 'which has braces that are not {event}';
  const wrong = names.find((name) => !isDocumentId(name));
  return wrong === undefined ? undefined : `whose "${wrong}" no path of Firestore may have`;
}

/** Reads a `host:port` in the form of Firebase's tools. */
function readHost(settings: SettingReader, name: string): string | undefined {
  const host = settings.text(name);
  if (host !== undefined && !/^[^\s/:@]+:\d{1,5}$|^\[[\da-fA-F:.]+\]:\d{1,5}$/.test(host)) {
    settings.faults.push(`${name} is "${host}": write it as host:port, as 127.0.0.1:8080, without a scheme`);
  }
  return host;
}

interface EmulatorHosts {
  readonly emulatorHost: string | undefined;
  readonly authEmulatorHost: string | undefined;
}

function readCredentials(settings: SettingReader, hosts: EmulatorHosts): FirestoreCredentials {
  const { faults } = settings;
  const { emulatorHost } = hosts;
  const file = settings.text(KEY_FILE_SETTING);
  const account = readAccount(settings, hosts);
  // Like Google's own libraries, an emulator is used without a key.
  const keyFile = emulatorHost === undefined ? file : undefined;
  if (account) {
    if (keyFile !== undefined) {
      faults.push(
        `${KEY_FILE_SETTING} is set beside ${ACCOUNT_SETTINGS.join(', ')}: set the key file of a service account, or an account`,
      );
    }
    return account;
  }
  if (keyFile !== undefined) {
    checkKeyFile(settings, keyFile);
    return { kind: 'service-account', file: keyFile };
  }
  if (emulatorHost === undefined) {
    faults.push(
      `${KEY_FILE_SETTING} is missing: name the key file of a service account there, or set ${ACCOUNT_SETTINGS.join(', ')} ` +
        '(FIRESTORE_EMULATOR_HOST needs neither)',
    );
  }
  return { kind: 'emulator-owner' };
}

/** Returns `undefined` where no account is set. */
function readAccount(
  settings: SettingReader,
  { emulatorHost, authEmulatorHost }: EmulatorHosts,
): FirestoreCredentials | undefined {
  const { faults } = settings;
  const [apiKey, email, password] = ACCOUNT_SETTINGS.map((name) => settings.text(name));
  if (apiKey === undefined && email === undefined && password === undefined) return undefined;
  for (const name of ACCOUNT_SETTINGS) {
    if (settings.text(name) === undefined)
      faults.push(`${name} is missing: ${ACCOUNT_SETTINGS.join(', ')} go together`);
  }
  if (email !== undefined && !/^\S+@\S+$/.test(email))
    faults.push(`FIREBASE_EMAIL is "${email}": give the e-mail address of an account of the project`);
  if ((emulatorHost === undefined) !== (authEmulatorHost === undefined)) {
    const [missing, there] =
      emulatorHost === undefined
        ? ['FIRESTORE_EMULATOR_HOST', 'FIREBASE_AUTH_EMULATOR_HOST']
        : ['FIREBASE_AUTH_EMULATOR_HOST', 'FIRESTORE_EMULATOR_HOST'];
    faults.push(
      `${missing} is missing beside ${there}: an account signs in and reads at emulators, or at Google; set both or neither`,
    );
  }
  return { kind: 'account', apiKey: apiKey ?? '', email: email ?? '', password: password ?? '' };
}

/** Checks that the file is a key at all; Google verifies it at its first use. */
function checkKeyFile(settings: SettingReader, path: string): void {
  const name = `${KEY_FILE_SETTING} is "${path}"`;
  try {
    const key: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const type = typeof key === 'object' && key !== null && 'type' in key ? key.type : undefined;
    if (type === 'service_account') return;
    const what = typeof type === 'string' ? ` (its type is "${type}")` : '';
    settings.faults.push(
      `${name}, which is no key of a service account${what}: make one in the project's console`,
    );
  } catch (error) {
    // A message of JSON.parse would quote the secret file.
    const why = error instanceof SyntaxError ? 'is no JSON' : `cannot be read: ${errorMessage(error)}`;
    settings.faults.push(`${name}, which ${why}`);
  }
}
