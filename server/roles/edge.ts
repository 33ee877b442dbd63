import type { Logger } from 'pino';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { InProcessFanOut } from '../fan-out/in-process.ts';
import { buildApp } from '../http/app.ts';
import { showVenue } from '../http/shown-venue.ts';
import { assertCanListen } from '../listening.ts';
import { EdgeSubscriber } from '../relay/edge-subscriber.ts';
import { NatsLink } from '../relay/nats-link.ts';
import { Subjects } from '../relay/subjects.ts';
import { createVenueClock } from '../venue-clock.ts';
import { warningsOf } from './nats-settings.ts';
import type { EdgeConfig } from './role-config.ts';
import { listen, loadBoardPages, placesOf, serveMetrics, WEB_ROOT } from './serving.ts';
import { Stops } from './stops.ts';
import type { Overrides, Triagem } from './triagem.ts';

/** `ROLE=edge`: hears what counters say, and serves the screens. It knows NATS, and nothing of the database. */
export async function startEdge(
  config: EdgeConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<Triagem> {
  const stops = new Stops();
  return stops.during(async () => {
    const { webRoot = WEB_ROOT } = overrides;
    const { eventId, venue = DEFAULT_VENUE } = config;
    const shownVenue = config.venue && showVenue(config.venue);
    const pages = loadBoardPages(webRoot, config, shownVenue);
    const places = placesOf(config);
    await assertCanListen(places.all);
    for (const warning of warningsOf(config.nats)) log.warn(warning);

    const readClock = createVenueClock(config.timeZone);
    const fanOut = new InProcessFanOut({ rows: venue.sectors, readClock, limits: overrides.fanOut });
    const link = new NatsLink({
      target: config.nats,
      name: `triagem edge ${config.nodeName}`,
      log,
      onConnected: () => relay.connected(),
    });
    const relay = new EdgeSubscriber({
      edge: config.nodeName,
      subjects: new Subjects(config.deployment),
      link,
      log,
    });
    const event = relay.follow(eventId, {
      part: (part) => fanOut.publish(part),
      freshness: (freshness) => fanOut.publishFreshness(freshness),
    });
    stops.add(
      () => link.stop(),
      () => relay.stop(),
    );
    link.start();

    const app = await buildApp({
      eventId,
      account: { email: config.dashboardEmail, key: config.dashboardKey },
      sessionSecret: config.sessionSecret,
      sessionLifetimeMs: overrides.sessionLifetimeMs,
      trustProxy: config.trustProxy,
      viewerLimits: config,
      httpLimits: overrides.httpLimits,
      pages,
      venue: shownVenue,
      webRoot,
      fanOut,
      readClock,
      counts: () => event.counts,
      notReadyReason: () => relay.notReadyReason(event),
      warning: () => undefined,
      details: () => ({ follows: { ...event.following(performance.now()), counters: relay.answering() } }),
      log,
    });
    stops.add(
      () => app.close(),
      () => fanOut.close(),
    );
    const metricsUrl = await serveMetrics(
      places,
      {
        freshness: () => event.freshness,
        viewers: fanOut,
        counts: () => event.counts,
        edge: { relay, link },
      },
      stops,
    );
    const observing = new Promise<void>(() => {});
    return { url: await listen(app, places), metricsUrl, observing, stop: () => stops.stop() };
  });
}
