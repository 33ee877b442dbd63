import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { launchBrowser } from '../../testing/browser.ts';
import { createTestDatabase, setEntered } from '../../testing/database.ts';
import { startNetwork } from '../../testing/network.ts';
import { openForAll, openForEach } from '../../testing/open-for-tests.ts';
import { newPage, openLivePage, type TestPage } from '../../testing/test-page.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const NO_CONNECTION = /^sem conexão · último dado há \d+ s$/;
const NO_SOURCE = /^contagem desatualizada · último dado há \d+ s$/;
/** What invariant 8 promises. */
const LIMIT_MS = 15_000;

const browser = openForAll(launchBrowser);
const database = openForEach(() => createTestDatabase({ inside: { a: '4' }, outside: { b: '7' } }));
const server = openForEach(() => startTestServer(database));
const watched = openForEach(() => openLivePage(browser, server.url));

/** The seconds that the status says; they tick. */
async function ageOf(viewer: TestPage): Promise<number> {
  return Number(/há (\d+) s/.exec(await viewer.status())?.[1] ?? Number.NaN);
}

/** How many clocks there are: one while live, for it is not the age of the data. */
function clocks(): Promise<number> {
  return watched.page.locator('time').count();
}

async function expectStale(words: RegExp): Promise<void> {
  await watched.expectStatus(words, LIMIT_MS);
  expect(await watched.total()).toBe('1');
  expect(await watched.page.locator('.board').getAttribute('data-stale')).not.toBeNull();
  expect(await clocks()).toBe(0);
  const before = await ageOf(watched);
  await until(async () => expect(await ageOf(watched)).toBeGreaterThanOrEqual(before + 2));
}

async function expectLive(total: string): Promise<void> {
  await watched.expectStatus('ao vivo', LIMIT_MS);
  await watched.expectTotal(total);
  expect(await clocks()).toBe(1);
  expect(await watched.page.locator('.board').getAttribute('data-stale')).toBeNull();
}

describe('invariant 8: the screen says what it is worth, and recovers unaided', () => {
  test('when the viewer is offline', async () => {
    await watched.page.context().setOffline(true);
    await expectStale(NO_CONNECTION);
    await setEntered(database.admin, 'b', true);
    await watched.page.context().setOffline(false);
    await expectLive('2');
  });

  test('when the server is gone', async () => {
    const { port } = new URL(server.url);
    await server.stop();
    await expectStale(NO_CONNECTION);
    await setEntered(database.admin, 'b', true);
    await startTestServer(database, { PORT: port });
    await expectLive('2');
  });

  test('when the server has no database', async () => {
    await database.shut();
    await expectStale(NO_SOURCE);
    await setEntered(database.admin, 'b', true);
    await database.allowConnections(true);
    await expectLive('2');
  });

  test('when the stream stays open and says nothing', async () => {
    const network = await startNetwork(server.url);
    await watched.goLive(network.url);
    network.hold();
    await setEntered(database.admin, 'b', true);
    await expectStale(NO_CONNECTION);
    network.restore();
    await expectLive('2');
  });
});

test('a page opened while the server is without its database shows the last counts, as stale', async () => {
  await database.shut();
  await expectStale(NO_SOURCE);
  const late = await newPage(browser);
  await late.page.goto(server.url);
  await late.expectTotal('1');
  expect(await late.status()).toMatch(NO_SOURCE);
  // The age is that of the data, not of the page.
  expect(await ageOf(late)).toBeGreaterThanOrEqual(2);
  await database.allowConnections(true);
  await late.expectStatus('ao vivo');
});

test('a page of a server that has never counted keeps "carregando..." beside the table', async () => {
  await database.shut();
  const cold = await startTestServer(database);
  const late = await newPage(browser);
  await late.page.goto(cold.url);
  await late.page.locator('table').waitFor();
  await late.page.waitForTimeout(1_000);
  expect(await late.total()).toBe('carregando...');
  expect(await late.status()).toBe('conectando');
  expect(await late.page.locator('time').count()).toBe(0);
  await database.allowConnections(true);
  await late.expectTotal('1');
  expect(await late.status()).toBe('ao vivo');
});

test('a database with lower counts is the new truth', async () => {
  await database.admin`delete from tickets where event_id = ${DEFAULT_EVENT_ID}`;
  await expectLive('0');
});
