import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { LIVE_AGE_MS } from '../../domain/freshness.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { createTestDatabase, insertTickets } from '../../testing/database/database.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { newPage, type TestPage } from '../../testing/browser/test-page.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const NO_CONNECTION = /^sem conexão · último dado há \d+ s$/;
const NO_SOURCE = /^contagem desatualizada · último dado há \d+ s$/;
/** The limit of invariant 8. */
const LIMIT_MS = LIVE_AGE_MS;

const browser = openForAll(openBrowser);
const database = openForAll(() => createTestDatabase({ inside: { t1: '4' } }));
const server = openForAll(() => startTestServer(database));
const network = openForAll(() => startNetwork(server.url));
/** The test may advance the page's clock. */
const watched = openForAll(async () => {
  const opened = await newPage(browser);
  await opened.page.clock.install();
  await opened.goLive(network.url);
  return opened;
});
/** The number of admissions. */
let entered = 1;

/** The seconds in the status, which tick. */
async function ageOf(viewer: TestPage): Promise<number> {
  return Number(/há (\d+) s/.exec(await viewer.status())?.[1] ?? Number.NaN);
}

/** The number of clocks, which is one while live. */
function clocks(): Promise<number> {
  return watched.page.locator('time').count();
}

async function expectStale(words: RegExp, total = entered): Promise<void> {
  await watched.expectStatus(words);
  expect(await watched.total()).toBe(String(total));
  expect(await watched.page.locator('.board').getAttribute('data-stale')).not.toBeNull();
  expect(await clocks()).toBe(0);
  const before = await ageOf(watched);
  await watched.page.clock.runFor(2_000);
  await until(async () => expect(await ageOf(watched)).toBeGreaterThanOrEqual(before + 2));
}

async function expectLive(): Promise<void> {
  await watched.expectStatus('ao vivo');
  await watched.expectTotal(String(entered));
  expect(await clocks()).toBe(1);
  expect(await watched.page.locator('.board').getAttribute('data-stale')).toBeNull();
}

/** Adds an entry that the screen does not receive. */
async function enterOne(): Promise<void> {
  entered += 1;
  await insertTickets(database.admin, { inside: { [`t${entered}`]: '4' } });
}

test('a page of a server that has never counted keeps "carregando..." beside the table', async () => {
  await database.shut();
  const cold = await startTestServer(database);
  const late = await newPage(browser);
  await late.page.clock.install();
  await late.page.goto(cold.url);
  await late.page.locator('table').waitFor();
  await late.page.clock.runFor(LIMIT_MS);
  expect(await late.total()).toBe('carregando...');
  expect(await late.status()).toBe('conectando');
  expect(await late.page.locator('time').count()).toBe(0);
  await database.allowConnections(true);
  await late.expectTotal(String(entered));
  expect(await late.status()).toBe('ao vivo');
});

test('a database with lower counts is the new truth', async () => {
  await database.admin`delete from tickets where event_id = ${DEFAULT_EVENT_ID}`;
  entered = 0;
  await expectLive();
});

describe('invariant 8: the screen displays stale numbers as such, and recovers unaided', () => {
  test('when the viewer is offline', async () => {
    await watched.page.context().setOffline(true);
    await expectStale(NO_CONNECTION);
    await enterOne();
    await watched.page.context().setOffline(false);
    await expectLive();
  });

  test('when the server has no database; a page opened meanwhile shows the last counts, as stale', async () => {
    const shutAtMs = performance.now();
    await database.shut();
    await expectStale(NO_SOURCE);
    await until(() => expect(performance.now() - shutAtMs).toBeGreaterThan(2_000));
    const late = await newPage(browser);
    await late.page.goto(server.url);
    await late.expectTotal(String(entered));
    expect(await late.status()).toMatch(NO_SOURCE);
    // The age is that of the data, not of the page.
    expect(await ageOf(late)).toBeGreaterThanOrEqual(2);
    await enterOne();
    await database.allowConnections(true);
    await expectLive();
    await late.expectStatus('ao vivo');
  });

  test('when the stream stays open and says nothing', async () => {
    network.hold();
    await enterOne();
    await watched.page.clock.runFor(LIMIT_MS);
    await expectStale(NO_CONNECTION, entered - 1);
    network.restore();
    await expectLive();
  });

  // This test comes last, as its server ends with it.
  test('when the server is gone', async () => {
    const { port } = new URL(server.url);
    await server.stop();
    await expectStale(NO_CONNECTION);
    await enterOne();
    await startTestServer(database, { PORT: port });
    await expectLive();
  });
});
