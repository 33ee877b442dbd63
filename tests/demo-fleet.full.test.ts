import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { DEFAULT_VENUE } from '../domain/venue.ts';
import { urlsOf } from '../database/embedded/embedded-database.ts';
import { openSecrets } from '../database/embedded/secrets.ts';
import { openBrowser } from '../testing/browser/browser.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { closeOnce } from '../testing/close-once.ts';
import { freePort } from '../testing/server/free-port.ts';
import { type Commit, recount, TotalHistory } from '../testing/database/oracle.ts';
import { DESK_TOTAL, recordDisplays } from '../testing/browser/page-displays.ts';
import { DESK_EVENT_PATH, openDesk } from '../testing/desk/desk-client.ts';
import { placeOf, printedAfter, processOf } from '../testing/fleet/demo-output.ts';
import { processesNaming, runProgram } from '../testing/server/program.ts';
import type { DisplayedState } from '../testing/browser/screen.ts';
import { startStopwatch } from '../testing/stopwatch.ts';
import { newPage, openLivePage } from '../testing/browser/test-page.ts';
import { keepTicketHistory, openTicketHistory } from '../testing/sources/ticket-history.ts';
import { until } from '../testing/until.ts';

/** In the order in which they are killed. */
const KEPT = ['edge-1', 'edge-2', 'counter-1', 'counter-2', 'nats-1', 'nats-2', 'nats-3', 'nginx'] as const;
const LIVE_WITHIN_MS = 3_000;
/** By the clock, Chromium's waiting for a processor included. */
const NEVER_AWAY_MS = 10_000;

/** How long at most nothing was shown as live. */
function longestAwayMs(displayed: readonly DisplayedState[]): number {
  let [longestMs, sinceMs] = [0, undefined as number | undefined];
  for (const { atMs, live } of displayed) {
    if (live && sinceMs !== undefined) longestMs = Math.max(longestMs, atMs - sinceMs);
    sinceMs = live ? undefined : (sinceMs ?? atMs);
  }
  return longestMs;
}

function sumOf(commits: readonly Commit[]): number {
  return commits.reduce((sum, { change = 1 }) => sum + change, 0);
}

