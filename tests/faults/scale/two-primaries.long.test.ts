import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TestCluster } from '../../../testing/cluster.ts';
import { DESK_KEY } from '../../../testing/desk-app.ts';
import { type DeskStream, openDesk, openDeskStream } from '../../../testing/desk-client.ts';
import { startCounter, startEdge } from '../../../testing/fleet.ts';
import { startNats } from '../../../testing/nats-server.ts';
import { recount } from '../../../testing/oracle.ts';
import { openScreen, type Screen } from '../../../testing/screen.ts';
import { promote, startPrimary, startTestPair, type TestPair, urlOf } from '../../../testing/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import type { ServerProcess } from '../../../testing/server.ts';
import { readiness, startServerProcess } from '../../../testing/test-server.ts';
import { startTicketWriter } from '../../../testing/ticket-writer.ts';
import { until } from '../../../testing/until.ts';
import { addTickets, timelineOf } from './fail-over.ts';

const LEFT_WITHIN_MS = 3_000;
/** An edge whose counter does not write the record asks for another one by then. */
const LOOKS_ELSEWHERE_MS = 4_000;

/** What serves screens of both hosts. */
interface Serving {
  /** Processes that look at both. */
  readonly observers: readonly ServerProcess[];
  /** Where screens are served. */
  readonly urls: readonly string[];
  readonly pids: readonly number[];
}

interface Kind {
  readonly what: string;
  /** Resolves to what starts some of it, at once and again later, beside the first. */
  readonly prepare: (pair: TestPair) => Promise<() => Promise<Serving>>;
  /** Why it shows nothing live once the former primary is alone. */
  readonly lostReason: RegExp;
}

const KINDS: readonly Kind[] = [
  {
    what: 'one process',
    lostReason: /DATABASE_URL names no host that is the primary: .* is a former primary; .* does not answer/,
    prepare:
      async ({ primary, standby }) =>
      async () => {
        const env = { DESK_KEY, RECORD_DATABASE_URL: urlOf('recordUrl', primary, standby) };
        const server = await startServerProcess(urlOf('observerUrl', primary, standby), { env });
        return { observers: [server], urls: [server.url], pids: [server.pid] };
      },
  },
  {
    // Counters that name another host first, and one that names the former primary alone.
    what: 'a fleet',
    lostReason: /The counters that are live \(c3.*\) count a former primary/,
    async prepare({ primary, standby }) {
      const nats = await startNats();
      let [counters, edges] = [0, 0];
      return async () => {
        const [first, second, blind] = (await Promise.all(
          [[primary, standby], [standby, primary], [primary]].map((hosts) => {
            const env = {
              NODE_NAME: `c${(counters += 1)}`,
              RECORD_DATABASE_URL: urlOf('recordUrl', ...hosts),
            };
            return startCounter(nats, urlOf('observerUrl', ...hosts), { env });
          }),
        )) as [ServerProcess, ServerProcess, ServerProcess];
        const serving = await Promise.all(
          [0, 1].map(() => startEdge(nats, { env: { NODE_NAME: `e${(edges += 1)}`, DESK_KEY } })),
        );
        const [{ pid }] = nats.servers;
        return {
          observers: [first, second],
          urls: serving.map(({ url }) => url),
          pids: [pid, ...[first, second, blind, ...serving].map((each) => each.pid)],
        };
      };
    },
  },
];

interface WatchedScreen extends Screen {
  /** Those that it has shown, in their order. */
  readonly timelines: readonly string[];
  /** Those that it has shown as live. */
  readonly liveTimelines: readonly string[];
}

function openWatchedScreen(url: string): WatchedScreen {
  const timelines: string[] = [];
  const liveTimelines: string[] = [];
  const screen = openScreen(url, {
    onChange({ shown, status }) {
      const timeline = shown && timelineOf(shown.id);
      if (timeline === undefined) return;
      if (timeline !== timelines.at(-1)) timelines.push(timeline);
      if (status.kind === 'live' && timeline !== liveTimelines.at(-1)) liveTimelines.push(timeline);
    },
  });
  return Object.assign(screen, { timelines, liveTimelines });
}

async function openDeskAt(url: string): Promise<DeskStream> {
  const { cookie } = await openDesk(url, { name: 'Ana', key: DESK_KEY });
  return openDeskStream(url, cookie);
}

