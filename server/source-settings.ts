import { readFirestoreSettings, refuseFirestoreSettings } from './firestore-settings.ts';
import type { SettingReader } from './setting-reader.ts';
import type { SourceSettings } from '../board/sources/source-settings.ts';

/** Settings of a PostgreSQL that receives the tickets by subscriptions. */
const SUBSCRIPTION_SETTINGS = ['SOURCE_DATABASE_URL', 'UNWATCHED_SUBSCRIPTIONS'];

/** Reads where the tickets are: in FIRESTORE_PROJECT, else at DATABASE_URL, else in the embedded database. */
export function readSourceSettings(settings: SettingReader): SourceSettings {
  const project = settings.text('FIRESTORE_PROJECT');
  if (project !== undefined) {
    refuseDatabaseSettings(settings);
    return readFirestoreSettings(settings, project);
  }
  refuseFirestoreSettings(settings);
  const url = settings.connectionString('DATABASE_URL');
  const names = settings.text('UNWATCHED_SUBSCRIPTIONS')?.split(',') ?? [];
  const subscriptions = {
    url: settings.connectionString('SOURCE_DATABASE_URL'),
    unwatched: names.map((name) => name.trim()).filter((name) => name !== ''),
  };
  return url === undefined ? { kind: 'embedded', subscriptions } : { kind: 'postgres', url, subscriptions };
}

function refuseDatabaseSettings(settings: SettingReader): void {
  const { faults } = settings;
  if (settings.text('DATABASE_URL') !== undefined) {
    faults.push(
      'DATABASE_URL is set beside FIRESTORE_PROJECT, and the tickets are in one place: leave one of them out ' +
        '(RECORD_DATABASE_URL is where the flow desk records)',
    );
  }
  for (const name of SUBSCRIPTION_SETTINGS) {
    if (settings.text(name) === undefined) continue;
    faults.push(
      `${name} is set: subscriptions bring tickets into a PostgreSQL, and with FIRESTORE_PROJECT none is read; leave it out`,
    );
  }
}
