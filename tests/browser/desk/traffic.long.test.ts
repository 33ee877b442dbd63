import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

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
