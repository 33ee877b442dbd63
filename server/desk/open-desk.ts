import type { Logger } from 'pino';
import type { EventProjection } from '../../board/counting/event-projection.ts';
import type { FanOut } from '../../board/fan-out/fan-out.ts';
import { loadPages } from '../../board/http/page.ts';
import { showVenue } from '../../board/http/shown-venue.ts';
import { databaseOf } from '../../board/sources/open-source.ts';
import type { TicketSource } from '../../board/sources/ticket-source.ts';
import type { EmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import type { ServerAddress } from '../../database/primary/at-primary.ts';
import { openFlow } from '../../desk/flow/open-flow.ts';
import { addRecordMetrics } from '../../desk/flow/record-metrics.ts';
import { addDesk } from '../../desk/http/desk-routes.ts';
import type { AddedRoom } from '../added-room.ts';
import type { Config, RecordSettings } from '../config.ts';
import { productVersion } from '../product-version.ts';
import type { Stores } from '../roles/stores.ts';
import type { Overrides } from '../roles/triagem.ts';
import { deskPages } from './desk-pages.ts';
import { sectorsOfFlow } from './sectors-of-flow.ts';

export interface DeskOptions {
  readonly config: Config;
  readonly key: string;
  /** The folder of the built screen. */
  readonly webRoot: string;
  readonly stores: Stores;
  readonly source: TicketSource;
  readonly projection: EventProjection;
  readonly fanOut: FanOut;
  readonly sessionSecret: string;
  readonly overrides: Overrides;
  readonly log: Logger;
}

export function openDesk(options: DeskOptions): AddedRoom {
  const { config, key, webRoot, stores, source, projection, fanOut, overrides, log } = options;
  const { eventId, venue, timeZone, demo, alarmWebhook } = config;
  const pages = loadPages(webRoot, deskPages(config), venue && showVenue(venue));
  const open = openFlow({
    eventId,
    sectors: sectorsOfFlow(venue),
    timeZone,
    // The record states that a demonstration is none of a match.
    source: demo ? 'simulated' : 'live',
    version: productVersion(webRoot),
    record: recordAddress(config.record, stores.database) ?? stores.recordDatabase?.address,
    kickOffsOf: (eventIds) => source.kickOffsOf(eventIds),
    readingsFrom: databaseOf(stores.source, stores.database),
    alarmWebhook,
    clock: overrides.flowClock,
    freshness: () => projection.freshness,
    onIncomplete: (incomplete, evacuatedAtMs) => {
      const { position } = projection;
      if (!position) return;
      fanOut.publish({ kind: 'incomplete', eventId, position, incomplete, evacuatedAtMs });
    },
    log,
  });
  const { deskSessionLifetimeMs: sessionLifetimeMs } = overrides;
  return {
    listener: open.flow.listener,
    served: { desk: { key, desk: open.flow.desk, sessionLifetimeMs }, otherPages: pages },
    addRoutes: async (app, pageHasSeen) => addDesk(app, options.sessionSecret, pageHasSeen),
    addMetrics: (adders) => addRecordMetrics(adders, open.metrics),
    warning: open.warning,
    stop: () => open.stop(),
  };
}

function recordAddress(
  record: RecordSettings,
  database: EmbeddedDatabase | undefined,
): ServerAddress | undefined {
  if (record.kind === 'postgres') return { url: record.url, place: { setting: 'RECORD_DATABASE_URL' } };
  if (record.kind === 'memory' || !database?.recordUrl) return undefined;
  return { url: database.recordUrl, place: { dataDir: database.dataDir } };
}
