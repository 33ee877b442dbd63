import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { shortTimelineOf } from '../../../domain/log-position.ts';
import type { TestCluster } from '../../../testing/database/cluster.ts';
import { urlOf } from '../../../testing/database/standby.ts';
import { duration } from '../../../testing/durations.ts';
import { DESK_KEY } from '../../../testing/desk/desk-app.ts';
import { isRecording } from '../../../testing/desk/recorded-flow.ts';
import { type Heal, openHosts } from '../../../testing/fleet/hosts.ts';
import { startRecordingFleet } from '../../../testing/fleet/recording-fleet.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { until } from '../../../testing/until.ts';
import { startOperators } from '../../flow/operators.ts';
import { serverOf } from './fleet.ts';
import { startGates } from './gates.ts';
import { startPairInMatch } from './promotions.ts';
import { type Inflict, MATCH_ENV, type Topology, type Watch } from './topology.ts';
import { openWatchedDesk } from './watched-desk.ts';
import { isLiveSince, openWatchedScreen, positionNow, type WatchedScreen } from './watched-screen.ts';

const NATS = ['nats-1', 'nats-2', 'nats-3'] as const;
const COUNTERS = ['counter-1', 'counter-2'] as const;
const EDGES = ['edge-1', 'edge-2'] as const;
const DATABASES = ['db-1', 'db-2'] as const;
const NAMES = [...DATABASES, ...NATS, ...COUNTERS, ...EDGES] as const;
type Name = (typeof NAMES)[number];

/** At each edge, and at the address that moves. */
const [SCREENS, MOVING_SCREENS, DESKS] = [16, 8, 4];
/** How long what is lost stays so once all screens are live. */
const HELD_MS = duration(6_000, 1_000);
/** After a promotion, on the screens of its side. */
const PROMOTED_WITHIN_MS = 3_000;
const BESIDE_ANYTHING_WITHIN_MS = 6_000;
/** Where one packet in ten is lost on the way there and back, TCP itself stands still for seconds. */
const PROMOTED_OVER_SLOW_LINKS_WITHIN_MS = 9_000;
const WRITTEN_PER_SECOND = 20;

/** Something that happens to links, clocks or servers, until it is healed. */
type Fault = () => Promise<Heal>;

/**
 * Each process on a host of its own: a primary and its standby, three NATS servers, two counters, two edges. The screens,
 * the desks, the gates and the oracle are this process, which reaches every host all the while.
 */
