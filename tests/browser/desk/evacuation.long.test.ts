import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

const RAISED_WITHIN_MS = 120_000;

const browser = openForAll(launchBrowser);

const focusedText = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.textContent);

test('an evacuation that one desk declares stands on the other, silences open alarms there, and is taken back by it', async () => {
  const match = await startDeskMatch();
  const { server } = match;
  await match.permit('7', () => 1);
  const { page: ana } = await openDeskPage(browser, server.url, { name: 'Ana' });
  const { page: bia } = await openDeskPage(browser, server.url, { name: 'Bia' });
  await bia.locator('.alarm[data-state=calling]').waitFor({ timeout: RAISED_WITHIN_MS });

  await ana.getByRole('button', { name: 'evacuação' }).click();
  await ana.getByRole('button', { name: 'registrar evacuação' }).click();
  const band = bia.locator('.evacuation');
  await until(async () =>
    expect(await band.innerText()).toMatch(/^EVACUAÇÃO EM VIGOR\s+desde \d\d:\d\d, declarada por Ana/),
  );
  await until(async () =>
    expect(await bia.locator('.alarm-announcer').innerText()).toMatch(/^EVACUAÇÃO EM VIGOR desde/),
  );
  expect(await bia.title()).toMatch(/^EVACUAÇÃO · /);
  await until(async () =>
    expect(await bia.locator('.alarm').innerText()).toMatch(/retirado, não se sabe se voltou/),
  );
  expect(await bia.locator('.alarm').getAttribute('data-state')).toBe('ended');

  // Whoever declared it goes on where the button was, and is told for a while.
  expect(await focusedText(ana)).toBe('ocorrência');
  await until(async () => expect(await ana.locator('.recorded').innerText()).toBe(''), 20_000);

  await bia.locator('.in-force').getByRole('button', { name: 'retirar: EVACUAÇÃO' }).click();
  await bia.getByRole('dialog').getByRole('button', { name: 'retirar' }).click();
  await until(async () => expect(await ana.locator('.evacuation').count()).toBe(0));
  await until(async () => expect(await ana.title()).not.toMatch(/EVACUAÇÃO/));
}, 240_000);
