import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../server/database/embedded/free-port.ts';
import { statusOf, totalOf } from '../../../testing/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { duration } from '../../../testing/durations.ts';
import { type Nginx, prepareNginx } from '../../../testing/nginx.ts';
import { processesNaming } from '../../../testing/program.ts';
import type { ServerProcess } from '../../../testing/server.ts';
import { startServerProcess } from '../../../testing/test-server.ts';
import { insertTickets, setEntered } from '../../../testing/tickets.ts';
import { until } from '../../../testing/until.ts';

const KIOSK = join(import.meta.dirname, '../../../deploy/kiosk.sh');

/** The command that operators are given, with a Chromium that needs no screen, and can be looked into. */
interface Kiosk {
  readonly said: () => string;
  /** Whether it would notice that the page crashes. */
  readonly isWatching: () => boolean;
  /** What is there of Chromium's profiles. */
  readonly profiles: () => string[];
  /** The processes of Chromium itself, or of its page. */
  readonly processes: (kind: 'browser' | 'page') => number[];
  /** The page of the Chromium that runs at present. */
  page(): Promise<Page>;
  stop(): Promise<void>;
}

let boardPort: number;
let database: TestDatabase;
let nginx: Nginx;
let kiosk: Kiosk;

/** Of all that there is, only the screen is switched on. */
beforeAll(async () => {
  database = await createTestDatabase();
  await insertTickets(database.gates, [
    { id: 'a', setor: '4', entrou: true },
    { id: 'b', setor: '7' },
  ]);
  boardPort = await freePort();
  nginx = await prepareNginx(boardPort);
  kiosk = await startKiosk();
});

afterAll(async () => {
  await kiosk?.stop();
});

async function startKiosk(): Promise<Kiosk> {
  const { url, certificate } = nginx;
  const folder = mkdtempSync(join(tmpdir(), 'triagem-kiosk-'));
  const debugPort = await freePort();
  const options = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    certificate.chromiumOption,
    `--remote-debugging-port=${debugPort}`,
  ];
  const child = spawn(KIOSK, [url, ...options], {
    env: { ...process.env, TMPDIR: folder, HOME: folder, CURL_CA_BUNDLE: certificate.certificateFile },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = once(child, 'exit');
  let browser: Browser | undefined;
  return {
    said: () => said,
    isWatching: () => said.lastIndexOf('showing http') > said.lastIndexOf('starting it again'),
    profiles: () => readdirSync(folder).filter((name) => name.startsWith('tmp.')),
    processes(kind) {
      const isMeant = (line: string): boolean =>
        kind === 'browser'
          ? line.includes(' --user-data-dir=') && !line.includes(' --type=')
          : line.includes(' --type=renderer ') && !line.includes(' --top-chrome-webui ');
      const lines = processesNaming(folder).filter(isMeant);
      return lines.map((line) => Number.parseInt(line, 10));
    },
    async page() {
      if (!browser?.isConnected()) {
        // A Chromium that is ending or beginning may take the connection and never answer it.
        browser = await chromium.connectOverCDP(`http://127.0.0.1:${debugPort}`, { timeout: 5_000 });
      }
      const page = browser.contexts()[0]?.pages()[0];
      if (!page) throw new Error('Chromium has no page yet');
      return page;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      // Chromium's crash handlers end by themselves, once they have nobody to look after.
      await until(() => expect(processesNaming(folder)).toEqual([]));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `npm start` on the port that nginx knows. */
function startBoard(): Promise<ServerProcess> {
  return startServerProcess(database.observerUrl, { port: boardPort, env: { TRUST_PROXY: '127.0.0.1' } });
}

async function expectLive(total: string): Promise<void> {
  await until(async () => {
    const page = await kiosk.page();
    expect(await statusOf(page)).toBe('ao vivo');
    expect(await totalOf(page)).toBe(total);
  }, 30_000);
}

test('a screen that is on first says that it waits, then shows the board, and nothing else when all falls', async () => {
  await until(() => expect(kiosk.said()).toMatch(/waiting for https.*connect to 127\.0\.0\.1/));
  expect(kiosk.profiles()).toEqual([]);

  await nginx.start();
  await until(async () => {
    const page = await kiosk.page();
    expect(await page.innerText('h1')).toBe('conectando');
    // Its own policy names the style that it has; and its script, by which it goes.
    expect(await page.evaluate(() => getComputedStyle(document.body).display)).toBe('grid');
  }, 30_000);

  const board = await startBoard();
  await expectLive('1');

  const page = await kiosk.page();
  // Another document would not have the mark.
  await page.evaluate(() => document.documentElement.setAttribute('data-mark', ''));
  const expectStale = async (): Promise<void> => {
    await page.waitForTimeout(duration(60_000, 3_000));
    expect(await statusOf(page)).toMatch(/^sem conexão/);
    expect(await totalOf(page)).toBe('1');
  };
  await board.kill();
  await until(async () => expect(await statusOf(page)).toMatch(/^sem conexão/));
  await setEntered(database.admin, 'b', true);
  await expectStale();
  await nginx.stop();
  await expectStale();
  await nginx.start();
  await startBoard();
  await expectLive('2');
  expect(await page.locator('html[data-mark]').count()).toBe(1);
}, 300_000);

test('Chromium is killed, or its page crashes: another Chromium shows the board, with a profile of its own', async () => {
  await startBoard();
  await expectLive('2');
  for (const kind of ['browser', 'page'] as const) {
    const before = kiosk.profiles();
    await until(() => expect(kiosk.isWatching()).toBe(true));
    const pids = kiosk.processes(kind);
    expect([before.length, pids.length]).toEqual([1, 1]);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await until(() => expect(kiosk.profiles()).not.toEqual(before), 30_000);
    await expectLive('2');
    expect(kiosk.profiles()).toHaveLength(1);
  }
}, 120_000);
