import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage, signInToDesk } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { newPage } from '../../../testing/test-page.ts';
import { until } from '../../../testing/until.ts';
import { clockOf, replayMinute } from './replayed-page.ts';

const browser = openForAll(launchBrowser);

test('a desk asks its own origin only, and writes by sign-in and commands alone', async () => {
  const match = await startDeskMatch();
  const opened = await openDeskPage(browser, match.server.url);
  const { page } = opened;
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('chuva forte');
  await page.getByRole('button', { name: 'registrar' }).click();
  await until(async () => expect(await page.locator('.log').innerText()).toMatch(/chuva forte/));
  await match.enter('4', 5);
  await page.waitForTimeout(3_000);
  const { origin } = new URL(page.url());
  expect(opened.requests.filter((line) => !line.includes(` ${origin}/`))).toEqual([]);
  expect(opened.requests.filter((line) => !line.startsWith('GET '))).toEqual([
    `POST ${origin}/fluxo/api/sign-in`,
    `POST ${origin}/fluxo/api/events/${DEFAULT_EVENT_ID}/commands`,
  ]);
  expect(
    opened.requests
      .filter((line) => line.includes('/api/events/'))
      .filter((line) => !line.includes('/fluxo/')),
  ).toEqual([]);
  // The first question whether there is a session is answered with no.
  expect(opened.console.filter((line) => !line.includes('401'))).toEqual([]);
});

test('another operator, an invitation, a recorded minute, the record and its files, and the way out ask the same origin, and write at the documented addresses alone', async () => {
  const { server, kickOffMs } = await startDeskMatch();
  const opened = await newPage(browser, { viewport: { width: 1920, height: 1080 } });
  const { page } = opened;
  // Of all its pages: the record opens in one of its own.
  const requests: string[] = [];
  page.context().on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  await page.goto(`${server.url}/fluxo`);
  await signInToDesk(opened, 'Ana');
  const choose = async (role: 'button' | 'link', name: string): Promise<void> => {
    await page.locator('.operator summary').click();
    await page.getByRole(role, { name }).click();
  };
  await choose('button', 'trocar operador');
  await page.getByLabel('Nome de quem assume').fill('Bia');
  await page.getByRole('button', { name: 'assumir' }).click();
  await until(async () => expect(await page.locator('.operator summary').innerText()).toBe('Bia'));
  await choose('button', 'entrar com o telefone');
  await page.getByRole('img', { name: 'código do convite' }).waitFor();
  await page.keyboard.press('Escape');
  await replayMinute(page, clockOf(kickOffMs - 40 * MINUTE_MS));
  await page.keyboard.press('Escape');

  const [record] = await Promise.all([page.waitForEvent('popup'), choose('link', 'imprimir o registro')]);
  for (const name of ['Minutos (CSV)', 'Registro (CSV)']) {
    const [file] = await Promise.all([
      record.waitForEvent('download'),
      record.getByRole('link', { name }).click(),
    ]);
    expect(await file.failure()).toBeNull();
    // What is saved is told as a download only.
    requests.push(`GET ${file.url()}`);
  }
  await choose('button', 'sair');
  await page.getByRole('dialog', { name: 'Mesa de fluxo' }).waitFor();

  const { origin } = new URL(page.url());
  expect(requests.filter((line) => !line.includes(` ${origin}/`))).toEqual([]);
  expect(requests.filter((line) => !line.startsWith('GET '))).toEqual(
    ['sign-in', 'operator', 'invitations', 'sign-out'].map((path) => `POST ${origin}/fluxo/api/${path}`),
  );
  const { href: eventUrl } = new URL(`/fluxo/api/events/${DEFAULT_EVENT_ID}/`, origin);
  for (const asked of [
    `${eventUrl}state?at=`,
    `${origin}/fluxo/registro`,
    `${eventUrl}record/minutes.csv?to=`,
    `${eventUrl}record/log.csv?to=`,
  ])
    expect(requests).toContainEqual(expect.stringContaining(`GET ${asked}`));
});

test('a desk that is opened in mid-match has its minutes and its log, and asks for each once', async () => {
  const { server, database } = await startDeskMatch();
  const opened = await openDeskPage(browser, server.url);
  await opened.page.locator('.log-row').first().waitFor();
  const rows = await database.admin<{ id: string }[]>`
    select id from triagem.log where event_id = ${DEFAULT_EVENT_ID}`;
  await until(async () => expect(await opened.page.locator('.log-row').count()).toBe(rows.length));
  await opened.page.waitForTimeout(2_500);
  expect(opened.requests.filter((line) => line.includes('/history?'))).toHaveLength(1);
  expect(opened.requests.filter((line) => line.includes('/log?')).length).toBeLessThanOrEqual(2);
});
