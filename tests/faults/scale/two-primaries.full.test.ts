import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import type { TestCluster } from '../../../testing/database/cluster.ts';
import { DESK_KEY } from '../../../testing/desk/desk-app.ts';
import { type DeskStream, openDesk, openDeskStream } from '../../../testing/desk/desk-client.ts';
import { startCounter, startEdge } from '../../../testing/fleet/fleet.ts';
import { startNats } from '../../../testing/fleet/nats-server.ts';
import { recount } from '../../../testing/database/oracle.ts';
import type { Screen } from '../../../testing/browser/screen.ts';
import {
  promote,
  startPrimary,
  startTestPair,
  type TestPair,
  untilCaughtUp,
  urlOf,
} from '../../../testing/database/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import type { ServerProcess } from '../../../testing/server/server.ts';
import { readiness, startServerProcess } from '../../../testing/server/test-server.ts';
import { startTicketWriter, type TicketWriter } from '../../../testing/database/ticket-writer.ts';
import { until } from '../../../testing/until.ts';
import { openTimelineScreen, type TimelineScreen } from './timeline-screen.ts';

const LEFT_WITHIN_MS = 3_000;
/** Each lets in tickets of its own: those from one of these numbers on. */
const WRITERS_APART = 4_000;
/** An edge whose counter does not write the record asks for another one by then. */
const LOOKS_ELSEWHERE_MS = 4_000;

/** What serves screens of both hosts. */
interface Serving {
  /** Processes that look at both. */
  readonly observers: readonly ServerProcess[];
  /** Where screens are served. */
  readonly servers: readonly ServerProcess[];
  /** What goes on to count the former primary, and says so. */
  readonly elsewhere?: readonly ServerProcess[];
  readonly pids: readonly number[];
  /** Starts it once more, beside the first: as much of it as knows nothing yet of what was before. */
  readonly startBeside: () => Promise<Omit<Serving, 'startBeside' | 'lostReason'>>;
  /** Why it shows nothing live once the former primary is alone. */
  readonly lostReason: RegExp;
}

async function startOneProcess({ primary, standby }: TestPair): Promise<Serving> {
  const start = async (): ReturnType<Serving['startBeside']> => {
    const env = { DESK_KEY, RECORD_DATABASE_URL: urlOf('recordUrl', primary, standby) };
    const server = await startServerProcess(urlOf('observerUrl', primary, standby), { env });
    return { observers: [server], servers: [server], pids: [server.pid] };
  };
  return {
    ...(await start()),
    startBeside: start,
    lostReason: /DATABASE_URL names no host that is the primary: .* is a former primary; .* does not answer/,
  };
}

/** Two edges, two counters, of which one names another host first, and one that names the former primary alone. */
async function startFleet({ primary, standby }: TestPair): Promise<Serving> {
  const nats = await startNats();
  const openCounter = (name: string, ...hosts: readonly TestCluster[]): Promise<ServerProcess> => {
    const env = { NODE_NAME: name, RECORD_DATABASE_URL: urlOf('recordUrl', ...hosts) };
    return startCounter(nats, urlOf('observerUrl', ...hosts), { env });
  };
  const openEdge = (name: string): Promise<ServerProcess> =>
    startEdge(nats, { env: { NODE_NAME: name, DESK_KEY } });
  const observers = [await openCounter('c1', primary, standby), await openCounter('c2', standby, primary)];
  const blind = await openCounter('c3', primary);
  const servers = [await openEdge('e1'), await openEdge('e2')];
  return {
    observers,
    servers,
    elsewhere: [blind],
    pids: [...nats.servers, ...observers, blind, ...servers].map(({ pid }) => pid),
    async startBeside() {
      const counter = await openCounter('c4', primary, standby);
      const edge = await openEdge('e3');
      return { observers: [counter], servers: [edge], pids: [counter.pid, edge.pid] };
    },
    lostReason: /The counters that are live \(c3.*\) count a former primary/,
  };
}

function startWriter({ database }: TestCluster, first: number): TicketWriter {
  return startTicketWriter({ urls: [database.gatesUrl], first, everyMs: 10 });
}

async function openDeskAt(url: string): Promise<DeskStream> {
  const { cookie } = await openDesk(url, { name: 'Ana', key: DESK_KEY });
  return openDeskStream(url, cookie);
}

const timelinesOf = (screens: readonly TimelineScreen[]): (readonly string[])[] =>
  screens.map(({ timelines }) => timelines);

async function untilLive(screens: readonly Screen[]): Promise<void> {
  await until(() => expect(screens.filter(({ live }) => !live)).toEqual([]));
}

async function expectShown(screen: Screen, { database }: TestCluster): Promise<void> {
  await until(async () => {
    expect(screen.live).toBe(true);
    expect(screen.board.shown?.counts).toEqual(await recount(database.admin));
  });
}

