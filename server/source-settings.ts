import type { SettingReader } from './setting-reader.ts';
import type { SourceSettings } from './sources/open-source.ts';

/** Reads where the tickets are: without DATABASE_URL, in the embedded database. */
export function readSourceSettings(settings: SettingReader): SourceSettings {
  const url = settings.connectionString('DATABASE_URL');
  const names = settings.text('UNWATCHED_SUBSCRIPTIONS')?.split(',') ?? [];
  const subscriptions = {
    url: settings.connectionString('SOURCE_DATABASE_URL'),
    unwatched: names.map((name) => name.trim()).filter((name) => name !== ''),
  };
  return url === undefined ? { kind: 'embedded', subscriptions } : { kind: 'postgres', url, subscriptions };
}
