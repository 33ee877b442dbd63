import type { ServerAddress } from '../../database/primary/at-primary.ts';
import { OBSERVING_LIMITS, type ObservingLimits } from './postgres/limits.ts';
import { PostgresSource } from './postgres/postgres-source.ts';
import { type DatabaseSettings, isInPostgres, type SourceSettings } from './source-settings.ts';
import type { SourceOptions, TicketSource } from './ticket-source.ts';

/** A PostgreSQL that this process has started. */
interface OwnServer {
  readonly observerUrl: string;
  readonly dataDir: string;
  readonly notReadyReason: string | undefined;
}

export interface OpenSourceOptions extends SourceOptions {
  /** It is there where the settings name it. */
  readonly ownServer?: OwnServer | undefined;
  readonly limits?: ObservingLimits | undefined;
}

/** A source, and what it offers beyond the contract of sources. */
export interface OpenSource {
  readonly source: TicketSource;
  /** How many documents it has read so far; `undefined`: it reads rows. */
  readonly documentsRead: (() => number) | undefined;
}

/** Opens the source of these settings; it begins with `run`. */
export async function openSource(settings: SourceSettings, options: OpenSourceOptions): Promise<OpenSource> {
  if (isInPostgres(settings))
    return { source: openPostgresSource(settings, options), documentsRead: undefined };
  const { eventId, knownCodes, wantsMetadata, log } = options;
  // Its libraries take their time to read: a process without Firestore begins without them.
  const { FirestoreSource } = await import('./firestore/firestore-source.ts');
  log.info("reading Firestore: this source is new, and was tried on Google's emulator only");
  const source = new FirestoreSource({ eventId, knownCodes, wantsMetadata, log, settings });
  return { source, documentsRead: () => source.documentsRead };
}

export function openPostgresSource(
  settings: DatabaseSettings,
  { ownServer, limits = OBSERVING_LIMITS, ...options }: OpenSourceOptions,
): TicketSource {
  return new PostgresSource({
    ...options,
    ...serverOf(settings, ownServer),
    serverFault: () => (settings.kind === 'embedded' ? ownServer?.notReadyReason : undefined),
    subscriptions: settings.subscriptions,
    limits,
  });
}

/** The address of the tickets for the observer's role; `undefined`: they are in no PostgreSQL. */
export function databaseOf(settings: SourceSettings, ownServer?: OwnServer): ServerAddress | undefined {
  return isInPostgres(settings) ? serverOf(settings, ownServer) : undefined;
}

function serverOf(settings: DatabaseSettings, ownServer: OwnServer | undefined): ServerAddress {
  if (settings.kind === 'postgres') return { url: settings.url, place: { setting: 'DATABASE_URL' } };
  if (!ownServer)
    throw new Error('unreachable: the embedded database is started before its tickets are read');
  return { url: ownServer.observerUrl, place: { dataDir: ownServer.dataDir } };
}