/** Waits until tickets from this one on have entered there. */
async function untilWritten({ database }: TestCluster, first: number): Promise<void> {
  await until(async () => {
    const entered = await database.admin`
      select from tickets where entrou and substring(id from 2)::int between ${first} and ${first + WRITERS_APART - 1}`;
    expect(entered.length).toBeGreaterThan(50);
  });
}

/** Waits until a live server says that it knows of this one. */
async function expectWarned(server: { readonly url: string }, { host }: TestCluster): Promise<void> {
  const warning = `Of the hosts of DATABASE_URL, ${host} is a former primary, which is not used: make it a standby, or stop it`;
  await until(async () => {
    const { status, text } = await readiness(server);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ warning: expect.stringContaining(warning) });
  });
}

test(
  'two primaries, both up and both written to: the former one is left within 3 s by one process and by a fleet, and followed by nobody when it comes back',
  { timeout: 400_000 },
  async () => {
    const pair = await startTestPair();
    const { primary, standby } = pair;
    await primary.database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4'
    from generate_series(0, ${3 * WRITERS_APART}) n`;
    await untilCaughtUp(pair);
    const kinds = [await startOneProcess(pair), await startFleet(pair)];
    const observers = kinds.flatMap((kind) => kind.observers);
    const servers = kinds.flatMap((kind) => kind.servers);
    const screens = servers.map(({ url }) => openTimelineScreen(url));
    const both = screens.map(() => ['1', '2']);
    await untilLive(screens);
    const desks = await Promise.all(servers.map(({ url }) => openDeskAt(url)));
    const liveDesks = (): DeskStream[] => desks.filter(({ state }) => state?.source.live);
    await until(() => expect(liveDesks()).toEqual(desks));

    // Promoted while the other one lives and is written to.
    const toFormer = startWriter(primary, 0);
    await until(() => expect(screens.filter(({ total = 0 }) => total <= 100)).toEqual([]));
    await promote(standby);
    const stopwatch = startStopwatch({
      pids: () => kinds.flatMap(({ pids }) => pids),
      observersIn: standby.database,
    });
    const toNew = startWriter(standby, WRITERS_APART);
    await until(() => expect(timelinesOf(screens)).toEqual(both));
    await untilLive(screens);
    expect(await stopwatch.elapsedMs()).toBeLessThan(LEFT_WITHIN_MS);
    for (const observer of observers) await expectWarned(observer, primary);
    for (const one of kinds.flatMap(({ elsewhere = [] }) => elsewhere)) {
      await until(async () =>
        expect((await readiness(one)).text).toMatch(/Two primaries are counted: c1, c2 another/),
      );
    }
    await untilWritten(standby, WRITERS_APART);
    await Promise.all([toFormer.stop(), toNew.stop()]);
    for (const screen of screens) await expectShown(screen, standby);

    // It goes, and comes back as a primary.
    await primary.signalAll('SIGKILL');
    await startPrimary(primary);
    const again = startWriter(primary, 2 * WRITERS_APART);
    const beside = await Promise.all(kinds.map(({ startBeside }) => startBeside()));
    const freshStopwatch = startStopwatch({ pids: () => beside.flatMap(({ pids }) => pids) });
    const fresh = beside.flatMap((kind) => kind.servers).map(({ url }) => openTimelineScreen(url));
    await until(() => expect(fresh.map(({ timelines }) => timelines.at(-1))).toEqual(fresh.map(() => '2')));
    await untilLive(fresh);
    expect(await freshStopwatch.elapsedMs()).toBeLessThan(LEFT_WITHIN_MS);
    for (const each of [...observers, ...beside.flatMap((kind) => kind.observers)])
      await expectWarned(each, primary);
    await standby.database.gates`update tickets set entrou = true where id = ${`t${3 * WRITERS_APART}`}`;
    await untilWritten(primary, 2 * WRITERS_APART);
    await again.stop();
    for (const each of [...screens, ...fresh]) await expectShown(each, standby);
    expect(await recount(primary.database.admin)).not.toEqual(await recount(standby.database.admin));
    expect(timelinesOf(screens)).toEqual(both);
    expect(fresh.map(({ liveTimelines }) => liveTimelines)).toEqual(fresh.map(() => ['2']));

    // The one that counts is gone: better nothing than the former one.
    await standby.signalAll('SIGKILL');
    for (const { servers: serving, lostReason } of kinds)
      for (const server of serving)
        await until(async () => expect((await readiness(server)).text).toMatch(lostReason), 20_000);
    const liveScreens = (): TimelineScreen[] => screens.filter(({ live }) => live);
    await until(() => expect(liveScreens()).toEqual([]));
    await until(() => expect(liveDesks()).toEqual([]));
    await pause(LOOKS_ELSEWHERE_MS);
    expect(liveScreens()).toEqual([]);
    expect(timelinesOf(screens)).toEqual(both);
    expect(liveDesks()).toEqual([]);
    await startPrimary(standby);
    for (const each of [...screens, ...fresh]) await expectShown(each, standby);
    await until(() => expect(liveDesks()).toEqual(desks));
  },
);
