import { lookup } from 'node:dns/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { DEFAULT_VENUE, knownCodes, type Sector, type Venue } from '../domain/venue.ts';
import { EventProjection } from './counting/event-projection.ts';
import { EmptyEventWatch } from './counting/empty-event-watch.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './database/embedded/embedded-database.ts';
import { type FanOutLimits, InProcessFanOut } from './fan-out/in-process.ts';
import { buildApp } from './http/app.ts';
import type { HttpLimits } from './http/http-limits.ts';
import { loadPages } from './http/page.ts';
import { onlyEvent } from './http/served-event.ts';
import { showVenue } from './http/shown-venue.ts';
import type { FlowClock } from './flow/flow-clock.ts';
import { addressOf, assertCanListen, explainListenError, type ListenAddress } from './listening.ts';
import { FeedTee } from './observing/feed-tee.ts';
import { OBSERVING_LIMITS, type ObservingLimits } from './observing/limits.ts';
import { PostgresFeed } from './observing/postgres-feed.ts';
import { boardPages, deskPages } from './served-pages.ts';
import { createVenueClock } from './venue-clock.ts';

/** A running server. */
export interface Triagem {
  readonly url: string;
  /** Where Prometheus reads; `undefined` without METRICS_PORT. */
  readonly metricsUrl: string | undefined;
  /** The embedded PostgreSQL, where DATABASE_URL names no other. */
  readonly database: EmbeddedDatabase | undefined;
  /** Rejects with a ReplicationError when the tickets can never be observed as things are. */
  readonly observing: Promise<void>;
  /** Whether the first attempt to observe has neither succeeded nor failed yet. */
  readonly isStarting?: () => boolean;
  /** Ends the streams, then the replication session, then the embedded database. */
  stop(): Promise<void>;
}

/** What a test, or the demo, sets otherwise than a server of the field has it. */
export interface Overrides {
  /** The folder of the built screen. */
  readonly webRoot?: string;
  readonly limits?: ObservingLimits;
  readonly fanOut?: Partial<FanOutLimits>;
  readonly httpLimits?: HttpLimits;
  readonly sessionLifetimeMs?: number;
  readonly deskSessionLifetimeMs?: number;
  readonly flowClock?: FlowClock;
  /** The embedded database runs, and nothing has read it. */
  readonly onDatabase?: (database: EmbeddedDatabase) => Promise<void>;
  /** Ends a start that is under way: what it started is stopped, and it rejects. */
  readonly signal?: AbortSignal;
}

/** Beside the compiled server, where the build puts it. */
const WEB_ROOT = fileURLToPath(new URL('../web/', import.meta.url));

