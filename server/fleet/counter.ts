import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { isEventId } from '../../domain/event.ts';
import { DEFAULT_VENUE, knownCodes } from '../../domain/venue.ts';
import { EventProjection } from '../../board/counting/event-projection.ts';
import { buildHealthApp } from '../../board/http/health-app.ts';
import { assertCanListen } from '../listening.ts';
import { takeOwnFolder } from '../../database/embedded/own-folder.ts';
import { databaseOf, openSource } from '../../board/sources/open-source.ts';
import { isInPostgres, type SourceSettings } from '../../board/sources/source-settings.ts';
import { SourceTee } from '../../board/sources/source-tee.ts';
import { CounterAnswers } from '../../fleet/relay/counter-answers.ts';
import { CounterPublisher } from '../../fleet/relay/counter-publisher.ts';
import { LOOK_EVERY_MS } from '../../fleet/relay/edge-contact.ts';
import { EdgeSearch } from '../../fleet/relay/edge-search.ts';
import { NatsLink } from '../../fleet/relay/nats-link.ts';
import { addRelayMetrics } from '../../fleet/relay/relay-metrics.ts';
import { Subjects } from '../../fleet/relay/subjects.ts';
import { addRecordMetrics } from '../../desk/flow/record-metrics.ts';
import { productVersion } from '../product-version.ts';
import { warningsOf } from './nats-settings.ts';
import type { CounterConfig } from './fleet-config.ts';
import { sectorsOfFlow } from '../desk/sectors-of-flow.ts';
import { listen, notReadyReason, placesOf, serveMetrics, WEB_ROOT } from '../roles/serving.ts';
import { Stops } from '../roles/stops.ts';
import type { Overrides, Triagem } from '../roles/triagem.ts';

