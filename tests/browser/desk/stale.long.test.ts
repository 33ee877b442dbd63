import { describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { type DeskMatch, startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage, signInToDesk } from '../../../testing/desk-page.ts';
import { startNetwork } from '../../../testing/network.ts';
import { openForAll, openForEach } from '../../../testing/open-for-tests.ts';
import { newPage, type TestPage } from '../../../testing/test-page.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { deskSettings } from '../../../testing/desk-app.ts';
import { until } from '../../../testing/until.ts';

const NO_CONNECTION = /^sem conexão · último dado há \d+ s$/;
const NO_SOURCE = /^contagem desatualizada · último dado há \d+ s$/;
const LIMIT_MS = 15_000;

const browser = openForAll(launchBrowser);
const match: DeskMatch = openForEach(() => startDeskMatch());

async function totalOf({ page }: TestPage): Promise<number> {
  return Number((await page.locator('.total-admitted').innerText()).replaceAll('.', ''));
}

async function expectStale(opened: TestPage, words: RegExp): Promise<void> {
  await opened.expectStatus(words, LIMIT_MS);
  const { page } = opened;
  expect(await page.locator('.desk').getAttribute('data-stale')).not.toBeNull();
  await until(async () =>
    expect(await page.locator('.desk-right').innerText()).toMatch(/sem dados desde \d\d:\d\d/),
  );
  // Beside the figure itself; how long ago is said once, by the status.
  expect(await page.locator('.total-figure').innerText()).toMatch(/\ssem dados desde \d\d:\d\d$/);
  expect(await page.locator('.desk-right').innerText()).not.toMatch(/\bhá \d+ (s|min)\b/);
  expect(await page.locator('.desk-right').innerText()).not.toMatch(/ritmo necessário\s+\d/);
}

async function expectLive(opened: TestPage, total: number): Promise<void> {
  await opened.expectStatus('ao vivo', 30_000);
  await until(async () => expect(await totalOf(opened)).toBe(total));
  expect(await opened.page.locator('.desk').getAttribute('data-stale')).toBeNull();
}

describe('the desk says what it is worth, and recovers unaided', () => {
  test('when it is offline', async () => {
    const opened = await openDeskPage(browser, match.server.url);
    const total = await totalOf(opened);
    await opened.page.context().setOffline(true);
    await expectStale(opened, NO_CONNECTION);
    await match.enter('4', 3);
    await opened.page.context().setOffline(false);
    await expectLive(opened, total + 3);
  });

  test('when the server is gone', async () => {
    const opened = await openDeskPage(browser, match.server.url);
    const total = await totalOf(opened);
    await match.server.stop();
    await expectStale(opened, NO_CONNECTION);
    await match.enter('4', 3);
    await startTestServer(match.database, {
      ...deskSettings(match.database),
      PORT: new URL(match.server.url).port,
    });
    await expectLive(opened, total + 3);
  });

  test('when the server has no database', async () => {
    const opened = await openDeskPage(browser, match.server.url);
    const total = await totalOf(opened);
    await match.database.shut();
    await expectStale(opened, NO_SOURCE);
    await match.database.admin`
      update public.tickets set entrou = true
      where id in (select id from public.tickets where setor = '4' and not entrou limit 3)`;
    await match.database.allowConnections(true);
    await expectLive(opened, total + 3);
  });

  test('when the stream stays open and says nothing', async () => {
    const network = await startNetwork(match.server.url);
    const opened = await newPage(browser);
    await opened.page.goto(`${network.url}/fluxo`);
    await signInToDesk(opened, 'Ana');
    const total = await totalOf(opened);
    network.hold();
    await match.enter('4', 3);
    await expectStale(opened, NO_CONNECTION);
    network.restore();
    await expectLive(opened, total + 3);
  });
});

test('what is sent while offline is written once after the reconnect, and told as done no sooner', async () => {
  const opened = await openDeskPage(browser, match.server.url);
  const { page } = opened;
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('chuva forte');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'registrar' }).click();
  await until(async () => expect(await page.locator('.notices').innerText()).toBe('enviando 1 lançamento…'));
  expect(await page.locator('.desk-dialog').innerText()).toMatch('registrando…');
  await page.context().setOffline(false);
  await opened.expectStatus('ao vivo', LIMIT_MS);
  await until(async () => expect(await page.locator('.desk-dialog').count()).toBe(0));
  await until(async () =>
    expect((await page.locator('.log').innerText()).match(/chuva forte/g)).toHaveLength(1),
  );
  const [{ count } = { count: 0 }] = await match.database.admin<{ count: number }[]>`
    select count(*)::int as count from triagem.log where kind = 'occurrence'`;
  expect(count).toBe(1);
});
