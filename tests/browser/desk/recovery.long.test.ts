import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { LIVE_AGE_MS } from '../../../domain/freshness.ts';
import { openBrowser } from '../../../testing/browser/browser.ts';
import { createTestDatabase, newEventId } from '../../../testing/database/database.ts';
import { deskSettings } from '../../../testing/desk/desk-app.ts';
import { type DeskMatch, startDeskMatch } from '../../../testing/desk/desk-match.ts';
import { fillInSignIn, signInToDesk } from '../../../testing/browser/desk-page.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { newPage, type TestPage } from '../../../testing/browser/test-page.ts';
import { startTestServer } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';

const NO_CONNECTION = /^sem conexão · último dado há \d+ s$/;
const NO_SOURCE = /^contagem desatualizada · último dado há \d+ s$/;
const LIMIT_MS = LIVE_AGE_MS;
const STOPPED = 'SUL DORIL';

const browser = openForAll(openBrowser);
/** A sector has stopped, which is an alarm, and there is a range. The clock stands still, so both stay. */
const match: DeskMatch = openForAll(() =>
  startDeskMatch({ minutesToKickOff: 14, earlierMatches: 3, incidents: ['stop:7@-30+60'], speed: 0 }),
);
const network = openForAll(() => startNetwork(match.server.url));
/** A test may advance the page's clock. */
const desk: TestPage = openForAll(async () => {
  const opened = await newPage(browser, { viewport: { width: 1920, height: 1080 } });
  await opened.page.clock.install();
  await opened.page.goto(`${network.url}/fluxo`);
  await signInToDesk(opened, 'Ana');
  return opened;
});

const alarmOf = (page: Page) => page.locator('.alarm', { hasText: `sem acessos registrados · ${STOPPED}` });
const ratesOf = (page: Page) => page.locator('.row-rate').allInnerTexts();
const stateOf = (page: Page) => page.locator('.rows tr', { hasText: STOPPED }).locator('.row-state');

async function totalOf({ page }: TestPage): Promise<number> {
  return Number((await page.locator('.total-admitted').innerText()).replaceAll('.', ''));
}

/** The desk has figures, which must not become stale, and an alarm, which must stay. Returns the total. */
async function expectAlarmed({ page }: TestPage = desk): Promise<number> {
  await until(async () => {
    expect(await alarmOf(page).getAttribute('data-state')).toBe('calling');
    expect(await ratesOf(page)).toContainEqual(expect.stringMatching(/^\d+$/));
    expect(await stateOf(page).innerText()).toMatch(/^sem acessos há/);
    expect(await page.locator('.ranges [data-row="range"]').innerText()).toMatch(/\d – \d/);
    expect(await page.locator('.curve-range').getAttribute('d')).toMatch(/^M/);
  }, 30_000);
  return totalOf(desk);
}

/** Opens a desk of a server without live data. */
async function openWithoutData(url: string): Promise<TestPage> {
  const opened = await newPage(browser, { viewport: { width: 1920, height: 1080 } });
  await opened.page.goto(`${url}/fluxo`);
  await fillInSignIn(opened, 'Bia');
  return opened;
}

/** The alarm stays, marked as not verified, and no stale figure is displayed. */
async function expectNoStaleFigures(page: Page): Promise<void> {
  expect(await alarmOf(page).getAttribute('data-state')).toBe('calling');
  expect(await page.locator('.alarm-watch').innerText()).toMatch(/^sem dados: alarmes não verificados desde/);
  expect(new Set(await ratesOf(page))).toEqual(new Set(['–']));
  expect(await page.locator('.row-state').allInnerTexts()).toEqual([]);
  expect(await page.locator('.rows tr[data-alarm]').count()).toBe(0);
  expect(await page.locator(':is(.answer-figures, .ranges)').count()).toBe(0);
  await until(async () => expect(await page.locator('.curve-range').getAttribute('d')).toBe(''));
  expect(await page.locator('.curve-drawing :is(.curve-needed, [data-kind="range"])').count()).toBe(0);
}

async function expectStale(words: RegExp, opened: TestPage = desk): Promise<void> {
  await opened.expectStatus(words);
  const { page } = opened;
  expect(await page.locator('.desk').getAttribute('data-stale')).not.toBeNull();
  await until(async () =>
    expect(await page.locator('.desk-right').innerText()).toMatch(/sem dados desde \d\d:\d\d/),
  );
  // The time stands beside the figure; the status alone has the age.
  expect(await page.locator('.total-figure').innerText()).toMatch(/\ssem dados desde \d\d:\d\d$/);
  expect(await page.locator('.desk-right').innerText()).not.toMatch(/\bhá \d+ (s|min)\b/);
  expect(await page.locator('.desk-right').innerText()).not.toMatch(/ritmo necessário\s+\d/);
  await expectNoStaleFigures(page);
}

