import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { newPage, openLivePage } from '../../testing/browser/test-page.ts';
import { startTestServer } from '../../testing/server/test-server.ts';

const PAGE_MINUTES = 5;
/** This is shorter than the silence after which a page abandons its connection. */
const STEP_SECONDS = 6;

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database, { HOST: '0.0.0.0' }));
const browser = openForAll(openBrowser);

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
  await watched.goLive(server.url.replace('localhost', '127.0.0.1'));
  for (let second = 0; second < PAGE_MINUTES * 60; second += STEP_SECONDS) {
    const entering = database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, true, (n % 13 + 1)::text
      from generate_series(${second}::int, ${second + STEP_SECONDS - 1}::int) n`;
    await Promise.all([entering, page.clock.runFor(STEP_SECONDS * 1_000)]);
    await watched.expectTotal(String(second + STEP_SECONDS));
  }
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

test.each(IS_FULL ? ['board.test', outsideAddress()] : [outsideAddress()])(
  'the board works over plain HTTP at %s, which is not loopback',
  async (host) => {
    const { port } = new URL(server.url);
    const watched = await openLivePage(browser, `http://${host}:${port}`);
    expect(await watched.rows()).toHaveLength(13);
    expect(await watched.page.locator('.event').innerText()).toBe(DEFAULT_EVENT_ID);
    expect(watched.console.filter((line) => !line.startsWith('sectors'))).toEqual([]);
    expect(watched.requests.every((line) => line.includes(` http://${host}:${port}/`))).toBe(true);
  },
);
