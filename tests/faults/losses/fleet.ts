import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { launchBrowser } from '../../../testing/browser/browser.ts';
import { openDeskPage } from '../../../testing/browser/desk-page.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { readyz, untilFollowing } from '../../../testing/fleet/fleet.ts';
import { readMetrics } from '../../../testing/server/metrics.ts';
import { openNatsClient } from '../../../testing/fleet/nats-client.ts';
import type { NatsServer } from '../../../testing/fleet/nats-server.ts';
import { prepareNginxOfEdges } from '../../../testing/server/nginx.ts';
import { DESK_TOTAL, recordDisplays } from '../../../testing/browser/page-displays.ts';
import { isRecording } from '../../../testing/desk/recorded-flow.ts';
import { type FleetMember, startRecordingFleet } from '../../../testing/fleet/recording-fleet.ts';
import { type HerdOptions, openScreenHerd } from '../../../testing/browser/screen-herd.ts';
import { urlOf } from '../../../testing/database/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { openLivePage, type TestPage } from '../../../testing/browser/test-page.ts';
import { until } from '../../../testing/until.ts';
import { startOperators } from '../../flow/operators.ts';
import { startPairInMatch } from './promotions.ts';
import { type Inflict, MATCH_ENV, type Topology, type WatchedPage } from './topology.ts';
import { isLiveSince, openWatchedScreen, positionNow, type WatchedScreen } from './watched-screen.ts';

const SCREENS = 8;
const DESKS = 6;
const LIVE_WITHIN_MS = 3_000;
/** The pause before systemd restarts a service, by default. */
const RESTART_MS = 100;
const LARGE = 'x'.repeat(512 * 1_024);

/**
 * Two counters, three NATS servers, and two edges behind deploy/nginx-edges.conf. `herdSize`: of the screens beside those
 * that are watched one by one, for a machine that does nothing else.
 */
