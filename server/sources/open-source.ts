import type { ServerAddress } from '../database/primary/at-primary.ts';
import { OBSERVING_LIMITS, type ObservingLimits } from './postgres/limits.ts';
import { PostgresSource } from './postgres/postgres-source.ts';
import type { SubscriptionSettings } from './postgres/subscription-watch.ts';
import type { SourceOptions, TicketSource } from './ticket-source.ts';

/** Where the tickets are, as the settings name it. */
export type SourceSettings =
  | {
      readonly kind: 'postgres';
      readonly url: string;
      /** Where subscriptions of that database bring tickets from. */
      readonly subscriptions: SubscriptionSettings;
    }
  /** The PostgreSQL that this process brings. */
  | { readonly kind: 'embedded'; readonly subscriptions: SubscriptionSettings };

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

/** Opens the source of these settings; it begins with `run`. */
export function openSource(
  settings: SourceSettings,
  { ownServer, limits = OBSERVING_LIMITS, ...options }: OpenSourceOptions,
): TicketSource {
  return new PostgresSource({
    ...options,
    ...databaseOf(settings, ownServer),
    serverFault: () => (settings.kind === 'embedded' ? ownServer?.notReadyReason : undefined),
    subscriptions: settings.subscriptions,
    limits,
  });
}

/** The address of the tickets for the observer's role. */
export function databaseOf(settings: SourceSettings, ownServer?: OwnServer): ServerAddress {
  if (settings.kind === 'postgres') return { url: settings.url, place: { setting: 'DATABASE_URL' } };
  if (!ownServer)
    throw new Error('unreachable: the embedded database is started before its tickets are read');
  return { url: ownServer.observerUrl, place: { dataDir: ownServer.dataDir } };
}
