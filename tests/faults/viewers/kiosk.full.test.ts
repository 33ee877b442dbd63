import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort } from '../../../testing/server/free-port.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { createTestDatabase, setEntered } from '../../../testing/database/database.ts';
import { duration, IS_FULL } from '../../../testing/durations.ts';
import { makeTestFolder } from '../../../testing/folder.ts';
import { prepareNginx } from '../../../testing/server/nginx.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { processesNaming, startProgram } from '../../../testing/server/program.ts';
import { PROJECT_ROOT } from '../../../testing/project-root.ts';
import type { ServerProcess } from '../../../testing/server/server.ts';
import { type TestPage, watchPage } from '../../../testing/browser/test-page.ts';
import { startServerProcess } from '../../../testing/server/test-server.ts';
import { signalAll } from '../../../testing/server/signal.ts';
import { until } from '../../../testing/until.ts';

const KIOSK = join(PROJECT_ROOT, 'deploy/kiosk.sh');

let boardPort: number;
const database = openForAll(() => createTestDatabase({ inside: { a: '4' }, outside: { b: '7' } }));
const nginx = openForAll(async () => prepareNginx((boardPort = await freePort())));
/** Of all that there is, only the screen is switched on. */
const kiosk = openForAll(startKiosk);

/** The command that operators are given, with a Chromium that needs no screen, and can be looked into. */
async function startKiosk() {
  const { url, certificate } = nginx;
  const folder = makeTestFolder();
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
  const { stderr, end } = startProgram(KIOSK, [url, ...options], {
    env: { ...process.env, TMPDIR: folder, HOME: folder, CURL_CA_BUNDLE: certificate.certificateFile },
  });
  closeOnce(async () => {
    await end();
    // Chromium's crash handlers end by themselves, once they have nobody to look after.
    await until(() => expect(processesNaming(folder)).toEqual([]));
  });
  let browser: Browser | undefined;
  return {
    said: stderr,
    /** Whether it would notice that the page crashes. */
    isWatching: () => stderr().lastIndexOf('showing http') > stderr().lastIndexOf('starting it again'),
    /** What is there of Chromium's profiles. */
    profiles: () => readdirSync(folder).filter((name) => name.startsWith('tmp.')),
    /** The processes of Chromium itself, or of its page. */
    processes(kind: 'browser' | 'page'): number[] {
      const isMeant = (line: string): boolean =>
        kind === 'browser'
          ? line.includes(' --user-data-dir=') && !line.includes(' --type=')
          : line.includes(' --type=renderer ') && !line.includes(' --top-chrome-webui ');
      const lines = processesNaming(folder).filter(isMeant);
      return lines.map((line) => Number.parseInt(line, 10));
    },
    /** The page of the Chromium that runs at present. */
    async page(): Promise<TestPage> {
      if (!browser?.isConnected()) {
        // A Chromium that is ending or beginning may take the connection and never answer it.
        browser = await chromium.connectOverCDP(`http://127.0.0.1:${debugPort}`, { timeout: 5_000 });
      }
      const page = browser.contexts()[0]?.pages()[0];
      if (!page) throw new Error('Chromium has no page yet');
      return watchPage(page);
    },
  };
}

/** `npm start` on the port that nginx knows. */
function startBoard(): Promise<ServerProcess> {
  return startServerProcess(database.observerUrl, { port: boardPort, env: { TRUST_PROXY: '127.0.0.1' } });
}

async function expectLive(total: string): Promise<void> {
  await until(async () => {
    const watched = await kiosk.page();
    expect([await watched.status(), await watched.total()]).toEqual(['ao vivo', total]);
  }, 30_000);
}

test('a screen that is on first says that it waits, then shows the board, and nothing else when all falls', async () => {
  await until(() => expect(kiosk.said()).toMatch(/waiting for https.*connect to 127\.0\.0\.1/));
  expect(kiosk.profiles()).toEqual([]);

  await nginx.start();
  await until(async () => {
    const { page } = await kiosk.page();
    expect(await page.innerText('h1')).toBe('conectando');
    // Its own policy names the style that it has; and its script, by which it goes.
    expect(await page.evaluate(() => getComputedStyle(document.body).display)).toBe('grid');
  }, 30_000);

  const board = await startBoard();
  await expectLive('1');

  const watched = await kiosk.page();
  const { page } = watched;
  // Another document would not have the mark.
  await page.evaluate(() => document.documentElement.setAttribute('data-mark', ''));
  const expectStale = async (): Promise<void> => {
    await page.waitForTimeout(duration(60_000, 1_000));
    expect(await watched.status()).toMatch(/^sem conexão/);
    expect(await watched.total()).toBe('1');
  };
  await board.end('SIGKILL');
  await watched.expectStatus(/^sem conexão/);
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
  // The script watches the process of the page, which ends with that of its browser as well.
  for (const kind of IS_FULL ? (['browser', 'page'] as const) : (['page'] as const)) {
    const before = kiosk.profiles();
    expect(before).toHaveLength(1);
    await until(() => expect(kiosk.isWatching()).toBe(true));
    // One that has just been forked is still called as its parent.
    let pids: number[] = [];
    await until(() => expect((pids = kiosk.processes(kind))).toHaveLength(1));
    signalAll(pids, 'SIGKILL');
    await until(() => expect(kiosk.profiles()).not.toEqual(before), 30_000);
    await expectLive('2');
    expect(kiosk.profiles()).toHaveLength(1);
  }
}, 120_000);