test('npm run demo:fleet says what runs where, with a desk at every edge; processes are killed in turn, and every page in Chromium is live again within 3 s, exact; Ctrl-C leaves nothing running', async () => {
  const folder = makeTestFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, DATA_DIR: folder, PORT: String(port) };
  const demo = runProgram('demo:fleet', ['--speed', '30'], env);
  await until(() => {
    expect(demo.child.exitCode, demo.stdout() + demo.stderr()).toBeNull();
    expect(demo.stdout()).toContain('Ctrl-C stops everything');
  }, 120_000);
  const first = join(folder, 'fleet-1');
  const secrets = await openSecrets({ folder: first, cluster: join(first, 'cluster') });
  const connect = (name: string): postgres.Sql => {
    const { adminUrl } = urlsOf(Number(placeOf(demo, name).split(':')[1]), secrets);
    const sql = postgres(adminUrl, { max: 1, fetch_types: false, onnotice: () => {} });
    closeOnce(() => sql.end({ timeout: 1 }));
    return sql;
  };
  const [primary, standby] = [connect('PostgreSQL primary'), connect('PostgreSQL standby')];
  await keepTicketHistory({ admin: primary });

  const browser = await openBrowser();
  const boards = [await openLivePage(browser, url)];
  const desk = await newPage(browser);
  await desk.page.goto(printedAfter(demo, 'The desk:'));
  await desk.expectStatus('ao vivo');
  // Its parts come later than its status.
  await desk.page.locator(DESK_TOTAL).waitFor();
  const pages = [
    ...(await Promise.all(boards.map(({ page }) => recordDisplays(page)))),
    await recordDisplays(desk.page, DESK_TOTAL),
  ];
  const shown = async (): Promise<DisplayedState[]> =>
    (await Promise.all(pages.map((read) => read(1)))).flat();
  /** Waits until every page displays as live, since `sinceMs`, more than `total`. */
  const untilLive = (total: number, sinceMs: number): Promise<void> =>
    until(async () => {
      const isLive = (await shown()).map(
        ({ live, atMs, total: shownTotal = 0 }) => live && atMs > sinceMs && shownTotal > total,
      );
      expect(isLive).toEqual(pages.map(() => true));
    }, 30_000);
  const pids = (): number[] => KEPT.map((name) => processOf(demo, name));
  const took: Record<string, number> = {};
  /** From `how` on; of all that is lost meanwhile. */
  const expectLiveAgain = async (name: string, total: number, how: () => unknown): Promise<void> => {
    const sinceMs = performance.now();
    const stopwatch = startStopwatch({ pids });
    how();
    await untilLive(total, sinceMs);
    took[name] = Math.round(performance.now() - sinceMs);
    expect(await stopwatch.elapsedMs(), name).toBeLessThan(LIVE_WITHIN_MS);
  };
  await untilLive(0, 0);

  for (const name of KEPT) {
    const killed = processOf(demo, name);
    const { total } = await recount(primary);
    await expectLiveAgain(name, total, () => process.kill(killed, 'SIGKILL'));
    await until(() => expect(processOf(demo, name)).not.toBe(killed));
    // What runs again may not listen yet.
    await until(async () => expect((await fetch(placeOf(demo, name))).status).toBe(200));
  }
  expect(demo.stderr()).toContain('counters count it for their edges');

  const run = (command: string): Buffer => execFileSync('sh', ['-c', command], { stdio: 'ignore' });
  const promote = printedAfter(demo, 'the standby is promoted:');
  const startFormer = printedAfter(demo, 'count any more:');
  const loseStandby = async (): Promise<void> => {
    const { total } = await recount(primary);
    await expectLiveAgain('PostgreSQL standby', total, () =>
      process.kill(processOf(demo, 'PostgreSQL standby'), 'SIGQUIT'),
    );
    run(startFormer.replace('fleet-1', 'fleet-2'));
    await until(async () => expect((await recount(standby)).total).toBeGreaterThan(total));
  };
  await loseStandby();

  // The spectators go on where they were.
  const killedAtMs = performance.now();
  process.kill(processOf(demo, 'PostgreSQL primary'), 'SIGQUIT');
  await until(async () => {
    for (const { live } of await shown()) expect(live).toBe(false);
  });
  const { total: promoted } = await recount(standby);
  const promotedAtMs = performance.now();
  await expectLiveAgain('PostgreSQL primary, promotion', promoted, () => run(promote));

  // The former primary comes back beside it: nobody counts what it alone has.
  run(startFormer);
  const formerly = await openTicketHistory({ admin: primary }).commits();
  await untilLive(promoted, performance.now());

  // Exact, once nobody enters any more.
  const spectators = processesNaming(folder).find((line) => line.includes('main.js simulate')) ?? '';
  process.kill(Number.parseInt(spectators, 10), 'SIGTERM');
  await until(() => expect(demo.stdout()).toContain('The board stays until Ctrl-C.'));
  const counts = await recount(standby);
  await until(async () => {
    for (const last of await shown()) expect(last).toMatchObject({ live: true, total: counts.total });
  });
  for (const board of boards) {
    const rows = (await board.rows()).map(([, count = '']) => Number(count.replaceAll(/\D/g, '')));
    expect(rows).toEqual(DEFAULT_VENUE.sectors.map(({ code }) => counts.sectors[code]));
  }
  const [killedMs, promotedMs] = [killedAtMs, promotedAtMs].map((atMs) => performance.timeOrigin + atMs);
  const commits = await openTicketHistory({ admin: standby }).commits();
  const before = commits.filter(({ committedAtMs }) => committedAtMs < (promotedMs ?? 0));
  const history = new TotalHistory();
  history.add(formerly);
  // What the new primary has not got is gone for good.
  const change = sumOf(before) - history.total;
  history.add([{ begunAtMs: killedMs ?? 0, committedAtMs: promotedMs ?? 0, change }]);
  history.add(commits.slice(before.length));
  expect(history.total).toBe(counts.total);
  for (const read of pages) {
    const displayed = await read();
    expect(history.violationsOf(displayed)).toEqual([]);
    expect(longestAwayMs(displayed)).toBeLessThan(promotedAtMs - killedAtMs + NEVER_AWAY_MS);
  }
  console.info('all live again after, in ms', took);

  // The desk's key is that of every edge.
  const key = printedAfter(demo, 'Desk key:');
  for (const each of [url, ...['edge-1', 'edge-2'].map((name) => new URL(placeOf(demo, name)).origin)]) {
    const asked = await openDesk(each, { name: 'Ana', key });
    expect((await asked.get(`${DESK_EVENT_PATH}/log`)).status).toBe(200);
  }

  const left = KEPT.map((name) => processOf(demo, name));
  expect(await demo.end('SIGINT')).toBe(0);
  for (const pid of left) expect(() => process.kill(pid, 0), String(pid)).toThrow('ESRCH');
  expect(processesNaming(folder)).toEqual([]);
});
