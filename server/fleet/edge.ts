import { join } from 'node:path';
import type { Logger } from 'pino';
import { buildApp } from '../../board/http/app.ts';
import { assertCanListen } from '../listening.ts';
import type { addDesk } from '../../desk/http/desk-routes.ts';
import { NatsDeskLines } from '../../fleet/desk/nats-desk-lines.ts';
import { EdgeSubscriber } from '../../fleet/relay/edge-subscriber.ts';
import { NatsLink } from '../../fleet/relay/nats-link.ts';
import { addRelayMetrics } from '../../fleet/relay/relay-metrics.ts';
import { ProvedTimelines } from './proved-timelines.ts';
import { Subjects } from '../../fleet/relay/subjects.ts';
import { serveEvent } from './edge-event.ts';
import { serveEvents } from './edge-events.ts';
import { warningsOf } from './nats-settings.ts';
import type { EdgeConfig } from './fleet-config.ts';
import { listen, placesOf, serveMetrics, WEB_ROOT } from '../roles/serving.ts';
import { Stops } from '../roles/stops.ts';
import type { Overrides, Triagem } from '../roles/triagem.ts';

/** Where an embedded database would be. */
const STATE_DIR = join(WEB_ROOT, '../../.triagem');

/** Less than half the silence after which deploy/nginx-edges.conf takes an edge for hung. */
const MAX_SILENCE_MS = 500;

/** `ROLE=edge`: receives the states that counters publish, and serves the screens. It knows NATS, and no database. */
export async function startEdge(
  config: EdgeConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<Triagem> {
  const stops = new Stops();
  return stops.during(async () => {
    const { webRoot = WEB_ROOT } = overrides;
    const places = placesOf(config);
    await assertCanListen(places.all);
    for (const warning of warningsOf(config.nats)) log.warn(warning);

    const link = new NatsLink({
      target: config.nats,
      name: `triagem edge ${config.nodeName}`,
      log,
      onConnected: () => relay.connected(),
    });
    const subjects = new Subjects(config.deployment);
    const edge = config.nodeName;
    const proved = new ProvedTimelines(
      join(config.stateDir ?? STATE_DIR, `timelines-${config.deployment}.json`),
      log,
    );
    const relay = new EdgeSubscriber({
      edge,
      subjects,
      link,
      servers: config.nats.servers,
      openLink: (server) =>
        new NatsLink({
          target: { ...config.nats, servers: [server] },
          name: `triagem edge ${edge} (looking)`,
          // The search logs its findings itself.
          log: log.child({}, { level: 'silent' }),
        }),
      proved,
      log,
    });
    const desks =
      config.deskKey === undefined
        ? undefined
        : new NatsDeskLines({
            edge,
            subjects,
            link,
            counters: () => relay.answering(),
            allowanceMs: () => relay.allowanceMs,
          });
    stops.add(
      () => link.stop(),
      () => relay.stop(),
    );
    const { eventsFile: path } = config;
    const events =
      path === undefined
        ? serveEvent({ config, webRoot, relay, desks, overrides })
        : serveEvents({ config, path, webRoot, relay, desks, log, overrides });
    stops.add(() => events.close());
    link.start();

    const pageHasSeen = (timeline: string): void => relay.pageHasSeen(timeline);
    const app = await buildApp({
      events: events.byHost,
      sessionSecret: config.sessionSecret,
      sessionLifetimeMs: overrides.sessionLifetimeMs,
      trustProxy: config.trustProxy,
      viewerLimits: config,
      httpLimits: overrides.httpLimits,
      maxSilenceMs: MAX_SILENCE_MS,
      webRoot,
      notReadyReason: events.notReadyReason,
      warning: () => [events.warning(), proved.warning].filter(Boolean).join('. ') || undefined,
      details: events.details,
      pageHasSeen,
      addOtherRoutes: desks && (async (server) => addDeskRoutes(server, config.sessionSecret, pageHasSeen)),
      log,
    });
    // Streams end before the server that they belong to.
    stops.add(
      () => app.close(),
      () => events.close(),
    );
    const metricsUrl = await serveMetrics(
      places,
      { ...events, others: [(adders) => addRelayMetrics(adders, { edge: { relay, link } })] },
      stops,
    );
    const observing = new Promise<void>(() => {});
    return { url: await listen(app, places), metricsUrl, observing, stop: () => stops.stop() };
  });
}

/** Loads the code of desks only where there are some. */
async function addDeskRoutes(...args: Parameters<typeof addDesk>): Promise<void> {
  await (await import('../../desk/http/desk-routes.ts')).addDesk(...args);
}
