import type { Logger } from 'pino';
import { DEFAULT_VENUE, knownCodes } from '../../domain/venue.ts';
import type { Config } from '../config.ts';
import { EmptyEventWatch } from '../../board/counting/empty-event-watch.ts';
import { EventProjection } from '../../board/counting/event-projection.ts';
import { InProcessFanOut, shownBy } from '../../board/fan-out/in-process.ts';
import { buildApp } from '../../board/http/app.ts';
import { LaterSeen } from '../../board/http/later-seen.ts';
import { loadPages } from '../../board/http/page.ts';
import { onlyEvent } from '../../board/http/served-event.ts';
import { showVenue } from '../../board/http/shown-venue.ts';
import { assertCanListen } from '../listening.ts';
import { openSource } from '../../board/sources/open-source.ts';
import { SourceTee } from '../../board/sources/source-tee.ts';
import { openDesk } from '../parts.ts';
import { boardPages } from '../served-pages.ts';
import { createVenueClock } from '../../board/venue/venue-clock.ts';
import { listen, notReadyReason, placesOf, serveMetrics, WEB_ROOT } from './serving.ts';
import { Stops } from './stops.ts';
import { openStores } from './stores.ts';
import type { Overrides, Triagem } from './triagem.ts';

/** Runs everything in one process, from the source to the socket: the projection calls the fan-out directly. */
export async function startAllInOne(
  config: Config,
  log: Logger,
  overrides: Overrides = {},
): Promise<Triagem> {
  const stops = new Stops();
  return stops.during(async () => {
    const { webRoot = WEB_ROOT } = overrides;
    const { eventId, venue = DEFAULT_VENUE } = config;
    const shownVenue = config.venue && showVenue(config.venue);
    const pages = loadPages(webRoot, boardPages(config), shownVenue);
    const places = placesOf(config);
    await assertCanListen(places.all);

    const stores = await openStores(config, { stops, log, overrides });
    const { database, recordDatabase, secrets } = stores;
    const key = config.dashboardKey ?? secrets?.dashboardKey;
    const sessionSecret = config.sessionSecret ?? secrets?.sessionSecret;
    if (!key || !sessionSecret) throw new Error('unreachable: readConfig asks for these');

    // What a desk states of times, a wall states by the same clock.
    const readClock = createVenueClock(config.timeZone, overrides.flowClock);
    const codes = [...knownCodes(venue)];
    const fanOut = new InProcessFanOut({ ...shownBy(venue), readClock, limits: overrides.fanOut });
    const projection = new EventProjection({
      eventId,
      knownCodes: codes,
      observer: {
        slice: (slice) => slice.eventId === eventId && fanOut.publish(slice),
        freshness: (freshness) => fanOut.publishFreshness(freshness),
      },
      log,
    });
    const { source, documentsRead } = await openSource(stores.source, {
      eventId,
      knownCodes: codes,
      wantsMetadata: config.deskKey !== undefined,
      ownServer: database,
      log,
      limits: overrides.limits,
    });
    const watch = new EmptyEventWatch(eventId, projection, log);
    const laterSeen = new LaterSeen(() => projection.position, log);
    const pageHasSeen = (timeline: string): void => laterSeen.note(timeline);
    const desk =
      config.deskKey === undefined
        ? undefined
        : await openDesk({
            config,
            key: config.deskKey,
            webRoot,
            stores,
            source,
            projection,
            fanOut,
            sessionSecret,
            overrides,
            log,
          });
    if (desk) stops.add(() => desk.stop());
    stops.add(
      () => watch.stop(),
      () => source.stop(),
    );
    // Started first: the database counts while the rest is made ready.
    const observing = source.run(desk ? new SourceTee(projection, desk.listener) : projection);
    observing.catch(() => {});

    const app = await buildApp({
      events: onlyEvent({
        eventId,
        account: { email: config.dashboardEmail, key },
        pages,
        venue: shownVenue,
        fanOut,
        readClock,
        ...desk?.served,
      }),
      sessionSecret,
      sessionLifetimeMs: overrides.sessionLifetimeMs,
      trustProxy: config.trustProxy,
      viewerLimits: config,
      httpLimits: overrides.httpLimits,
      addOtherRoutes: desk && ((server) => desk.addRoutes(server, pageHasSeen)),
      pageHasSeen,
      webRoot,
      notReadyReason: () => notReadyReason(source),
      warning: () =>
        [
          database?.warning,
          recordDatabase?.warning,
          source.warning,
          watch.warning,
          laterSeen.warning,
          desk?.warning(),
        ]
          .filter(Boolean)
          .join('. ') || undefined,
      details: () => (config.demo ? { simulated: true } : {}),
      log,
    });
    stops.add(
      () => app.close(),
      () => fanOut.close(),
    );
    const embedded = database ?? recordDatabase;
    const metricsUrl = await serveMetrics(
      places,
      {
        freshness: () => projection.freshness,
        viewers: fanOut,
        counts: () => projection.state(eventId).counts,
        snapshots: () => projection.snapshotCount,
        documentsRead,
        freeDiskBytes: embedded && (() => embedded.freeDiskBytes),
        others: desk && [desk.addMetrics],
      },
      stops,
    );
    const isStarting = (): boolean => source.state.kind === 'starting';
    return {
      url: await listen(app, places),
      metricsUrl,
      database,
      observing,
      isStarting,
      stop: () => stops.stop(),
    };
  });
}
