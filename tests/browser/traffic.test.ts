import { networkInterfaces } from 'node:os';
import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { goLive, launchBrowser, newPage, rowsOf, totalOf } from '../../testing/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { insertTickets } from '../../testing/tickets.ts';
import { until } from '../../testing/until.ts';

const PAGE_MINUTES = 5;
/** Shorter than the silence after which a page takes its connection for lost. */
const STEP_SECONDS = 4;

let database: TestDatabase;
let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer(database, { HOST: '0.0.0.0' });
  browser = await launchBrowser({ args: ['--host-resolver-rules=MAP board.test 127.0.0.1'] });
});

test('invariant 4: in five minutes of traffic the page writes nothing, asks no third party, and sends no beacon', async () => {
  const watched = await newPage(browser);
  const { page } = watched;
  await page.addInitScript(() => {
    navigator.sendBeacon = () => {
      console.error('a beacon was sent');
      return true;
    };
  });
  // The page's own clocks run faster than the test's: every timer of five minutes comes due.
  await page.clock.install();
  await goLive(page, server.url.replace('localhost', '127.0.0.1'));
  for (let second = 0; second < PAGE_MINUTES * 60; second += STEP_SECONDS) {
    const tickets = Array.from({ length: STEP_SECONDS }, (_, index) => ({
      id: `t${second + index}`,
      setor: String(((second + index) % 13) + 1),
      entrou: true,
    }));
    await Promise.all([insertTickets(database.gates, tickets), page.clock.runFor(STEP_SECONDS * 1_000)]);
  }
  await until(async () => expect(await totalOf(page)).toBe('300'));
  const origin = new URL(page.url()).origin;
  const writes = watched.requests.filter((line) => !line.startsWith('GET '));
  expect(new Set(writes)).toEqual(new Set([`POST ${origin}/api/sign-in`]));
  expect(watched.requests.filter((line) => !line.includes(` ${origin}/`))).toEqual([]);
  expect(watched.requests.filter((line) => /vitals|beacon|analytics/.test(line))).toEqual([]);
  expect(watched.console.filter((line) => !line.startsWith('sectors'))).toEqual([]);
});

/** An address of this machine that is not loopback; a name that browsers do not trust as such where there is none. */
function outsideAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? 'board.test';
}

test.each(['board.test', outsideAddress()])(
  'the board works over plain HTTP at %s, which is not loopback',
  async (host) => {
    const watched = await newPage(browser);
    const { port } = new URL(server.url);
    await goLive(watched.page, `http://${host}:${port}`);
    expect(await rowsOf(watched.page)).toHaveLength(13);
    expect(await watched.page.locator('.event').innerText()).toBe(DEFAULT_EVENT_ID);
    expect(watched.console.filter((line) => !line.startsWith('sectors'))).toEqual([]);
    expect(watched.requests.every((line) => line.includes(` http://${host}:${port}/`))).toBe(true);
  },
);