export async function openHostsInMatch(): Promise<Topology<'hosts that part'>> {
  // The first one has the address that moves.
  const hosts = await openHosts<Name>([...EDGES, ...DATABASES, ...NATS, ...COUNTERS]);
  const { of } = hosts;
  const at = (names: readonly Name[]) => names.map((name) => of[name]);
  const match = await startPairInMatch([of['db-1'], of['db-2']]);
  const fleet = await startRecordingFleet({
    observerUrl: urlOf('observerUrl', match.pair.primary, match.pair.standby),
    recordUrl: urlOf('recordUrl', match.pair.primary, match.pair.standby),
    clock: match.clock,
    counterEnv: MATCH_ENV,
    edgeEnv: { MAX_VIEWERS_PER_ADDRESS: '200' },
    hosts: { nats: at(NATS), counters: at(COUNTERS), edges: at(EDGES) },
  });
  const { nats, counters, edges } = fleet;
  const urls = edges.map(({ process }) => process.url);
  const open = (url: string, count: number): WatchedScreen[] =>
    Array.from({ length: count }, () => openWatchedScreen(url));
  const atEdges = urls.map((url) => open(url, SCREENS));
  const moving = open(`http://${hosts.movingAddress}:3000`, MOVING_SCREENS);
  let movingAt = 0;
  const screens = [...atEdges.flat(), ...moving];
  /** The screens that this edge serves. */
  const screensOf = (edge: number): WatchedScreen[] => [
    ...(atEdges[edge] ?? []),
    ...(movingAt === edge ? moving : []),
  ];
  await until(() => expect(screens.filter(({ live }) => !live)).toEqual([]), 60_000);
  const operators = await startOperators(Array.from({ length: DESKS }, (_, n) => urls[n % 2] ?? ''));
  const desks = await Promise.all(urls.map((url) => openWatchedDesk(url, DESK_KEY)));
  await until(
    () => expect(desks.map(({ displayed }) => displayed.at(-1)?.live)).toEqual([true, true]),
    60_000,
  );

  const nameOf = (cluster: TestCluster): Name =>
    DATABASES.find((name) => cluster.host.startsWith(`${of[name].address}:`)) ?? 'db-1';
  const others = (these: readonly Name[]): Name[] => NAMES.filter((name) => !these.includes(name));
  const oneOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;
  const recorder = async (): Promise<Name> => {
    const found = (): number => counters.findIndex(({ process }) => isRecording(process));
    await until(() => expect(found()).toBeGreaterThanOrEqual(0));
    return COUNTERS[found()] ?? COUNTERS[0];
  };
  /** The server to which most edges are connected. */
  const natsOfEdges = async (): Promise<Name> =>
    NATS[nats.servers.indexOf(await serverOf(nats.servers, 'triagem edge'))] ?? NATS[0];

  const counterFromDatabase: Fault = async () =>
    hosts.part([oneOf([await recorder(), ...COUNTERS])], DATABASES);
  const counterFromNats: Fault = async () => hosts.part([oneOf([await recorder(), ...COUNTERS])], NATS);
  const natsIsolated: Fault = async () => hosts.isolate([await natsOfEdges()]);
  const oneWay: Fault = async () => {
    const server = await natsOfEdges();
    const ways = [
      () => hosts.loseOneWay([server], EDGES),
      () => hosts.loseOneWay(EDGES, [server]),
      () => hosts.loseOneWay([server], COUNTERS),
      () => hosts.loseOneWay([oneOf(COUNTERS)], NATS),
      () => hosts.loseOneWay(DATABASES, [oneOf(COUNTERS)]),
    ];
    return oneOf(ways)();
  };
  const slow: Fault = () => hosts.slowDown([...COUNTERS, ...EDGES]);
  const narrow: Fault = () => hosts.limit([...COUNTERS, ...EDGES], '256kbit');
  const clocks =
    (aheadS: number): Fault =>
    async () => {
      const set = (s: number): void =>
        [...COUNTERS, ...EDGES].forEach((name, n) => of[name].setClock(n % 2 === 0 ? s : -s));
      set(Math.random() < 0.5 ? aheadS : -aheadS);
      return async () => set(0);
    };
  const restartNats: Inflict = async ({ begins }) => {
    await pause(Math.random() * 1_000);
    begins();
    const restarting = (async () => {
      for (const server of nats.servers) {
        await server.retire();
        await server.start();
      }
    })();
    return () => restarting;
  };

  /** Both counters come to one server, which then only they reach. */
  const natsOfCountersAlone: Inflict = async ({ begins, counts }) => {
    await pause(Math.random() * 1_000);
    begins();
    const kept = await serverOf(nats.servers, 'triagem counter');
    const left = nats.servers.filter((server) => server !== kept);
    for (const server of left) await server.kill();
    await until(async () => {
      const names = await kept.clientNames();
      expect(names.filter((name) => name?.startsWith('triagem counter'))).toHaveLength(COUNTERS.length);
    });
    for (const server of left) await server.start();
    const own = NATS[nats.servers.indexOf(kept)] ?? NATS[0];
    await inflict(() => hosts.part([own], [...NATS.filter((name) => name !== own), ...EDGES]));
    counts();
    return async () => {
      await pause(HELD_MS * (0.5 + Math.random()));
      await heal();
    };
  };

  const heals: Heal[] = [];
  const inflict = async (...faults: readonly Fault[]): Promise<void> => {
    for (const fault of faults) heals.push(await fault());
  };
  const heal = async (): Promise<void> => {
    for (let next = heals.pop(); next; next = heals.pop()) await next();
  };
  /** It lasts on once all screens are live. */
  const held =
    (...faults: readonly Fault[]): Inflict =>
    async ({ begins }) => {
      await pause(Math.random() * 1_000);
      begins();
      await inflict(...faults);
      return async () => {
        await pause(HELD_MS * (0.5 + Math.random()));
        await heal();
      };
    };
  const edgeFromNats =
    (...beside: readonly Fault[]): Inflict =>
    async (watch) => {
      const edge = oneOf([0, 1] as const);
      const affected = screensOf(edge);
      await pause(Math.random() * 1_000);
      watch.begins(affected);
      await inflict(() => hosts.part([EDGES[edge]], NATS), ...beside);
      await until(() => expect(affected.filter(({ live }) => live)).toEqual([]), 15_000);
      await pause(HELD_MS * Math.random());
      await heal();
      watch.counts();
    };
  const moveOn: Fault = async () => {
    movingAt = 1 - movingAt;
    await hosts.moveAddress(EDGES[movingAt] ?? EDGES[0]);
    return async () => {};
  };
  const moveAddress =
    (...beside: readonly Fault[]): Inflict =>
    async (watch) => {
      await pause(Math.random() * 1_000);
      watch.begins(moving);
      await inflict(...beside, moveOn);
      return heal;
    };
  /** Promotes the standby, with the screens that see it; the former primary goes on, and somebody writes to it. */
  const promoteBeside = async (
    { counts, abandons }: Watch,
    seeing: readonly WatchedScreen[],
    withinMs = PROMOTED_WITHIN_MS,
  ): Promise<(knownAtMs: number) => Promise<void>> => {
    const former = match.pair.primary;
    const timeline = shortTimelineOf(await positionNow(former.database.admin));
    const stopwatch = startStopwatch({ pids: () => fleet.pids(), observersIn: match.pair.standby.database });
    await match.promoteStandby();
    counts();
    const writer = startGates(() => former.database, WRITTEN_PER_SECOND);
    const position = await positionNow(match.database.admin);
    await until(() => expect(seeing.filter((screen) => !isLiveSince(screen, position))).toEqual([]), 60_000);
    expect(await stopwatch.elapsedMs()).toBeLessThan(withinMs);
    return async (knownAtMs) => {
      await pause(HELD_MS);
      await writer.stop();
      await abandons(former.database, timeline, knownAtMs);
      await former.signalAll('SIGKILL');
      await match.changePlaces();
    };
  };
  const partedPrimary =
    (beside: readonly Fault[] = [], withinMs?: number): Inflict =>
    async (watch) => {
      await pause(Math.random() * 1_000);
      watch.begins();
      await inflict(() => hosts.isolate([nameOf(match.pair.primary)]), ...beside);
      await watch.untilStale();
      const promotedAtMs = performance.now();
      const rejoin = await promoteBeside(watch, screens, withinMs);
      await pause(HELD_MS * Math.random());
      await heal();
      watch.counts();
      return () => rejoin(promotedAtMs);
    };
  const halves =
    (...beside: readonly Fault[]): Inflict =>
    async (watch) => {
      const side = oneOf([0, 1] as const);
      const left = [nameOf(match.pair.primary), oneOf(NATS), COUNTERS[side], EDGES[side]] as const;
      await pause(Math.random() * 1_000);
      watch.begins();
      await inflict(() => hosts.part(left, others(left)), ...beside);
      const right = screensOf(1 - side);
      await until(() => expect(right.filter(({ live }) => live)).toEqual([]), 15_000);
      const rejoin = await promoteBeside(watch, right);
      await pause(HELD_MS * Math.random());
      await heal();
      watch.counts();
      const healedAtMs = performance.now();
      return () => rejoin(healedAtMs);
    };
  const anyOf = (...faults: readonly Fault[]): Fault[] => faults.filter(() => Math.random() < 0.4);
  /** Losses that nobody chose, each at a moment of its own; there may be no way to live numbers until all are healed. */
  const several: Inflict = async (watch) => {
    watch.begins();
    const links = [counterFromDatabase, counterFromNats, natsIsolated, oneWay, slow, narrow];
    const begun = anyOf(...links, clocks(90), moveOn).map(async (fault) => {
      await pause(Math.random() * HELD_MS);
      await inflict(fault);
    });
    await Promise.all(begun);
    await pause(HELD_MS * Math.random());
    await heal();
    watch.counts();
  };
  const anything: Inflict = (watch) => {
    const beside = anyOf(clocks(3_600), natsIsolated);
    return oneOf([several, several, halves(...beside), partedPrimary(beside, BESIDE_ANYTHING_WITHIN_MS)])(
      watch,
    );
  };

  return {
    ...match,
    get database() {
      return match.database;
    },
    screens,
    allScreens: screens,
    desks,
    pages: [],
    heal,
    operators,
    pids: () => fleet.pids(),
    async untilReady() {
      await fleet.untilWhole();
      return counters.map(({ metricsUrl }) => metricsUrl);
    },
    stop: () => Promise.all(counters.map(({ process }) => process.stop())),
    losses: {
      'a counter is cut off from the databases': held(counterFromDatabase),
      'a counter is cut off from NATS': held(counterFromNats),
      'an edge is cut off from NATS': edgeFromNats(),
      'a NATS server is isolated': held(natsIsolated),
      'a NATS server is left to the counters': natsOfCountersAlone,
      'one way between two hosts is lost': held(oneWay),
      'an address moves to the other edge': moveAddress(),
      'clocks differ by 90 s each way': held(clocks(90)),
      'clocks differ by an hour each way': held(clocks(3_600)),
      'links carry 256 kbit/s': held(narrow),
      'links are slow and lossy': held(slow),
      'NATS servers are stopped one after another': restartNats,
      'the primary is parted, and healed while it is written to': partedPrimary(),
      'halves part, and both are written to': halves(),
      'a NATS server is isolated, and a counter from the databases': held(natsIsolated, counterFromDatabase),
      'clocks differ by an hour, and a NATS server is isolated': held(clocks(3_600), natsIsolated),
      'links carry 256 kbit/s, and one way is lost': held(narrow, oneWay),
      'clocks differ by 90 s, and one way is lost': held(clocks(90), oneWay),
      'an edge is cut off from NATS, and a counter from the databases': edgeFromNats(counterFromDatabase),
      'an address moves, and a counter is cut off from NATS': moveAddress(counterFromNats),
      'the primary is parted while clocks differ by an hour': partedPrimary([clocks(3_600)]),
      'halves part while clocks differ by 90 s': halves(clocks(90)),
      'the primary is parted while links are slow and lossy': partedPrimary(
        [slow],
        PROMOTED_OVER_SLOW_LINKS_WITHIN_MS,
      ),
      'a NATS server is isolated while links are slow and lossy': held(slow, natsIsolated),
      'anything, at random': anything,
    },
  };
}