/** `ROLE=counter`: observes the tickets, counts their events, and publishes for the edges. Over HTTP it serves its health alone. */
export async function startCounter(
  config: CounterConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<Triagem> {
  const stops = new Stops();
  return stops.during(async () => {
    const places = placesOf(config);
    await assertCanListen(places.all);
    for (const warning of warningsOf(config.nats)) log.warn(warning);

    const { eventId } = config;
    const codes = [...knownCodes(config.venue ?? DEFAULT_VENUE)];
    const settings = await takeFolderOf(config.source, stops);
    const { source, documentsRead } = await openSource(settings, {
      eventId,
      knownCodes: codes,
      wantsMetadata: true,
      log,
      limits: overrides.limits,
    });
    const from = { counter: config.nodeName, run: randomBytes(6).toString('hex') };
    const subjects = new Subjects(config.deployment);
    const link = new NatsLink({ target: config.nats, name: `triagem counter ${config.nodeName}`, log });
    const publisher = new CounterPublisher({
      from,
      subjects,
      link,
      server: () => source.server,
      position: () => projection.position,
      counts: (asked) => (eventId === undefined ? isEventId(asked) : asked === eventId),
      log,
    });
    const projection = new EventProjection({
      eventId,
      knownCodes: codes,
      // Edges ask for the freshness.
      observer: { slice: (slice) => publisher.slice(slice), freshness: () => {} },
      log,
    });
    const answers = new CounterAnswers({
      from,
      subjects,
      link,
      position: () => projection.position,
      verifiedAtMs: () => source.verifiedAtMs,
      freshness: () => projection.freshness,
      server: () => source.server,
      onStateAsked: (asked) => publisher.republish(asked),
      log,
    });
    const elsewhere = (): string[] =>
      projection.freshness.live
        ? answers.fellows.elsewhere(projection.position, source.server, performance.now())
        : [];
    // Imported on demand: a counter without a flow does not load its code.
    const flow =
      config.flow &&
      (await import('../../desk/flow/open-flow.ts')).openFlow({
        ...config.flow,
        sectors: sectorsOfFlow(config.venue),
        source: config.flow.demo ? 'simulated' : 'live',
        version: productVersion(WEB_ROOT),
        record: { url: config.flow.recordUrl, place: { setting: 'RECORD_DATABASE_URL' } },
        kickOffsOf: (eventIds) => source.kickOffsOf(eventIds),
        readingsFrom: databaseOf(config.source),
        clock: overrides.flowClock,
        freshness: () => projection.freshness,
        isSplit: () => elsewhere().length > 0,
        onIncomplete: (incomplete, evacuatedAtMs) => {
          const { position } = projection;
          const { eventId: watched } = config.flow ?? {};
          if (!position || !watched) return;
          const kind = 'incomplete';
          publisher.slice({ kind, eventId: watched, position, incomplete, evacuatedAtMs });
        },
        log,
      });
    stops.add(
      () => link.stop(),
      () => publisher.stop(),
    );
    if (flow) {
      const { desk } = flow.flow;
      const { answerDesks } = await import('../../fleet/desk/answer-desks.ts');
      answerDesks({
        counter: from.counter,
        desks: new Map([[desk.eventId, desk]]),
        verifiedAtMs: () => source.verifiedAtMs,
        subjects,
        link,
        log,
      });
      stops.add(() => flow.stop());
    }
    const search = new EdgeSearch({ link, servers: config.nats.servers.length });
    const looking = setInterval(() => {
      const hasContact = answers.hasContact(performance.now());
      // A counter that no edge reaches leaves the record to another one.
      flow?.setReachable(hasContact);
      search.check(hasContact, performance.now());
    }, LOOK_EVERY_MS);
    stops.add(() => clearInterval(looking));
    stops.add(() => source.stop());
    const observing = source.run(flow ? new SourceTee(projection, flow.flow.listener) : projection);
    observing.catch(() => {});
    link.start();
    log.info({ counter: from.counter, deployment: config.deployment }, 'counting for the edges');

    const natsReason = (): string | undefined => {
      if (link.notConnectedReason !== undefined) return `NATS: ${link.notConnectedReason}`;
      // A refused answer is about the edge that asked.
      const refusal = [...link.refusals].find(
        ({ operation, subject }) => operation === 'subscription' || subjects.parseState(subject),
      );
      return (
        refusal &&
        `NATS refuses ${refusal.operation} of ${refusal.subject}: correct NATS_USER and NODE_NAME, or the rights of this user in nats-server.conf`
      );
    };
    let before = '';
    const watching = setInterval(() => {
      const names = elsewhere().join(', ');
      if (names !== before && names !== '') log.warn({ counters: names }, 'two primaries are counted');
      if (names !== before && names === '') log.info('one primary is counted again');
      before = names;
    }, LOOK_EVERY_MS);
    stops.add(() => clearInterval(watching));
    const split = (): string | undefined => {
      const names = elsewhere();
      return names.length === 0
        ? undefined
        : `Two primaries are counted: ${names.join(', ')} another one than this counter. Stop the one that is not to count (docs/scale.md); a fleet that counts another database has a DEPLOYMENT of its own`;
    };
    const app = await buildHealthApp(
      {
        notReadyReason: () => notReadyReason(source) ?? natsReason(),
        warning: () => [source.warning, split(), flow?.warning()].filter(Boolean).join('. ') || undefined,
        details: () => ({ counter: from.counter, position: projection.position, events: publisher.events }),
      },
      log,
    );
    stops.add(() => app.close());
    const metricsUrl = await serveMetrics(
      places,
      {
        freshness: () => projection.freshness,
        snapshots: () => projection.snapshotCount,
        documentsRead,
        others: [
          (adders) => addRelayMetrics(adders, { counter: { publisher, answers, link, elsewhere } }),
          (adders) => flow && addRecordMetrics(adders, flow.metrics),
        ],
      },
      stops,
    );
    const isStarting = (): boolean => source.state.kind === 'starting';
    return { url: await listen(app, places), metricsUrl, observing, isStarting, stop: () => stops.stop() };
  });
}

/** Takes the folder in which a source keeps what it knows, if DATA_DIR names one: two processes must not share it. */
async function takeFolderOf(settings: SourceSettings, stops: Stops): Promise<SourceSettings> {
  if (isInPostgres(settings) || settings.dataDir === undefined) return settings;
  const { place, lock } = await takeOwnFolder({ dataDir: settings.dataDir, hasDatabase: false });
  stops.add(() => lock.release());
  return { ...settings, dataDir: place.folder };
}