/** The clock advances even while the counts are stale. */
async function expectTimeAdvances(page: Page): Promise<void> {
  const clock = page.locator('.strip-clock .clock');
  const kickOff = page.locator('.strip-kick-off');
  const [time, left] = [await clock.innerText(), await kickOff.innerText()];
  await page.clock.runFor(62_000);
  await until(async () => expect(await clock.innerText()).not.toBe(time));
  expect(left).toMatch(/^\d+ min para o início/);
  await until(async () => expect(await kickOff.innerText()).not.toBe(left));
}

/** After more than a minute the page states the reason as well, and that no alarm can be verified. */
async function expectStatedWhereverScrolled(page: Page): Promise<void> {
  const why = 'O servidor não responde: verifique a rede deste aparelho.';
  expect(await page.locator('#alarms-heading').innerText()).toMatch(/^alarmes sem como verificar · 1 novo$/);
  expect(await page.locator('.notices').innerText()).toContain(why);
  const wall = page.viewportSize() ?? { width: 1920, height: 1080 };
  for (const [width, height] of [
    [390, 844],
    [1366, 500],
  ] as const) {
    await page.setViewportSize({ width, height });
    const line = page.locator('.lost-line');
    await page.evaluate(() => window.scrollTo(0, 0));
    await until(async () => expect(await line.count()).toBe(0));
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await line.waitFor();
    expect(await line.innerText()).toMatch(/^sem conexão há \d+ (?:s|min) · O servidor não responde/);
    expect(await line.boundingBox()).toMatchObject({ x: 0, y: 0, width });
  }
  await page.setViewportSize(wall);
}

async function expectLive(total: number, opened: TestPage = desk): Promise<void> {
  await opened.expectStatus('ao vivo', 30_000);
  await until(async () => expect(await totalOf(opened)).toBe(total));
  const { page } = opened;
  expect(await page.locator('.desk').getAttribute('data-stale')).toBeNull();
  expect(await alarmOf(page).count()).toBe(1);
  await until(async () => expect(await page.locator('.ranges').count()).toBe(1), 30_000);
}

describe('the desk displays stale figures as such, keeps its alarm but no rate, range or state, and recovers unaided', () => {
  test('when the stream stays open and says nothing', async () => {
    const total = await expectAlarmed();
    network.hold();
    await match.enter('4', 3);
    await desk.page.clock.runFor(LIMIT_MS);
    await expectStale(NO_CONNECTION);
    await expectTimeAdvances(desk.page);
    await expectStatedWhereverScrolled(desk.page);
    network.restore();
    await expectLive(total + 3);
  });

  test('when the server has no database', async () => {
    const total = await expectAlarmed();
    await match.database.shut();
    await expectStale(NO_SOURCE);
    // A desk that is opened now displays the server's last counts as stale.
    const late = await openWithoutData(match.server.url);
    await expectStale(NO_SOURCE, late);
    expect(await totalOf(late)).toBe(total);
    await match.database.admin`
      update public.tickets set entrou = true
      where id in (select id from public.tickets where setor = '4' and not entrou limit 3)`;
    await match.database.allowConnections(true);
    for (const opened of [desk, late]) await expectLive(total + 3, opened);
  });
});

