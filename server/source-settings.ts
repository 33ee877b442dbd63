import { connectionStringProblem } from './database/connection-string.ts';
import type { SourceSettings } from './observing/subscription-watch.ts';
import type { SettingReader } from './setting-reader.ts';

/** Of whoever observes a database into which subscriptions bring tickets. */
export function readSourceSettings(settings: SettingReader): SourceSettings {
  const url = settings.text('SOURCE_DATABASE_URL');
  const fault = url === undefined ? undefined : connectionStringProblem(url);
  if (fault !== undefined) settings.faults.push(`SOURCE_DATABASE_URL ${fault}`);
  const names = settings.text('UNWATCHED_SUBSCRIPTIONS')?.split(',') ?? [];
  return { url, unwatched: names.map((name) => name.trim()).filter((name) => name !== '') };
}
