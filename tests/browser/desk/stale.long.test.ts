import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { migrate } from '../../../server/database/schema/migrate.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { createTestDatabase } from '../../../testing/database.ts';
import { type DeskMatch, startDeskMatch } from '../../../testing/desk-match.ts';
import { fillInSignIn, openDeskPage } from '../../../testing/desk-page.ts';
import { startNetwork } from '../../../testing/network.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { newPage, type TestPage } from '../../../testing/test-page.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { deskSettings } from '../../../testing/desk-app.ts';
import { until } from '../../../testing/until.ts';

const NO_CONNECTION = /^sem conexão · último dado há \d+ s$/;
const NO_SOURCE = /^contagem desatualizada · último dado há \d+ s$/;
const LIMIT_MS = 15_000;
const STOPPED = 'SUL DORIL';
/** A look every ten seconds, and what a busy machine takes. */
const SHOWN_WITHIN_MS = 150_000;
const TIMEOUT_MS = 240_000;

const browser = openForAll(launchBrowser);
const match: DeskMatch = openForAll(startStoppedMatch, SHOWN_WITHIN_MS);

/**
 * Somewhere nobody has entered for a while, which calls somebody; and there is a range. Without a gap before it, it is found
 * at once: minutes later everybody has stopped, which is another alarm.
 */
function startStoppedMatch(): Promise<DeskMatch> {
  const incidents = ['stop:7@-30+60'];
  return startDeskMatch({ minutesToKickOff: 14, earlierMatches: 3, incidents, beginsEarly: true });
}

const alarmOf = (page: Page) => page.locator('.alarm', { hasText: `sem acessos registrados · ${STOPPED}` });
const ratesOf = (page: Page) => page.locator('.row-rate').allInnerTexts();
const stateOf = (page: Page) => page.locator('.rows tr', { hasText: STOPPED }).locator('.row-state');

/** A desk on which there is something of all that must not be carried on, and an alarm, which must stay. */
async function expectAlarmed({ page }: TestPage): Promise<void> {
  await alarmOf(page).waitFor({ timeout: SHOWN_WITHIN_MS });
  await until(async () => {
    expect(await ratesOf(page)).toContainEqual(expect.stringMatching(/^\d+$/));
    expect(await stateOf(page).innerText()).toMatch(/^sem acessos há/);
    expect(await page.locator('.ranges [data-row="range"]').innerText()).toMatch(/\d – \d/);
    expect(await page.locator('.curve-range').getAttribute('d')).toMatch(/^M/);
  }, SHOWN_WITHIN_MS);
}

async function openAlarmed(url: string): Promise<TestPage> {
  const opened = await openDeskPage(browser, url);
  await expectAlarmed(opened);
  return opened;
}

/** Of a server that has nothing live to show. */
async function openWithoutData(url: string): Promise<TestPage> {
  const opened = await newPage(browser, { viewport: { width: 1920, height: 1080 } });
  await opened.page.goto(`${url}/fluxo`);
  await fillInSignIn(opened, 'Bia');
  return opened;
}

/** The alarm stays; whether it still holds is not said; and nothing that was true before is said of now. */
async function expectNothingCarriedOn(page: Page): Promise<void> {
  expect(await alarmOf(page).getAttribute('data-state')).toBe('calling');
  expect(await page.locator('.alarm-watch').innerText()).toMatch(/^sem dados: alarmes não verificados desde/);
  expect(new Set(await ratesOf(page))).toEqual(new Set(['–']));
  expect(await page.locator('.row-state').allInnerTexts()).toEqual([]);
  expect(await page.locator('.rows tr[data-alarm]').count()).toBe(0);
  expect(await page.locator(':is(.answer-figures, .ranges)').count()).toBe(0);
  await until(async () => expect(await page.locator('.curve-range').getAttribute('d')).toBe(''));
  expect(await page.locator('.curve-drawing :is(.curve-needed, [data-kind="range"])').count()).toBe(0);
}

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
  await expectNothingCarriedOn(page);
}

async function expectLive(opened: TestPage, total: number): Promise<void> {
  await opened.expectStatus('ao vivo', 30_000);
  await until(async () => expect(await totalOf(opened)).toBe(total));
  const { page } = opened;
  expect(await page.locator('.desk').getAttribute('data-stale')).toBeNull();
  expect(await alarmOf(page).count()).toBe(1);
  await until(async () => expect(await page.locator('.ranges').count()).toBe(1), 30_000);
}