test('offline the desk is stale; an occurrence and an acknowledgement that are sent then are recorded once after the reconnect, and not confirmed before', async () => {
  const total = await expectAlarmed();
  const { page } = desk;
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('chuva forte');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'registrar' }).click();
  await expectNotice('enviando 1 lançamento…');
  expect(await page.locator('.desk-dialog').innerText()).toMatch('registrando…');
  expect(await page.getByRole('button', { name: 'registrar', exact: true }).isDisabled()).toBe(true);

  const alarm = alarmOf(page);
  await alarm.getByRole('button', { name: /^ciente/ }).press('Enter');
  await page.keyboard.type('rádio ao portão 7');
  await page.keyboard.press('Enter');
  await expectNotice('enviando 2 lançamentos…');
  await expectStale(NO_CONNECTION);
  await match.enter('4', 3);
  expect(await alarm.innerText()).toMatch('registrando…');
  expect(await alarm.innerText()).not.toMatch(/ciente: Ana|ciente registrado/);
  expect(await alarm.getAttribute('data-state')).toBe('calling');
  expect(await alarm.getByLabel('nota').inputValue()).toBe('rádio ao portão 7');
  expect(await written()).toEqual([]);

  await page.context().setOffline(false);
  await expectLive(total + 3);
  await until(async () => expect(await page.locator('.desk-dialog').count()).toBe(0));
  await until(async () =>
    expect((await page.locator('.log').innerText()).match(/chuva forte/g)).toHaveLength(1),
  );
  await until(async () =>
    expect(await alarm.innerText()).toMatch(/ciente: Ana, \d\d:\d\d: “rádio ao portão 7”/),
  );
  expect(await alarm.getAttribute('data-state')).toBe('quiet');
  expect(await alarm.getByLabel('nota').count()).toBe(0);
  await expectNotice('');
  expect(await written()).toEqual(['acknowledge: rádio ao portão 7', 'occurrence: chuva forte']);
});

test('while the record is unavailable, buttons state it and do nothing; the text stays, and is recorded once it is available', async () => {
  const { page } = desk;
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('fila longa');
  // The connections that count stay.
  await match.database.allowConnections(false);
  await match.database.admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${match.database.name} and usename = ${new URL(match.database.recordUrl).username}`;
  await page.getByText('Registro indisponível').waitFor();
  expect(await desk.status()).toBe('ao vivo');

  // The buttons state the reason and can be focused, but neither a click nor Enter does anything.
  const actions = page.locator('.actions-panel');
  await actions.getByText(/^nada pode ser lançado agora/).waitFor();
  const closing = actions.getByRole('button', { name: 'encerrar entrada' });
  const record = page.getByRole('button', { name: 'registrar', exact: true });
  for (const button of [closing, record]) {
    await until(async () => expect(await button.getAttribute('aria-disabled')).toBe('true'));
    const notice = await button.getAttribute('aria-describedby');
    expect(await page.locator(`#${notice}`).innerText()).toMatch(/^Registro indisponível/);
    await button.focus();
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
  }
  await page.getByLabel('o que houve').press('Enter');
  expect(await page.getByRole('dialog').innerText()).toMatch('nada pode ser lançado agora');
  expect(await page.getByText('registrando…').count()).toBe(0);
  expect(await page.getByRole('dialog').count()).toBe(1);
  expect(await page.getByLabel('o que houve').inputValue()).toBe('fila longa');

  await match.database.allowConnections(true);
  await until(async () => expect(await page.getByText('Registro indisponível').count()).toBe(0));
  expect(await closing.getAttribute('aria-disabled')).toBeNull();
  expect(await page.getByText(/^nada pode ser lançado agora/).count()).toBe(0);
  await page.getByLabel('o que houve').press('Enter');
  await page.getByText('ocorrência registrada').waitFor();
  expect(await written()).toContain('occurrence: fila longa');
  expect(await written()).toHaveLength(3);
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
  await opened.expectStatus('ao vivo');
  await until(async () => expect(await totalOf(opened)).toBe(1));
});

test('a desk whose server has another event now asks for a sign-in to that one, and keeps nothing of the former', async () => {
  const database = await createTestDatabase({ inside: { a: '4' } });
  const settings = deskSettings(database);
  const own = await startNetwork((await startTestServer(database, settings)).url);
  const opened = await newPage(browser);
  const { page } = opened;
  await page.goto(`${own.url}/fluxo`);
  await signInToDesk(opened, 'Ana');
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('fila longa');
  const eventId = newEventId();
  own.redirect((await startTestServer(database, { ...settings, EVENT_ID: eventId })).url);
  await page.getByRole('dialog', { name: 'Mesa de fluxo' }).waitFor({ timeout: 30_000 });
  expect(await page.locator('html').getAttribute('data-event')).toBe(eventId);
  expect(await page.getByLabel('o que houve').count()).toBe(0);
});

async function expectNotice(words: string): Promise<void> {
  await until(async () => expect(await desk.page.locator('.notices').innerText()).toBe(words));
}

/** Returns the operators' entries in the record, sorted. */
async function written(): Promise<readonly string[]> {
  const rows = await match.database.admin<{ kind: string; text: string | null }[]>`
    select kind, coalesce(data->>'text', data->>'note') as text from triagem.log where by_name is not null`;
  return rows.map(({ kind, text }) => `${kind}: ${text}`).toSorted();
}
