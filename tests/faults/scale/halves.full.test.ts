import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { verifyChain } from '../../../desk/model/log/log-chain.ts';
import { openBrowser } from '../../../testing/browser/browser.ts';
import type { TestCluster } from '../../../testing/database/cluster.ts';
import { setEntered } from '../../../testing/database/database.ts';
import { DESK_KEY } from '../../../testing/desk/desk-app.ts';
import { commandUntilAccepted, openDesk } from '../../../testing/desk/desk-client.ts';
import { openDeskPage } from '../../../testing/browser/desk-page.ts';
import { readyz, untilFollowing } from '../../../testing/fleet/fleet.ts';
import { startHalves } from '../../../testing/fleet/halves.ts';
import { sha256 } from '../../../desk/http/record-files.ts';
import { readLogRows } from '../../../testing/desk/log-rows.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { recount } from '../../../testing/database/oracle.ts';
import { runProgram } from '../../../testing/server/program.ts';
import type { ServerProcess } from '../../../testing/server/server.ts';
import { promote, untilCaughtUp } from '../../../testing/database/standby.ts';
import { openLivePage } from '../../../testing/browser/test-page.ts';
import { readiness } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';
import { pageClock } from '../../../page/trust/page-clock.ts';
import { startOperators } from '../../flow/operators.ts';
import { openTimelineScreen, type TimelineScreen } from './timeline-screen.ts';

/** Of an old number, when a page used to take it for the truth. */
const LONG_MS = 60_000;

/** Resolves once both halves have the tickets, of which nobody has entered. */
async function startMatch() {
  const fleet = await startHalves();
  const [a, b] = fleet.halves;
  const { primary, standby } = fleet.pair;
  await primary.database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(0, 99) n`;
  await untilCaughtUp(fleet.pair);
  return { fleet, a, b, primary, standby };
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
    const { fleet, a, b, primary, standby } = await startMatch();
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
    await untilCaughtUp(fleet.pair);

    fleet.part();
    await promote(standby);
    await enter(standby, 't1');
    await enter(standby, 't2');
    await untilShown(moving, '2', 3);
    await enter(primary, 't9');
    await untilShown([staying], '1', 2);
    const browser = await openBrowser();
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
    const back = runProgram('return', ['--by', 'Ana', '--yes'], {
      MIGRATE_DATABASE_URL: primary.database.ownerUrl,
    });
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
  'halves part, a standby is promoted, and both record commands: an edge that is started anew shows nothing of the former primary as live; when they are joined, each command that was answered with success is in the one record, and until then it is said which are not',
  { timeout: 400_000 },
  async () => {
    const { fleet, a, b, primary, standby } = await startMatch();
    const [ofA, ofB] = await Promise.all([startOperators([a.edge.url]), startOperators([b.edge.url])]);
    const balancer = await startNetwork(a.edge.url);
    const desk = await openDeskPage(await openBrowser(), balancer.url);
    await until(() => expect([ofA, ofB].filter(({ answered }) => answered.size < 3)).toEqual([]));

    fleet.part();
    await promote(standby);
    const before = [ofA.answered.size, ofB.answered.size];
    await until(() => {
      expect(ofA.answered.size).toBeGreaterThan((before[0] ?? 0) + 5);
      expect(ofB.answered.size).toBeGreaterThan((before[1] ?? 0) + 5);
    }, 60_000);
    // An answer of success says where it is stored.
    for (const [half, timeline] of [
      [a, '1'],
      [b, '2'],
    ] as const) {
      const client = await openDesk(half.edge.url, { name: 'Rui', key: DESK_KEY });
      const id = crypto.randomUUID();
      await commandUntilAccepted(client, { id, text: 'fila' });
      const again = await client.command({ id, text: 'fila' });
      expect(await again.json()).toMatchObject({ stored: { host: half.cluster.host, timeline } });
    }
    const { page } = desk;
    await page.getByRole('button', { name: 'ocorrência', exact: true }).click();
    await page.getByLabel('o que houve').fill('gerador parado');
    await page.keyboard.press('Enter');
    await page.getByText('ocorrência registrada').waitFor();
    expect(await page.locator('.unanswered').innerText()).toBe('');

    // Its desk comes to the other half, whose record lacks it.
    balancer.redirect(b.edge.url);
    const notice = page.getByText(
      /^não registrado, dado às \d\d:\d\d:\d\d: ocorrência · estádio “gerador parado”/,
    );
    await notice.waitFor();
    await Promise.all([ofA.stop(), ofB.stop()]);

    // All that its own side had is gone, the other side is in reach: the edge remembers the timeline that was proven to it.
    await enter(standby, 't1');
    await untilShown([openTimelineScreen(b.edge.url)], '2', 1);
    await b.counter.end('SIGKILL');
    b.toOther.nats.restore();
    await b.restartEdge();
    const screen = openTimelineScreen(b.edge.url);
    await until(async () => {
      const { code, waitingFor, follows } = await readyz(b.edge);
      expect([code, waitingFor, follows?.counters]).toEqual([
        503,
        expect.stringMatching(/The counters that are live \(a\) count a former primary/),
        ['a'],
      ]);
    });
    await enter(primary, 't9');
    await untilShown([openTimelineScreen(a.edge.url)], '1', 1);
    expect([screen.timelines, screen.live]).toEqual([[], false]);
    await b.restartCounter();
    await untilShown([screen], '2', 1);

    await fleet.join();
    await until(async () => {
      const ids = new Set((await readLogRows(standby.database.admin)).map(({ id }) => id));
      const answered = [...ofA.answered.keys(), ...ofB.answered.keys()];
      expect(answered.filter((id) => !ids.has(id))).toEqual([]);
      expect(await notice.count()).toBe(0);
    }, 60_000);
    // What it lacked stands in the log; /readyz has it for the milliseconds until the other counter yields.
    expect(a.counter.logged.map(({ msg }) => msg)).toContain(
      'the database has lost entries of the log: they are written again',
    );
    const rows = await readLogRows(standby.database.admin);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    const texts = rows.flatMap((row) =>
      row.kind === 'occurrence' && row.by !== 'Mesa 0' ? [row.data.text] : [],
    );
    expect(texts.toSorted()).toEqual(['fila', 'fila', 'gerador parado']);
    expect(verifyChain(DEFAULT_EVENT_ID, rows, sha256)).toMatchObject({
      rows: rows.length,
      broken: undefined,
    });
    await until(async () => expect((await readiness(a.counter)).text).not.toMatch('not any more'));
  },
);
