import type { Browser } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import {
  goLive,
  launchBrowser,
  newPage,
  openLivePage,
  statusOf,
  type TestPage,
  totalOf,
} from '../../testing/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { startNetwork } from '../../testing/network.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { insertTickets, setEntered } from '../../testing/tickets.ts';
import { until } from '../../testing/until.ts';

const NO_CONNECTION = /^sem conexão · último dado há \d+ s$/;
const NO_SOURCE = /^contagem desatualizada · último dado há \d+ s$/;
/** What invariant 8 promises. */
const LIMIT_MS = 15_000;

let database: TestDatabase;
let server: TestServer;
let browser: Browser;
let watched: TestPage;

beforeAll(async () => {
  browser = await launchBrowser();
});

beforeEach(async () => {
  database = await createTestDatabase();
  await insertTickets(database.gates, [
    { id: 'a', setor: '4', entrou: true },
    { id: 'b', setor: '7' },
  ]);
  server = await startTestServer(database);
  watched = await openLivePage(browser, server.url);
});

/** The seconds that the status says; they tick. */
async function age(): Promise<number> {
  return Number(/há (\d+) s/.exec(await statusOf(watched.page))?.[1] ?? Number.NaN);
}

/** How many clocks there are: one while live, for it is not the age of the data. */
function clocks(): Promise<number> {
  return watched.page.locator('time').count();
}

async function expectStale(words: RegExp): Promise<void> {
  await until(async () => expect(await statusOf(watched.page)).toMatch(words), LIMIT_MS);
  expect(await totalOf(watched.page)).toBe('1');
  expect(await watched.page.locator('.board').getAttribute('data-stale')).not.toBeNull();
  expect(await clocks()).toBe(0);
  const before = await age();
  await until(async () => expect(await age()).toBeGreaterThanOrEqual(before + 2));
}

async function expectLive(total: string): Promise<void> {
  await until(async () => expect(await statusOf(watched.page)).toBe('ao vivo'), LIMIT_MS);
  await until(async () => expect(await totalOf(watched.page)).toBe(total));
  expect(await clocks()).toBe(1);
  expect(await watched.page.locator('.board').getAttribute('data-stale')).toBeNull();
}

/** Nobody gets into the database any more, and the observer is thrown out. */
async function shutDatabase(): Promise<() => Promise<void>> {
  await database.allowConnections(false);
  await database.admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'triagem_observer' and datname = current_database()`;
  return () => database.allowConnections(true);
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
    server = await startTestServer(database, { PORT: port });
    await expectLive('2');
  });

  test('when the server has no database', async () => {
    const open = await shutDatabase();
    await expectStale(NO_SOURCE);
    await setEntered(database.admin, 'b', true);
    await open();
    await expectLive('2');
  });

  test('when the stream stays open and says nothing', async () => {
    const network = await startNetwork(server.url);
    await goLive(watched.page, network.url);
    network.hold();
    await setEntered(database.admin, 'b', true);
    await expectStale(NO_CONNECTION);
    network.restore();
    await expectLive('2');
  });
});

test('a page opened while the server is without its database shows the last counts, as stale', async () => {
  const open = await shutDatabase();
  await expectStale(NO_SOURCE);
  const late = await newPage(browser);
  await late.page.goto(server.url);
  await until(async () => expect(await totalOf(late.page)).toBe('1'));
  expect(await statusOf(late.page)).toMatch(NO_SOURCE);
  // The age is that of the data, not of the page.
  expect(Number(/há (\d+) s/.exec(await statusOf(late.page))?.[1])).toBeGreaterThanOrEqual(2);
  await open();
  await until(async () => expect(await statusOf(late.page)).toBe('ao vivo'));
});

test('a page of a server that has never counted keeps "carregando..." beside the table', async () => {
  const open = await shutDatabase();
  const cold = await startTestServer(database);
  const late = await newPage(browser);
  await late.page.goto(cold.url);
  await late.page.locator('table').waitFor();
  await late.page.waitForTimeout(1_000);
  expect(await totalOf(late.page)).toBe('carregando...');
  expect(await statusOf(late.page)).toBe('conectando');
  expect(await late.page.locator('time').count()).toBe(0);
  await open();
  await until(async () => expect(await totalOf(late.page)).toBe('1'));
  expect(await statusOf(late.page)).toBe('ao vivo');
});

test('a database with lower counts is the new truth', async () => {
  await database.admin`delete from tickets where event_id = ${DEFAULT_EVENT_ID}`;
  await expectLive('0');
});
