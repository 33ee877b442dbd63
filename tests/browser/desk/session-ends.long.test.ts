import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { DESK_KEY } from '../../../testing/desk-app.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

/** Longer than a stream must live to count as sound. */
const LIFETIME_MS = 9_000;

const browser = openForAll(launchBrowser);

test('a session that ends in mid-work asks for the key over the page: what is being written survives, and is sent by the new one', async () => {
  const { server } = await startDeskMatch({ overrides: { deskSessionLifetimeMs: LIFETIME_MS } });
  const opened = await openDeskPage(browser, server.url);
  const { page } = opened;
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('chuva forte');
  const form = page.getByRole('dialog', { name: 'A sessão terminou' });
  await form.waitFor({ timeout: 30_000 });
  expect(await form.getByLabel('Nome').inputValue()).toBe('Ana');
  expect(await page.getByLabel('o que houve').inputValue()).toBe('chuva forte');
  await opened.expectStatus(/^sem conexão/);
  await form.getByLabel('Chave').fill(` ${DESK_KEY} `);
  await page.keyboard.press('Enter');
  await opened.expectStatus('ao vivo');
  await page.getByRole('button', { name: 'registrar' }).click();
  await until(async () => expect(await page.locator('.log').innerText()).toMatch(/Ana:\s+.*chuva forte/));
});