/** Wires the parts together, from the database to the socket. What it started, it stops when a part cannot start. */
export async function startTriagem(config: Config, log: Logger, overrides: Overrides = {}): Promise<Triagem> {
  const webRoot = overrides.webRoot ?? WEB_ROOT;
  const started: (() => Promise<unknown> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (let last = started.pop(); last; last = started.pop()) await last();
  };
  try {
    const { eventId, title, demo, venue = DEFAULT_VENUE } = config;
    const shownVenue = config.venue && showVenue(config.venue);
    const named = { eventId, title, demo };
    const pages = loadPages(webRoot, boardPages(named), shownVenue);
    const shownDeskPages =
      config.deskKey === undefined ? undefined : loadPages(webRoot, deskPages(named), shownVenue);

    const { host, port, metrics } = config;
    const boardPlace: ListenAddress = { host, port, prefix: '' };
    const metricsPlace: ListenAddress | undefined = metrics && { ...metrics, prefix: 'METRICS_' };
    await assertCanListen(metricsPlace ? [boardPlace, metricsPlace] : [boardPlace]);

    const database = await startDatabase(config, venue, log, overrides.signal);
    if (database) {
      started.push(() => database.stop());
      await overrides.onDatabase?.(database);
    }
    const url = config.database.kind === 'external' ? config.database.url : database?.observerUrl;
    const key = config.dashboardKey ?? database?.dashboardKey;
    const sessionSecret = config.sessionSecret ?? database?.sessionSecret;
    if (!url || !key || !sessionSecret) throw new Error('unreachable: readConfig asks for these');

    const readClock = createVenueClock(config.timeZone);
    const codes = [...knownCodes(venue)];
    const fanOut = new InProcessFanOut({ rows: venue.sectors, readClock, limits: overrides.fanOut });
    const projection = new EventProjection({
      eventId,
      knownCodes: codes,
      observer: {
        part: (part) => part.eventId === eventId && fanOut.publish(part),
        freshness: (freshness) => fanOut.publishFreshness(freshness),
      },
    });
    const place = database ? { dataDir: database.dataDir } : { setting: 'DATABASE_URL' };
    const feed = new PostgresFeed({
      url,
      place,
      eventId,
      knownCodes: codes,
      log,
      limits: overrides.limits ?? OBSERVING_LIMITS,
    });
    const watch = new EmptyEventWatch(eventId, projection, log);
    // Read where there is a desk: a board without one begins without it.
    const desk =
      config.deskKey === undefined
        ? undefined
        : (await import('./flow/open-flow.ts')).openFlow({
            eventId,
            sectors: config.venue?.sectors ?? withoutSeats(DEFAULT_VENUE),
            timeZone: config.timeZone,
            // Whoever reads the record does not take a demonstration for a match.
            source: demo ? 'simulated' : 'live',
            version: pages.buildId,
            recordUrl: config.recordUrl ?? database?.recordUrl,
            detailsUrl: url,
            place: database ? place : { setting: 'RECORD_DATABASE_URL' },
            alarmWebhook: config.alarmWebhook,
            clock: overrides.flowClock,
            freshness: () => projection.freshness,
            log,
          });
    if (desk) started.push(() => desk.stop());
    started.push(
      () => watch.stop(),
      () => feed.stop(),
    );
    // Before anything else is made ready: the database counts meanwhile.
    const observing = feed.run(desk ? new FeedTee(projection, desk.flow.feed) : projection);
    observing.catch(() => {});

    const app = await buildApp({
      events: onlyEvent({
        eventId,
        account: { email: config.dashboardEmail, key },
        pages,
        venue: shownVenue,
        fanOut,
        readClock,
        counts: () => projection.state(eventId).counts,
        desk:
          desk && shownDeskPages && config.deskKey !== undefined
            ? {
                key: config.deskKey,
                desk: desk.flow.desk,
                pages: shownDeskPages,
                sessionLifetimeMs: overrides.deskSessionLifetimeMs,
              }
            : undefined,
      }),
      sessionSecret,
      sessionLifetimeMs: overrides.sessionLifetimeMs,
      trustProxy: config.trustProxy,
      viewerLimits: config,
      httpLimits: overrides.httpLimits,
      webRoot,
      notReadyReason: () => database?.notReadyReason ?? feed.notReadyReason,
      warning: () =>
        [database?.warning, feed.warning, watch.warning, desk?.warning()].filter(Boolean).join('. ') ||
        undefined,
      log,
    });
    started.push(
      () => app.close(),
      () => fanOut.close(),
    );
    let metricsUrl: string | undefined;
    if (metricsPlace) {
      // Its library takes 40 ms to read: a board without metrics begins without it.
      const { createMetricsServer } = await import('./metrics/metrics-server.ts');
      const server = createMetricsServer({
        viewers: () => fanOut.size,
        framesSent: () => fanOut.framesSent,
        state: () => projection.state(eventId),
        freshness: () => projection.freshness,
        snapshots: () => projection.snapshotCount,
        record: desk?.metrics,
      });
      started.push(() => server.stop());
      const listeningPort = await explainListenError(server.listen(metricsPlace), metricsPlace);
      metricsUrl = `${addressOf(metricsPlace.host, listeningPort)}/metrics`;
    }
    // By its address: for the name "localhost" Fastify opens a second server, which would lack our limits.
    const listen = async (): Promise<string> =>
      app.listen({ port, host: (await lookup(host)).address, listenTextResolver: () => 'listening' });
    await explainListenError(listen(), boardPlace);
    const address = app.server.address();
    const listeningPort = typeof address === 'object' && address ? address.port : port;
    const isStarting = (): boolean => feed.notReadyReason === 'starting';
    return { url: addressOf(host, listeningPort), metricsUrl, database, observing, isStarting, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How many seats the default venue has is nobody's permit. */
function withoutSeats({ sectors }: Venue): Sector[] {
  return sectors.map(({ code, codes, name, stand }) => ({ code, codes, name, stand }));
}

async function startDatabase(
  { database, eventId, title }: Config,
  venue: Venue,
  log: Logger,
  signal: AbortSignal | undefined,
): Promise<EmbeddedDatabase | undefined> {
  if (database.kind === 'external') return undefined;
  const { dataDir, subfolder, port } = database;
  return startEmbeddedDatabase({
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(subfolder === undefined ? {} : { subfolder }),
    port,
    board: { eventId, title, venue },
    log: (line, level = 'info') => log[level](line),
    signal,
  });
}
