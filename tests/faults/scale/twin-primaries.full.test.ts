import { expect, test } from 'vitest';
import { startListening } from '../../../gates/http/listen.ts';
import { readHttpSettings } from '../../../gates/http/settings.ts';
import { OWNER_PLACE } from '../../../database/schema/preconditions.ts';
import { returnTo } from '../../../database/schema/return-to.ts';
import { LIVE_AGE_MS } from '../../../domain/freshness.ts';
import { readReturned, RETURNED_SQL } from '../../../domain/returned-primary.ts';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { openScreen, type Screen } from '../../../testing/browser/screen.ts';
import type { TestCluster } from '../../../testing/database/cluster.ts';
import { recount } from '../../../testing/database/oracle.ts';
import {
  promote,
  startStandby,
  startTestPair,
  untilCaughtUp,
  urlOf,
} from '../../../testing/database/standby.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { DESK_KEY } from '../../../testing/desk/desk-app.ts';
import { startCounter, startEdge } from '../../../testing/fleet/fleet.ts';
import { startNats } from '../../../testing/fleet/nats-server.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { readiness } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';
import { openWatchedDesk } from '../losses/watched-desk.ts';

/** A primary with tickets and two standbys that have them. */
async function startWithTwoStandbys(): Promise<Record<'primary' | 'one' | 'other', TestCluster>> {
  const { primary, standby: one } = await startTestPair();
  const other = await primary.beside();
  await startStandby(other, primary);
  await primary.database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(1, 200) n`;
  for (const standby of [one, other]) await untilCaughtUp({ primary, standby });
  return { primary, one, other };
}

function untilShown(screen: Screen, { database }: TestCluster): Promise<void> {
  return until(async () => {
    expect(screen.live).toBe(true);
    expect(screen.board.shown?.counts).toEqual(await recount(database.admin));
  }, 20_000);
}

async function enter({ database }: TestCluster, count: number): Promise<void> {
  await database.gates`
    update tickets set entrou = true where id in (select id from tickets where not entrou order by id limit ${count})`;
}

/** An operator goes back to one of these clusters. */
function goBack({ host }: TestCluster, [one, other]: readonly [TestCluster, TestCluster]): Promise<void> {
  return returnTo({
    ownerUrl: urlOf('ownerUrl', one, other),
    place: OWNER_PLACE,
    host,
    by: 'Ana',
    now: Date.now,
    confirm: async () => {},
    log: () => {},
  });
}

/** The rank of the last return to this cluster; 0 for none. */
async function rankOf({ database }: TestCluster): Promise<number> {
  const [{ comment }] = await database.admin.unsafe<[{ comment: string | null }]>(
    `select ${RETURNED_SQL} as comment`,
  );
  return readReturned(comment)?.rank ?? 0;
}

async function expectReadiness(server: { readonly url: string }, text: RegExp): Promise<void> {
  await until(async () => expect((await readiness(server)).text).toMatch(text), 20_000);
}

test(
  'two standbys that are promoted to one timeline: a fleet that counts both shows neither, says so, and goes on with the one that is left',
  { timeout: 300_000 },
  async () => {
    const { primary, one, other } = await startWithTwoStandbys();
    const nats = await startNats();
    const openCounter = (name: string, standby: TestCluster) =>
      startCounter(nats, urlOf('observerUrl', primary, standby), {
        env: { NODE_NAME: name, RECORD_DATABASE_URL: urlOf('recordUrl', primary, standby) },
      });
    const counters = [await openCounter('c1', one), await openCounter('c2', other)];
    const edge = await startEdge(nats, { env: { NODE_NAME: 'e1', DESK_KEY } });
    const screen = openScreen(edge.url);
    const desk = await openWatchedDesk(edge.url, DESK_KEY);
    const expectShown = async (cluster: TestCluster): Promise<void> => {
      await untilShown(screen, cluster);
      await until(() => expect(desk.displayed.at(-1)?.live).toBe(true), 20_000);
    };
    await expectShown(primary);

    await primary.signalAll('SIGKILL');
    await promote(one);
    await enter(one, 40);
    await expectShown(one);
    const env = {
      GATES_DATABASE_URL: urlOf('gatesUrl', one, other),
      GATES_HTTP_KEY: 'k'.repeat(32),
      GATES_HTTP_PORT: '0',
    };
    const gates = await startListening(readHttpSettings(env), env);
    closeOnce(() => gates.stop());
    await promote(other);
    await expectReadiness(edge, /The counters c1, c2 are live and count several primaries of one timeline/);
    await until(() => expect([screen.live, desk.displayed.at(-1)?.live]).toEqual([false, false]), 20_000);
    for (const counter of counters) await expectReadiness(counter, /Two primaries are counted/);
    await expectReadiness(gates, /"writing".*is a primary of the same timeline as .*: stop the one/);

    // It stands before the one that is stopped.
    await enter(other, 3);
    await one.signalAll('SIGKILL');
    await expectShown(other);
    await until(async () => expect((await readiness(edge)).status).toBe(200));

    await one.start();
    // Two operators go back to different ones at once: it does not stay open unsaid which of them counts.
    const orders = await Promise.allSettled([one, other].map((cluster) => goBack(cluster, [one, other])));
    const ranks = await Promise.all([one, other].map(rankOf));
    expect([orders.some(({ status }) => status === 'rejected'), new Set(ranks).size]).not.toEqual([false, 1]);
    await goBack(one, [one, other]);
    await expectShown(one);
    // Whichever is off: the last order counts, also after it is back.
    for (const [off, on, times] of [
      [one, other, 2],
      [other, one, 1],
    ] as const) {
      await off.signalAll('SIGSTOP');
      for (let n = 0; n < times; n += 1) await goBack(on, [one, other]);
      await expectShown(on);
      await off.signalAll('SIGCONT');
      await until(async () => expect(await rankOf(on)).toBeGreaterThan(await rankOf(off)));
    }
    await enter(one, 2);
    await expectShown(one);
  },
);

test(
  'two standbys that are promoted to one timeline, of which one died before the fleet heard of the other: it goes on with the one that is left',
  { timeout: 300_000 },
  async () => {
    const { primary, one, other } = await startWithTwoStandbys();
    const nats = await startNats();
    const [toOne, toOther] = [await startNetwork(nats.url), await startNetwork(nats.url)];
    for (const [name, network, standby] of [
      ['c1', toOne, one],
      ['c2', toOther, other],
    ] as const)
      await startCounter(network, urlOf('observerUrl', primary, standby), { env: { NODE_NAME: name } });
    const edge = await startEdge(nats, { env: { NODE_NAME: 'e1' } });
    const screen = openScreen(edge.url);
    await untilShown(screen, primary);

    await primary.signalAll('SIGKILL');
    toOther.cut();
    for (const standby of [one, other]) await promote(standby);
    await enter(one, 40);
    await enter(other, 3);
    await untilShown(screen, one);
    await one.signalAll('SIGKILL');
    const diedAtMs = performance.now();
    await until(() => expect(screen.live).toBe(false));
    // Until then, what it had was true within the bound.
    await until(() => expect(performance.now() - diedAtMs).toBeGreaterThan(LIVE_AGE_MS), 20_000);
    const shownBefore = screen.displayed.length;
    toOther.restore();
    await untilShown(screen, other);

    // A new edge hears of it as its counter remembers it.
    toOne.cut();
    toOne.restore();
    const late = await startEdge(nats, { env: { NODE_NAME: 'e2' } });
    const lateScreen = openScreen(late.url);
    for (const admitted of [1, 2, 3]) {
      await enter(other, admitted);
      for (const each of [screen, lateScreen]) await untilShown(each, other);
      await until(async () => expect((await readiness(late)).text).toMatch(/c1.*c2|c2.*c1/));
    }
    const shown = [...screen.displayed.slice(shownBefore), ...lateScreen.displayed];
    expect(shown.filter(({ live, total }) => live && total === 40)).toEqual([]);
    expect(screen.displayed.at(-1)?.live).toBe(true);
  },
);
