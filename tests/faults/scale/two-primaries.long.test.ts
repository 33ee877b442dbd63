import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import type { TestCluster } from '../../../testing/database/cluster.ts';
import { DESK_KEY } from '../../../testing/desk/desk-app.ts';
import { type DeskStream, openDesk, openDeskStream } from '../../../testing/desk/desk-client.ts';
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
import { openTimelineScreen } from './timeline-screen.ts';

const LEFT_WITHIN_MS = 3_000;
/** Each lets in tickets of its own: those from one of these numbers on. */
const WRITERS_APART = 4_000;
/** All hosts have been looked at again by then. */
const LOOKS_AGAIN_MS = 4_000;

const LOST_REASON =
  /DATABASE_URL names no host that is the primary: .* is a former primary; .* does not answer/;

function start({ primary, standby }: TestPair): Promise<ServerProcess> {
  const env = { DESK_KEY, RECORD_DATABASE_URL: urlOf('recordUrl', primary, standby) };
  return startServerProcess(urlOf('observerUrl', primary, standby), { env });
}

function startWriter({ database }: TestCluster, first: number): TicketWriter {
  return startTicketWriter({ urls: [database.gatesUrl], first, everyMs: 10 });
}

async function openDeskAt(url: string): Promise<DeskStream> {
  const { cookie } = await openDesk(url, { name: 'Ana', key: DESK_KEY });
  return openDeskStream(url, cookie);
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
    expect(JSON.parse(text)).toMatchObject({ warning });
  });
}

test(
  'two primaries, both up and both written to: the former one is left within 3 s, and followed by nobody when it comes back',
  { timeout: 400_000 },
  async () => {
    const pair = await startTestPair();
    const { primary, standby } = pair;
    await primary.database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4'
    from generate_series(0, ${3 * WRITERS_APART}) n`;
    await untilCaughtUp(pair);
    const server = await start(pair);
    const screen = openTimelineScreen(server.url);
    await until(() => expect(screen.live).toBe(true));
    const desk = await openDeskAt(server.url);
    await until(() => expect(desk.state?.source.live).toBe(true));

    // Promoted while the other one lives and is written to.
    const toFormer = startWriter(primary, 0);
    await until(() => expect(screen.total).toBeGreaterThan(100));
    await promote(standby);
    const stopwatch = startStopwatch({ pids: () => [server.pid], observersIn: standby.database });
    const toNew = startWriter(standby, WRITERS_APART);
    await until(() => expect([screen.timelines, screen.live]).toEqual([['1', '2'], true]));
    expect(await stopwatch.elapsedMs()).toBeLessThan(LEFT_WITHIN_MS);
    await expectWarned(server, primary);
    await untilWritten(standby, WRITERS_APART);
    await Promise.all([toFormer.stop(), toNew.stop()]);
    await expectShown(screen, standby);

    // It goes, and comes back as a primary.
    await primary.signalAll('SIGKILL');
    await startPrimary(primary);
    const again = startWriter(primary, 2 * WRITERS_APART);
    const beside = await start(pair);
    const freshStopwatch = startStopwatch({ pids: () => [beside.pid] });
    const fresh = openTimelineScreen(beside.url);
    await until(() => expect([fresh.timelines.at(-1), fresh.live]).toEqual(['2', true]));
    expect(await freshStopwatch.elapsedMs()).toBeLessThan(LEFT_WITHIN_MS);
    for (const each of [server, beside]) await expectWarned(each, primary);
    await standby.database.gates`update tickets set entrou = true where id = ${`t${3 * WRITERS_APART}`}`;
    await untilWritten(primary, 2 * WRITERS_APART);
    await again.stop();
    for (const each of [screen, fresh]) await expectShown(each, standby);
    expect(await recount(primary.database.admin)).not.toEqual(await recount(standby.database.admin));
    expect([screen.timelines, fresh.liveTimelines]).toEqual([['1', '2'], ['2']]);

    // The one that counts is gone: better nothing than the former one.
    await standby.signalAll('SIGKILL');
    await until(async () => expect((await readiness(server)).text).toMatch(LOST_REASON), 20_000);
    await until(() => expect([screen.live, desk.state?.source.live]).toEqual([false, false]));
    await pause(LOOKS_AGAIN_MS);
    expect([screen.live, screen.timelines, desk.state?.source.live]).toEqual([false, ['1', '2'], false]);
    await startPrimary(standby);
    for (const each of [screen, fresh]) await expectShown(each, standby);
    await until(() => expect(desk.state?.source.live).toBe(true));
  },
);
