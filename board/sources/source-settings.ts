import type { FirestoreSettings } from './firestore/firestore-settings.ts';
import type { SubscriptionSettings } from './postgres/subscription-watch.ts';

/** Where the tickets are, as the settings name it. */
export type SourceSettings = DatabaseSettings | FirestoreSettings;

export type DatabaseSettings =
  | {
      readonly kind: 'postgres';
      readonly url: string;
      /** Where subscriptions of that database bring tickets from. */
      readonly subscriptions: SubscriptionSettings;
    }
  /** The PostgreSQL that this process brings. */
  | { readonly kind: 'embedded'; readonly subscriptions: SubscriptionSettings };

/** Whether the tickets are in a PostgreSQL, where the record and the readings of gates can be as well. */
export function isInPostgres(settings: SourceSettings): settings is DatabaseSettings {
  return settings.kind === 'postgres' || settings.kind === 'embedded';
}
