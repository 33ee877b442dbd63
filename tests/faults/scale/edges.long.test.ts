import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { DESK_KEY } from '../../../testing/desk-app.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { repetitions } from '../../../testing/durations.ts';
import { type FleetBoard, startEdge, startFleetBoard, untilFollowing } from '../../../testing/fleet.ts';
import { freePort } from '../../../testing/free-port.ts';
import { type Nginx, prepareNginxOfEdges } from '../../../testing/nginx.ts';
import { recordDisplays } from '../../../testing/page-displays.ts';
import { openScreen, type Screen } from '../../../testing/screen.ts';
import type { ServerProcess } from '../../../testing/server.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { openLivePage, type TestPage } from '../../../testing/test-page.ts';
import { until } from '../../../testing/until.ts';

/** Two edges behind deploy/nginx-edges.conf. */

const LIVE_WITHIN_MS = 3_000;
const SCREENS = 20;
const PAGES = 2;
const ROUNDS = repetitions(3, 1);
/** What systemd waits before it starts a service again, unless it is told otherwise. */
const RESTART_MS = 100;

interface Edge {
  readonly name: string;
  readonly port: number;
  readonly metricsPort: number;
  process: ServerProcess;
}

interface Behind {
  readonly board: FleetBoard;
  readonly edges: readonly Edge[];
  readonly nginx: Nginx;
  readonly pages: readonly TestPage[];
  readonly desk: TestPage;
  /** All that there were. */
  readonly screens: Screen[];
}

function settingsOf({ name, metricsPort }: Pick<Edge, 'name' | 'metricsPort'>): Record<string, string> {
  return { NODE_NAME: name, METRICS_PORT: String(metricsPort), DESK_KEY, TRUST_PROXY: '127.0.0.1' };
}

async function openBehindNginx(): Promise<Behind> {
  const metricsPorts = [await freePort(), await freePort()] as const;
  const first = { name: 'e1', metricsPort: metricsPorts[0] };
  const second = { name: 'e2', metricsPort: metricsPorts[1] };
  const board = await startFleetBoard({ hasFlow: true, edgeEnv: settingsOf(first) });
  const other = await startEdge(board.nats, { env: settingsOf(second) });
  await untilFollowing(other, 'c1', 'c2');
  const ports = [portOf(board.edge), portOf(other)] as const;
  const nginx = await prepareNginxOfEdges(ports);
  await nginx.start();
  const browser = await launchBrowser({ args: [nginx.certificate.chromiumOption] });
  const pages: TestPage[] = [];
  while (pages.length < PAGES) pages.push(await openLivePage(browser, nginx.url));
  const desk = await openDeskPage(browser, nginx.url.replace(/\/$/, ''));
  board.startWriting();
  const edges = [
    { ...first, port: ports[0], process: board.edge },
    { ...second, port: ports[1], process: other },
  ];
  return { board, edges, nginx, pages, desk, screens: [] };
}

function portOf({ url }: ServerProcess): number {
  return Number(new URL(url).port);
}

async function viewersOf({ metricsPort }: Edge): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^triagem_viewers (\d+)$/m.exec(metrics)?.[1]);
}

/** Screens that nginx has sent to both edges: those that were open stay where they are when an edge is back. */
async function openScreens({ nginx, edges, screens }: Behind): Promise<readonly Screen[]> {
  const { url, certificate } = nginx;
  for (;;) {
    const opened = Array.from({ length: SCREENS }, () => openScreen(url, { certificate: certificate.pem }));
    await until(() => expect(opened.every(({ live }) => live)).toBe(true));
    screens.push(...opened);
    const viewers = await Promise.all(edges.map(viewersOf));
    // One of the first edge's is the board's own, and the pages may be of either.
    if (viewers.every((count) => count > 1 + PAGES)) return opened;
    for (const screen of opened) screen.close();
  }
}

/** How long it takes from the loss until every page is live by a later state. Some of them must have noticed it. */
async function measureLoss(behind: Behind, lose: () => unknown): Promise<number> {
  const { nginx, edges, pages, desk } = behind;
  const screens = await openScreens(behind);
  // What a page's way back passes.
  const pids = (): number[] => [...edges.map(({ process }) => process.pid), ...nginx.pids()];
  const total = Math.max(...screens.map((screen) => screen.total ?? 0));
  const lostAtMs = performance.now();
  const stopwatch = startStopwatch({ pids });
  await lose();
  await until(async () => {
    const noticed = screens.filter(({ displayed }) =>
      displayed.some(({ atMs, live }) => !live && atMs > lostAtMs),
    );
    expect(noticed).not.toEqual([]);
    expect(screens.every((screen) => screen.live && (screen.total ?? 0) > total)).toBe(true);
    for (const page of pages) {
      expect(await page.status()).toBe('ao vivo');
      expect(Number((await page.total()).replaceAll(/\D/g, ''))).toBeGreaterThan(total);
    }
    expect(await desk.status()).toBe('ao vivo');
  });
  const tookMs = await stopwatch.elapsedMs();
  for (const screen of screens) screen.close();
  return tookMs;
}

test(
  'behind nginx an edge stands still, is killed, and nginx itself is killed: every page is live again within 3 s, and none shows a wrong number as live',
  { timeout: 120_000 + ROUNDS * 120_000 },
  async () => {
    const behind = await openBehindNginx();
    const { board, nginx, edges, pages, screens } = behind;
    const displays = await Promise.all(pages.map(({ page }) => recordDisplays(page)));
    const tookMs: Record<'stopped' | 'killed' | 'nginx', number[]> = { stopped: [], killed: [], nginx: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const edge of edges) {
        tookMs.stopped.push(await measureLoss(behind, () => edge.process.child.kill('SIGSTOP')));
        edge.process.child.kill('SIGCONT');
        await untilFollowing(edge.process, 'c1', 'c2');

        tookMs.killed.push(await measureLoss(behind, () => edge.process.end('SIGKILL')));
        edge.process = await startEdge(board.nats, { port: edge.port, env: settingsOf(edge) });
        await untilFollowing(edge.process, 'c1', 'c2');
      }
      const restart = async (): Promise<void> => {
        await nginx.kill();
        await pause(RESTART_MS);
        await nginx.start();
      };
      tookMs.nginx.push(await measureLoss(behind, restart));
    }
    const slow = Object.values(tookMs).flatMap((all) => all.filter((ms) => ms >= LIVE_WITHIN_MS));
    expect(slow, JSON.stringify(tookMs)).toEqual([]);
    await board.expectExact();
    for (const { displayed } of screens) expect(board.oracle.violationsOf(displayed)).toEqual([]);
    for (const displayed of displays) expect(board.oracle.violationsOf(await displayed())).toEqual([]);
  },
);