const timelinesOf = (screens: readonly WatchedScreen[]): (readonly string[])[] =>
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
      select from tickets where entrou and substring(id from 2)::int between ${first} and ${first + 9_999}`;
    expect(entered.length).toBeGreaterThan(50);
  });
}

/** Waits until a live server says that it knows of this one. */
async function expectWarned(server: { readonly url: string }, { host }: TestCluster): Promise<void> {
  const warning = `Of the hosts of DATABASE_URL, ${host} is a former primary, which is not used: make it a standby, or stop it`;
  await until(async () => {
    const { status, text } = await readiness(server);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ warning });
  });
}

test.each(KINDS)(
  '$what and two primaries, both up and both written to: the former one is left within 3 s, and followed by nobody when it comes back',
  { timeout: 180_000 },
  async ({ prepare, lostReason }) => {
    const pair = await startTestPair();
    const { primary, standby } = pair;
    await addTickets(pair);
    const start = await prepare(pair);
    const { observers, urls, pids } = await start();
    const screens = urls.map(openWatchedScreen);
    const both = screens.map(() => ['1', '2']);
    await untilLive(screens);
    const desks = await Promise.all(urls.map(openDeskAt));
    const liveDesks = (): DeskStream[] => desks.filter(({ state }) => state?.source.live);
    await until(() => expect(liveDesks()).toEqual(desks));

    // Promoted while the other one lives and is written to.
    const toFormer = startTicketWriter({ urls: [primary.database.gatesUrl], first: 1 });
    await until(() => expect(screens.filter(({ total = 0 }) => total <= 100)).toEqual([]));
    await promote(standby);
    const stopwatch = startStopwatch({ pids: () => pids, observersIn: standby.database });
    const toNew = startTicketWriter({ urls: [standby.database.gatesUrl], first: 30_000 });
    await until(() => expect(timelinesOf(screens)).toEqual(both));
    await untilLive(screens);
    expect(await stopwatch.elapsedMs()).toBeLessThan(LEFT_WITHIN_MS);
    for (const observer of observers) await expectWarned(observer, primary);
    await untilWritten(standby, 30_000);
    await Promise.all([toFormer.stop(), toNew.stop()]);
    for (const screen of screens) await expectShown(screen, standby);

    // It goes, and comes back as a primary.
    await primary.signalAll('SIGKILL');
    await startPrimary(primary);
    const again = startTicketWriter({ urls: [primary.database.gatesUrl], first: 20_000 });
    const beside = await start();
    const freshStopwatch = startStopwatch({ pids: () => beside.pids });
    const fresh = beside.urls.map(openWatchedScreen);
    await until(() => expect(fresh.map(({ timelines }) => timelines.at(-1))).toEqual(fresh.map(() => '2')));
    await untilLive(fresh);
    expect(await freshStopwatch.elapsedMs()).toBeLessThan(LEFT_WITHIN_MS);
    for (const each of [...observers, ...beside.observers]) await expectWarned(each, primary);
    await standby.database.gates`update tickets set entrou = true where id = 't45000'`;
    await untilWritten(primary, 20_000);
    await again.stop();
    for (const each of [...screens, ...fresh]) await expectShown(each, standby);
    expect(await recount(primary.database.admin)).not.toEqual(await recount(standby.database.admin));
    expect(timelinesOf(screens)).toEqual(both);
    expect(fresh.map(({ liveTimelines }) => liveTimelines)).toEqual(fresh.map(() => ['2']));

    // The one that counts is gone: better nothing than the former one.
    await standby.signalAll('SIGKILL');
    for (const url of urls)
      await until(async () => expect((await readiness({ url })).text).toMatch(lostReason), 20_000);
    expect(screens.filter(({ live }) => live)).toEqual([]);
    expect(timelinesOf(screens)).toEqual(both);
    await until(() => expect(liveDesks()).toEqual([]));
    await pause(LOOKS_ELSEWHERE_MS);
    expect(liveDesks()).toEqual([]);
    await startPrimary(standby);
    for (const each of [...screens, ...fresh]) await expectShown(each, standby);
    await until(() => expect(liveDesks()).toEqual(desks));
  },
);
