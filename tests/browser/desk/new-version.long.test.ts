import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { deskSettings } from '../../../testing/desk-app.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { signInToDesk } from '../../../testing/desk-page.ts';
import { makeNextBuild } from '../../../testing/next-build.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { newPage, type TestPage } from '../../../testing/test-page.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { until } from '../../../testing/until.ts';

const browser = openForAll(launchBrowser);

/** A desk that is told of a new version, and draws lots to wait for it as briefly as may be. */
async function openBeforeUpdate(
  minutesToKickOff: number,
  before: (opened: TestPage) => Promise<void> = async () => {},
): Promise<TestPage> {
  const { server, database } = await startDeskMatch({ minutesToKickOff });
  const opened = await newPage(browser);
  await opened.page.addInitScript(() => {
    Math.random = () => 0.02;
  });
  await opened.page.goto(`${server.url}/fluxo`);
  await signInToDesk(opened, 'Ana');
  await before(opened);
  await server.stop();
  const settings = { ...deskSettings(database), PORT: new URL(server.url).port };
  await startTestServer(database, settings, makeNextBuild());
  return opened;
}

function buildOf({ page }: TestPage): Promise<string | null> {
  return page.locator('html').getAttribute('data-build');
}

test('in a match a new version waits until somebody loads it, and says so', async () => {
  const opened = await openBeforeUpdate(24);
  const build = await buildOf(opened);
  const notice = opened.page.locator('.notices');
  await until(async () => expect(await notice.innerText()).toMatch('Há uma versão nova desta página'));
  await opened.expectStatus('ao vivo', 30_000);
  // Several times as long as it would have waited.
  await opened.page.waitForTimeout(3_000);
  expect(await buildOf(opened)).toBe(build);
  await opened.page.getByRole('button', { name: 'carregar agora' }).click();
  await until(async () => expect(await buildOf(opened)).not.toBe(build));
  await opened.expectStatus('ao vivo');
  expect(await notice.innerText()).toBe('');
});

test('hours before the match it loads a new version by itself, but not while something typed is unsent', async () => {
  const opened = await openBeforeUpdate(240, async ({ page }) => {
    await page.getByRole('button', { name: 'ocorrência' }).click();
    await page.getByLabel('o que houve').fill('chuva');
  });
  const build = await buildOf(opened);
  await opened.expectStatus('ao vivo', 30_000);
  await opened.page.waitForTimeout(3_000);
  expect(await buildOf(opened)).toBe(build);
  // Left, but not thrown away.
  await opened.page.getByRole('button', { name: 'voltar' }).click();
  await opened.page.waitForTimeout(3_000);
  expect(await buildOf(opened)).toBe(build);
  await opened.page.getByRole('button', { name: 'ocorrência' }).click();
  expect(await opened.page.getByLabel('o que houve').inputValue()).toBe('chuva');
  await opened.page.getByLabel('o que houve').fill('');
  await opened.page.getByRole('button', { name: 'voltar' }).click();
  await until(async () => expect(await buildOf(opened)).not.toBe(build));
  await opened.expectStatus('ao vivo');
});