describe('the desk says what it is worth, keeps its alarm and no rate, range or state, and recovers unaided', () => {
  test(
    'when it is offline',
    async () => {
      const opened = await openAlarmed(match.server.url);
      const total = await totalOf(opened);
      await opened.page.context().setOffline(true);
      await expectStale(opened, NO_CONNECTION);
      await match.enter('4', 3);
      await opened.page.context().setOffline(false);
      await expectLive(opened, total + 3);
    },
    TIMEOUT_MS,
  );

  test(
    'when the stream stays open and says nothing',
    async () => {
      const network = await startNetwork(match.server.url);
      const opened = await openAlarmed(network.url);
      const total = await totalOf(opened);
      network.hold();
      await match.enter('4', 3);
      await expectStale(opened, NO_CONNECTION);
      network.restore();
      await expectLive(opened, total + 3);
    },
    TIMEOUT_MS,
  );

  test(
    'when the server is gone',
    async () => {
      const own = await startStoppedMatch();
      const opened = await openAlarmed(own.server.url);
      const total = await totalOf(opened);
      await own.server.stop();
      await expectStale(opened, NO_CONNECTION);
      await own.enter('4', 3);
      await startTestServer(own.database, {
        ...deskSettings(own.database),
        PORT: new URL(own.server.url).port,
      });
      await expectLive(opened, total + 3);
    },
    TIMEOUT_MS,
  );

  test(
    'when the server has no database',
    async () => {
      const { database, server } = await startStoppedMatch();
      const opened = await openAlarmed(server.url);
      const total = await totalOf(opened);
      await database.shut();
      await expectStale(opened, NO_SOURCE);
      // One that is opened now shows the last counts that the server has, as what they are.
      const late = await openWithoutData(server.url);
      await expectStale(late, NO_SOURCE);
      expect(await totalOf(late)).toBe(total);
      await database.admin`
        update public.tickets set entrou = true
        where id in (select id from public.tickets where setor = '4' and not entrou limit 3)`;
      await database.allowConnections(true);
      for (const desk of [opened, late]) await expectLive(desk, total + 3);
    },
    TIMEOUT_MS,
  );

  test(
    'when the stream is cut from its table',
    async () => {
      const own = await startStoppedMatch();
      const opened = await openAlarmed(own.server.url);
      const total = await totalOf(opened);
      // The stream goes on, and leaves out what enters from now on.
      await own.database.admin`alter publication triagem drop table tickets`;
      await own.enter('4', 3);
      await expectStale(opened, NO_SOURCE);
      expect(await totalOf(opened)).toBe(total);
      await migrate({ ...own.database, log: () => {} });
      await expectLive(opened, total + 3);
    },
    TIMEOUT_MS,
  );
});

test('a desk of a server that has never counted shows no figure, and is live by itself once it has', async () => {
  const database = await createTestDatabase({ inside: { a: '4' } });
  await database.shut();
  const cold = await startTestServer(database, deskSettings(database));
  const opened = await openWithoutData(cold.url);
  await pause(1_000);
  expect(await opened.status()).toBe('conectando');
  expect(await opened.page.locator(':is(.total-figure, .rows, .answer-figures, .alarm-watch)').count()).toBe(
    0,
  );
  await database.allowConnections(true);
  await opened.expectStatus('ao vivo', LIMIT_MS);
  await until(async () => expect(await totalOf(opened)).toBe(1));
});

test(
  'an occurrence and an acknowledgement that are sent while offline are each written once after the reconnect, and told as done no sooner',
  async () => {
    const opened = await openAlarmed(match.server.url);
    const { page } = opened;
    await page.getByRole('button', { name: 'ocorrência' }).click();
    await page.getByLabel('o que houve').fill('chuva forte');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'registrar' }).click();
    await expectNotice(page, 'enviando 1 lançamento…');
    expect(await page.locator('.desk-dialog').innerText()).toMatch('registrando…');

    const alarm = alarmOf(page);
    await alarm.getByRole('button', { name: /^ciente/ }).press('Enter');
    await page.keyboard.type('rádio ao portão 7');
    await page.keyboard.press('Enter');
    await expectNotice(page, 'enviando 2 lançamentos…');
    await opened.expectStatus(NO_CONNECTION, LIMIT_MS);
    expect(await alarm.innerText()).toMatch('registrando…');
    expect(await alarm.innerText()).not.toMatch(/ciente: Ana|ciente registrado/);
    expect(await alarm.getAttribute('data-state')).toBe('calling');
    expect(await alarm.getByLabel('nota').inputValue()).toBe('rádio ao portão 7');
    expect(await written(['occurrence', 'acknowledge'])).toEqual([]);

    await page.context().setOffline(false);
    await opened.expectStatus('ao vivo', LIMIT_MS);
    await until(async () => expect(await page.locator('.desk-dialog').count()).toBe(0));
    await until(async () =>
      expect((await page.locator('.log').innerText()).match(/chuva forte/g)).toHaveLength(1),
    );
    await until(async () =>
      expect(await alarm.innerText()).toMatch(/ciente: Ana, \d\d:\d\d: “rádio ao portão 7”/),
    );
    expect(await alarm.getAttribute('data-state')).toBe('quiet');
    expect(await alarm.getByLabel('nota').count()).toBe(0);
    await expectNotice(page, '');
    const rows = await written(['occurrence', 'acknowledge']);
    expect(rows.toSorted()).toEqual(['acknowledge: rádio ao portão 7', 'occurrence: chuva forte']);
  },
  TIMEOUT_MS,
);

async function expectNotice(page: Page, words: string): Promise<void> {
  await until(async () => expect(await page.locator('.notices').innerText()).toBe(words));
}

/** What the record has of these kinds. */
async function written(kinds: readonly string[]): Promise<readonly string[]> {
  const rows = await match.database.admin<{ kind: string; said: string }[]>`
    select kind, coalesce(data->>'text', data->>'note') as said from triagem.log where kind = any (${kinds})`;
  return rows.map(({ kind, said }) => `${kind}: ${said}`);
}
