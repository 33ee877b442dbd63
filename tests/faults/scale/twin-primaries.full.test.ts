import { expect, test } from 'vitest';
import { startListening } from '../../../gates/http/listen.ts';
import { readHttpSettings } from '../../../gates/http/settings.ts';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { openScreen } from '../../../testing/browser/screen.ts';
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
import { startCounter, startEdge } from '../../../testing/fleet/fleet.ts';
import { startNats } from '../../../testing/fleet/nats-server.ts';
import { readiness } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';

async function enter({ database }: TestCluster, count: number): Promise<void> {
  await database.gates`
    update tickets set entrou = true where id in (select id from tickets where not entrou order by id limit ${count})`;
}

async function expectReadiness(server: { readonly url: string }, text: RegExp): Promise<void> {
  await until(async () => expect((await readiness(server)).text).toMatch(text), 20_000);
}

test(
  'two standbys that are promoted to one timeline: a fleet that counts both shows neither, says so, and goes on with the one that is left',
  { timeout: 300_000 },
  async () => {
    const { primary, standby: one } = await startTestPair();
    const other = await primary.beside();
    await startStandby(other, primary);
    await primary.database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(1, 200) n`;
    for (const standby of [one, other]) await untilCaughtUp({ primary, standby });
    const nats = await startNats();
    const openCounter = (name: string, standby: TestCluster) =>
      startCounter(nats, urlOf('observerUrl', primary, standby), { env: { NODE_NAME: name } });
    const counters = [await openCounter('c1', one), await openCounter('c2', other)];
    const edge = await startEdge(nats, { env: { NODE_NAME: 'e1' } });
    const screen = openScreen(edge.url);
    const expectShown = ({ database }: TestCluster): Promise<void> =>
      until(async () => {
        expect(screen.live).toBe(true);
        expect(screen.board.shown?.counts).toEqual(await recount(database.admin));
      }, 20_000);
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
    await until(() => expect(screen.live).toBe(false));
    for (const counter of counters)
      await expectReadiness(counter, /Two primaries of one database are counted/);
    await expectReadiness(gates, /"writing".*is a primary of the same timeline as .*: stop the one/);

    // It stands before the one that is stopped.
    await enter(other, 3);
    await one.signalAll('SIGKILL');
    await expectShown(other);
    await until(async () => expect((await readiness(edge)).status).toBe(200));
  },
);
