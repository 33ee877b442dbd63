import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import type { TestCluster } from '../../../testing/cluster.ts';
import { recount } from '../../../testing/oracle.ts';
import { openScreen, type Screen } from '../../../testing/screen.ts';
import { promote, startPrimary, startTestPair, untilCaughtUp, urlOf } from '../../../testing/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { readiness, startServerProcess } from '../../../testing/test-server.ts';
import { startTicketWriter } from '../../../testing/ticket-writer.ts';
import { until } from '../../../testing/until.ts';
import { timelineOf } from './fail-over.ts';

const LEFT_WITHIN_MS = 3_000;

/** A screen with the timelines that it has shown, in their order. */
function openWatchedScreen(url: string): Screen & { readonly timelines: readonly string[] } {
  const timelines: string[] = [];
  const screen = openScreen(url, {
    onChange({ shown }) {
      const timeline = shown && timelineOf(shown.id);
      if (timeline !== undefined && timeline !== timelines.at(-1)) timelines.push(timeline);
    },
  });
  return Object.assign(screen, { timelines });
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

test(
  'two primaries, both up and both written to: the former one is left within 3 s, and followed by nobody when it comes back',
  { timeout: 180_000 },
  async () => {
    const pair = await startTestPair();
    const { primary, standby } = pair;
    await primary.database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(1, 50000) n`;
    await untilCaughtUp(pair);
    const observerUrl = urlOf('observerUrl', primary, standby);
    const server = await startServerProcess(observerUrl);
    const screen = openWatchedScreen(server.url);
    await until(() => expect(screen.live).toBe(true));

    // Promoted while the other one lives and is written to.
    const toFormer = startTicketWriter({ urls: [primary.database.gatesUrl], first: 1 });
    await until(() => expect(screen.total).toBeGreaterThan(100));
    await promote(standby);
    const stopwatch = startStopwatch({ pids: () => [server.pid], observersIn: standby.database });
    const toNew = startTicketWriter({ urls: [standby.database.gatesUrl], first: 30_000 });
    await until(() => expect(screen.timelines).toEqual(['1', '2']));
    await until(() => expect(screen.live).toBe(true));
    expect(await stopwatch.elapsedMs()).toBeLessThan(LEFT_WITHIN_MS);
    await expectWarned(server, primary);
    await untilWritten(standby, 30_000);
    await Promise.all([toFormer.stop(), toNew.stop()]);
    await expectShown(screen, standby);

    // It goes, and comes back as a primary.
    await primary.signalAll('SIGKILL');
    await startPrimary(primary);
    const again = startTicketWriter({ urls: [primary.database.gatesUrl], first: 20_000 });
    const beside = await startServerProcess(observerUrl);
    const fresh = openWatchedScreen(beside.url);
    await until(() => expect(fresh.live).toBe(true));
    for (const each of [server, beside]) await expectWarned(each, primary);
    await standby.database.gates`update tickets set entrou = true where id = 't45000'`;
    await untilWritten(primary, 20_000);
    await again.stop();
    for (const each of [screen, fresh]) await expectShown(each, standby);
    expect(await recount(primary.database.admin)).not.toEqual(await recount(standby.database.admin));
    expect(screen.timelines).toEqual(['1', '2']);
    expect(fresh.timelines).toEqual(['2']);

    // The one that counts is gone: better nothing than the former one.
    await standby.signalAll('SIGKILL');
    const reason = /The log of the database stands at .*, before .*, which the screens have seen/;
    await until(async () => expect((await readiness(server)).text).toMatch(reason), 20_000);
    expect(screen.live).toBe(false);
    expect(screen.timelines).toEqual(['1', '2']);
    await startPrimary(standby);
    for (const each of [screen, fresh]) await expectShown(each, standby);
  },
);
