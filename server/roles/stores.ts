import type { Logger } from 'pino';
import type { Config, FolderSettings } from '../config.ts';
import {
  type AnnouncedBoard,
  type EmbeddedDatabase,
  startEmbeddedDatabase,
} from '../../database/embedded/embedded-database.ts';
import { takeOwnFolder } from '../../database/embedded/own-folder.ts';
import type { RecordDatabase } from '../../database/embedded/record-database.ts';
import { openSecrets, type Secrets } from '../../database/embedded/secrets.ts';
import { isInPostgres, type SourceSettings } from '../../board/sources/source-settings.ts';
import { addressOf } from '../listening.ts';
import type { Stops } from './stops.ts';
import type { Overrides } from './triagem.ts';

/** What an all-in-one process keeps on its own disk. */
export interface Stores {
  /** The embedded PostgreSQL that holds the tickets, and perhaps the record; it runs. */
  readonly database: EmbeddedDatabase | undefined;
  /** The PostgreSQL that holds the record alone; it may still be starting. */
  readonly recordDatabase: RecordDatabase | undefined;
  /** `undefined`: the settings have all secrets. */
  readonly secrets: Pick<Secrets, 'dashboardKey' | 'sessionSecret'> | undefined;
  /** Where the tickets are. */
  readonly source: SourceSettings;
}

interface Options {
  readonly stops: Stops;
  readonly log: Logger;
  readonly overrides: Overrides;
}

export async function openStores(config: Config, options: Options): Promise<Stores> {
  const { source, ownFolder, embedded } = config;
  if (!isInPostgres(source) && ownFolder) return openBesideFirestore(config, source, ownFolder, options);
  const nothing = { recordDatabase: undefined, source };
  if (!embedded) return { ...nothing, database: undefined, secrets: undefined };
  const { stops, log, overrides } = options;
  const database = await startEmbeddedDatabase({
    ...embedded,
    board: boardOf(config),
    hasRecord: config.deskKey !== undefined,
    log: (line, level = 'info') => log[level](line),
    signal: overrides.signal,
  });
  stops.add(() => database.stop());
  await overrides.onDatabase?.(database);
  return { ...nothing, database, secrets: database };
}

/** Locks the folder before anything is started; nothing waits for a PostgreSQL. */
async function openBesideFirestore(
  config: Config,
  source: Extract<SourceSettings, { readonly kind: 'firestore' }>,
  { dataDir, subfolder }: FolderSettings,
  { stops, log }: Options,
): Promise<Stores> {
  const { embedded } = config;
  const own = await takeOwnFolder({ dataDir, subfolder, hasDatabase: embedded !== undefined });
  stops.add(() => own.lock.release());
  const secrets = await openSecrets(own.place);
  const stores = { database: undefined, secrets, source: { ...source, dataDir: own.place.folder } };
  if (!embedded) return { ...stores, recordDatabase: undefined };
  // Imported on demand: a board without a record here does not load what starts a PostgreSQL.
  const { RecordDatabase: Database } = await import('../../database/embedded/record-database.ts');
  const recordDatabase = await Database.open({
    own,
    secrets,
    port: embedded.port,
    board: boardOf(config),
    log: (line, level = 'info') => log[level](line),
  });
  stops.add(() => recordDatabase.stop());
  return { ...stores, recordDatabase };
}

/** Returns what the gates tool learns of a board that runs. */
export function boardOf({ eventId, title, venue, host, port }: Config): AnnouncedBoard {
  return { eventId, title, venue, url: port === 0 ? undefined : addressOf(host, port) };
}
