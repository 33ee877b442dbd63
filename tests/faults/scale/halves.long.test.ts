import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import type { TestCluster } from '../../../testing/cluster.ts';
import { setEntered } from '../../../testing/database.ts';
import { readyz, untilFollowing } from '../../../testing/fleet.ts';
import { startHalves } from '../../../testing/halves.ts';
import { startNetwork } from '../../../testing/network.ts';
import { recount } from '../../../testing/oracle.ts';
import { runProgram } from '../../../testing/program.ts';
import type { ServerProcess } from '../../../testing/server.ts';
import { promote, untilCaughtUp } from '../../../testing/standby.ts';
import { openLivePage } from '../../../testing/test-page.ts';
import { until } from '../../../testing/until.ts';
import { pageClock } from '../../../web/live/trust/page-clock.ts';
import { openTimelineScreen, type TimelineScreen } from './timeline-screen.ts';

/** Of an old number, when a page used to take it for the truth. */
const LONG_MS = 60_000;

async function insertTickets({ database }: TestCluster): Promise<void> {
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(0, 99) n`;
}

const enter = ({ database }: TestCluster, id: string): Promise<unknown> =>
  setEntered(database.gates, id, true);

async function untilShown(
  screens: readonly TimelineScreen[],
  timeline: string,
  total: number,
): Promise<void> {
  const wanted = screens.map(() => [true, timeline, total]);
  await until(() =>
    expect(screens.map(({ live, timelines, total: shown }) => [live, timelines.at(-1), shown])).toEqual(
      wanted,
    ),
  );
}

function looksOf({ logged }: ServerProcess): unknown[] {
  return logged.flatMap(({ pageHasSeen }) => (pageHasSeen === undefined ? [] : [pageHasSeen]));
}

test(
  'halves part, a standby is promoted, and the edge beside it dies: no screen that has shown the new primary goes back to the abandoned one, until an operator does on purpose',
  { timeout: 400_000 },
  async () => {
    const fleet = await startHalves();
    const [a, b] = fleet.halves;
    const { primary, standby } = fleet.pair;
    await insertTickets(primary);
    await untilCaughtUp(fleet.pair);
    const balancer = await startNetwork(b.edge.url);
    let aheadMs = 0;
    const clock = (): ReturnType<typeof pageClock> => {
      const { monotonicMs, wallMs } = pageClock();
      return { monotonicMs: monotonicMs + aheadMs, wallMs: wallMs + aheadMs };
    };
    const moving = [1, 2, 3].map(() => openTimelineScreen(balancer.url, { clock }));
    const staying = openTimelineScreen(a.edge.url);
    await enter(primary, 't0');
    await untilShown([...moving, staying], '1', 1);

    fleet.part();
    await promote(standby);
    await enter(standby, 't1');
    await enter(standby, 't2');
    await untilShown(moving, '2', 3);
    await enter(primary, 't9');
    await untilShown([staying], '1', 2);
    const browser = await launchBrowser();
    const wall = await openLivePage(browser, balancer.url);
    await wall.expectTotal('3');

    // The edge of the new side dies: its screens come to the other one.
    const stayedLive = staying.displayed.length;
    await b.edge.end('SIGKILL');
    balancer.redirect(a.edge.url);
    await until(() => expect(looksOf(a.edge)).not.toEqual([]));
    await wall.page.reload();
    await until(() =>
      expect(moving.map(({ board }) => board.connection.held !== undefined)).toEqual([true, true, true]),
    );
    aheadMs = LONG_MS;
    // Whoever comes anew sees what this side counts; who was there before is live as ever.
    const fresh = await openLivePage(browser, a.edge.url);
    await enter(primary, 't10');
    await untilShown([staying], '1', 3);
    await fresh.expectTotal('3');
    expect(moving.map(({ live, total }) => [live, total])).toEqual(moving.map(() => [false, 3]));
    expect(await wall.status()).not.toBe('ao vivo');
    expect(staying.displayed.slice(stayedLive).filter(({ live }) => !live)).toEqual([]);

    // Back on purpose: every screen follows, with no hand at the wall.
    const back = runProgram('return', ['--by', 'Ana'], { MIGRATE_DATABASE_URL: primary.database.ownerUrl });
    expect([await back.ended, back.stderr()]).toEqual([0, '']);
    expect(back.stdout()).toMatch('counts again, on timeline 1: by Ana.');
    await enter(primary, 't11');
    await untilShown([...moving, staying], 'R1', 4);
    for (const page of [wall, fresh]) {
      await page.expectTotal('4');
      await page.expectStatus('ao vivo');
    }
    for (const { liveTimelines } of moving) expect(liveTimelines).toEqual(['1', '2', 'R1']);
    await until(async () => {
      const rows = await primary.database.admin`
        select by_name, kind from triagem.log where event_id = ${DEFAULT_EVENT_ID} and kind = 'returned'`;
      expect(rows).toEqual([{ by_name: 'Ana', kind: 'returned' }]);
    });

    // Joined again, all are on the one that was gone back to.
    await fleet.join();
    await b.restartEdge();
    await untilFollowing(b.edge, 'a', 'b');
    await enter(primary, 't12');
    const last = openTimelineScreen(b.edge.url);
    await untilShown([...moving, staying, last], 'R1', 5);
    expect(last.board.shown?.counts).toEqual(await recount(primary.database.admin));
  },
);

test(
  'an edge that is started anew remembers the timeline that a counter proved to it: beside a counter of the former primary it shows nothing as live',
  { timeout: 200_000 },
  async () => {
    const fleet = await startHalves();
    const [a, b] = fleet.halves;
    const { primary, standby } = fleet.pair;
    await insertTickets(primary);
    await untilCaughtUp(fleet.pair);
    fleet.part();
    await promote(standby);
    await enter(standby, 't1');
    const before = openTimelineScreen(b.edge.url);
    await untilShown([before], '2', 1);
    // All that its own side had is gone; the other side is in reach.
    await b.counter.end('SIGKILL');
    b.toOther.nats.restore();
    await b.restartEdge();
    const screen = openTimelineScreen(b.edge.url);
    await until(async () => {
      const { code, waitingFor } = await readyz(b.edge);
      expect([code, waitingFor]).toEqual([
        503,
        expect.stringMatching(/The counters that are live \(a\) count a former primary/),
      ]);
    });
    await enter(primary, 't9');
    const there = openTimelineScreen(a.edge.url);
    await untilShown([there], '1', 1);
    expect([screen.timelines, screen.live]).toEqual([[], false]);
    await b.restartCounter();
    await untilShown([screen], '2', 1);
  },
);