export async function openFleet(herdSize?: HerdOptions): Promise<Topology<'a fleet'>> {
  const match = await startPairInMatch();
  const hosts = [match.pair.primary, match.pair.standby];
  const fleet = await startRecordingFleet({
    observerUrl: urlOf('observerUrl', ...hosts),
    recordUrl: urlOf('recordUrl', ...hosts),
    clock: match.clock,
    counterEnv: MATCH_ENV,
    edgeEnv: {
      TRUST_PROXY: '127.0.0.1',
      MAX_VIEWERS_PER_ADDRESS: String(4 * ((herdSize?.screens ?? 0) + 25)),
    },
  });
  const { counters, edges, nats } = fleet;
  const nginx = await prepareNginxOfEdges([portOf(edges[0]), portOf(edges[1])]);
  await nginx.start();
  const browser = await launchBrowser({ args: [nginx.certificate.chromiumOption] });
  const wall = await openLivePage(browser, nginx.url);
  const pages = [await watchPage(wall)];
  if (IS_FULL) {
    const desk = await openDeskPage(browser, nginx.url.replace(/\/$/, ''));
    pages.push(await watchPage(desk, { isDesk: true }));
  }
  const herd = herdSize && (await openScreenHerd(nginx.plainUrl, herdSize));
  const allScreens: WatchedScreen[] = [];
  let screens: readonly WatchedScreen[] = [];
  const open = (url: string, certificate?: string): WatchedScreen => {
    const screen = openWatchedScreen(url, certificate);
    allScreens.push(screen);
    return screen;
  };
  /** Opens all screens anew, until both edges have some: those that were open stay where they are when an edge is back. */
  const spread = async (): Promise<void> => {
    await herd?.reopen();
    await until(() => herd?.expectLive());
    for (;;) {
      for (const screen of screens) screen.close();
      screens = Array.from({ length: SCREENS }, () => open(nginx.url, nginx.certificate.pem));
      await until(() => expect(screens.filter(({ live }) => !live)).toEqual([]));
      const viewers = await Promise.all(edges.map(({ metricsUrl }) => readMetrics(metricsUrl)));
      // The page of the wall is one of them.
      if (viewers.every(({ triagem_viewers: count = 0 }) => count > 1)) return;
    }
  };
  await spread();
  const urls = edges.map(({ process }) => process.url);
  const operators = await startOperators(Array.from({ length: DESKS }, (_, n) => urls[n % 2] ?? ''));

  const untilFound = async (isRecorder: boolean): Promise<FleetMember> => {
    const found = (): FleetMember[] => counters.filter(({ process }) => isRecording(process) === isRecorder);
    await until(() => expect(found()).toHaveLength(1));
    return found()[0] as FleetMember;
  };
  const killCounter =
    (isRecorder: boolean): Inflict =>
    async ({ begins }) => {
      const counter = await untilFound(isRecorder);
      await pause(Math.random() * 1_000);
      begins();
      await counter.process.end('SIGKILL');
      return () => counter.start();
    };
  const stopCounter =
    (isRecorder: boolean): Inflict =>
    async ({ begins }) => {
      const { process, name } = await untilFound(isRecorder);
      const others = counters.filter((counter) => counter.name !== name).map((counter) => counter.name);
      begins();
      process.child.kill('SIGSTOP');
      return async () => {
        for (const edge of edges) await untilFollowing(edge.process, ...others);
        process.child.kill('SIGCONT');
      };
    };
  let lost = 0;
  /** Each time another one. */
  const next = <T>(all: readonly T[]): T => all[(lost += 1) % all.length] as T;
  const lossOfNats =
    (
      find: () => Promise<NatsServer> | NatsServer,
      lose: (server: NatsServer) => unknown,
      restore: (server: NatsServer) => unknown,
    ): Inflict =>
    async ({ begins }) => {
      const server = await find();
      begins();
      await lose(server);
      return async () => restore(server);
    };
  /** `meanwhile`: what happens to it while it stands still. */
  const stopEdge =
    (meanwhile: (edge: FleetMember) => Promise<unknown>): Inflict =>
    async ({ begins }) => {
      const edge = next(edges);
      await spread();
      const own = open(edge.process.url);
      await until(() => expect(own.live).toBe(true));
      begins();
      edge.process.child.kill('SIGSTOP');
      return async () => {
        await meanwhile(edge).finally(() => edge.process.child.kill('SIGCONT'));
        const stopwatch = startStopwatch({ pids: () => fleet.pids(), observersIn: match.database });
        const position = await positionNow(match.database.admin);
        await until(() => expect(isLiveSince(own, position)).toBe(true));
        expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
        own.close();
      };
    };
  /** Until NATS has given an edge up, to which more is sent than it keeps for one that does not read. */
  const untilDropped = async (edge: FleetMember): Promise<void> => {
    const name = `triagem edge ${edge.name}`;
    const server = await serverOf(nats.servers, name);
    const filler = await openNatsClient({ servers: server.url });
    await until(async () => {
      filler.publish(`triagem.main.state.c9.${DEFAULT_EVENT_ID}.documents`, LARGE);
      expect(await server.clientNames()).not.toContain(name);
    });
    expect(server.log).toMatch(/Slow Consumer/);
  };

  return {
    ...match,
    get database() {
      return match.database;
    },
    get screens() {
      return screens;
    },
    allScreens,
    pages,
    herd,
    operators,
    pids: () => [...fleet.pids(), ...nginx.pids()],
    async untilReady() {
      await fleet.untilWhole();
      return counters.map(({ metricsUrl }) => metricsUrl);
    },
    stop: () => Promise.all(counters.map(({ process }) => process.stop())),
    losses: {
      'the counter that records is killed': killCounter(true),
      'the other counter is killed': killCounter(false),
      'the counter that records stands still': stopCounter(true),
      'the other counter stands still': stopCounter(false),
      'a NATS server is killed': lossOfNats(
        // The first one is one that is sure to be noticed.
        async () => {
          const ofEdges = await serverOf(nats.servers, 'triagem edge');
          const each = next(nats.servers);
          return lost === 1 ? ofEdges : each;
        },
        (server) => server.kill(),
        (server) => server.start(),
      ),
      'a NATS server is stopped': lossOfNats(
        () => serverOf(nats.servers, 'triagem edge'),
        (server) => server.stop(),
        (server) => server.start(),
      ),
      'a NATS server stands still': lossOfNats(
        () => serverOf(nats.servers, 'triagem edge'),
        (server) => server.pause(),
        (server) => server.resume(),
      ),
      async 'an edge is killed'({ begins }) {
        const edge = next(edges);
        await spread();
        begins();
        await edge.process.end('SIGKILL');
        return () => edge.start();
      },
      'an edge stands still': stopEdge(() => pause(1_000)),
      'an edge stands still until NATS drops it': stopEdge(untilDropped),
      async 'nginx is killed and started again'({ begins }) {
        await spread();
        begins();
        await nginx.kill();
        await pause(RESTART_MS);
        await nginx.start();
      },
      'the walsenders are terminated': () => match.database.terminate('walsender'),
      async 'no counter is left'({ begins, counts, untilStale }) {
        begins();
        const stopwatch = startStopwatch({ pids: () => fleet.pids() });
        for (const { process } of counters) process.child.kill('SIGSTOP');
        try {
          await untilStale();
          expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
          for (const { board } of screens)
            expect(board.connection.source).toMatchObject({ live: false, reason: 'connecting' });
          // After 2 s without a counter, an edge looks behind the other servers, and keeps its connection.
          for (const { process } of edges) {
            const connections = (): number =>
              process.logged.filter(({ msg }) => msg === 'connected to NATS').length;
            const before = connections();
            const none = 'behind 127\\.0\\.0\\.1:\\d+ no counter answers';
            await until(async () =>
              expect(await readyz(process)).toMatchObject({
                code: 503,
                waitingFor: expect.stringMatching(`No counter is live: ${none}; ${none}; ${none}`) as string,
              }),
            );
            expect(connections()).toBe(before);
          }
        } finally {
          for (const { process } of counters) await process.end('SIGKILL');
        }
        await Promise.all(counters.map((counter) => counter.start()));
        counts();
      },
      'the standby is promoted': match.promoteUnderCommits,
      'a standby behind is promoted': match.promoteBehind(() => operators),
    },
  };
}

async function watchPage(opened: TestPage, { isDesk = false } = {}): Promise<WatchedPage> {
  const displayed = await recordDisplays(opened.page, isDesk ? DESK_TOTAL : undefined);
  return { isDesk, status: () => opened.status(), displayed };
}

function portOf({ process: { url } }: FleetMember): number {
  return Number(new URL(url).port);
}

/** The one to which most of the clients with such a name are connected. */
export async function serverOf(servers: readonly NatsServer[], name: string): Promise<NatsServer> {
  const counted = await Promise.all(
    servers.map(async (server) => {
      const names = await server.clientNames();
      return { server, clients: names.filter((client) => client?.startsWith(name)).length };
    }),
  );
  const [first] = counted.toSorted((one, other) => other.clients - one.clients);
  if (!first?.clients) throw new Error(`no ${name} is connected to NATS`);
  return first.server;
}
