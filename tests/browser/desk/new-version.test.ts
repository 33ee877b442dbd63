import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { deskSettings } from '../../../testing/desk-app.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { makeNextBuild } from '../../../testing/next-build.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { until } from '../../../testing/until.ts';

const browser = openForAll(launchBrowser);

test('in a match a new version waits until somebody loads it, and says so', async () => {
  const { server, database } = await startDeskMatch();
  const opened = await openDeskPage(browser, server.url);
  const { page } = opened;
  // Its random wait of half a minute is over soon.
  await page.clock.install();
  const build = await page.locator('html').getAttribute('data-build');
  await server.stop();
  const settings = { ...deskSettings(database), PORT: new URL(server.url).port };
  await startTestServer(database, settings, makeNextBuild());
  await page.clock.resume();
  await opened.expectStatus('ao vivo', 30_000);
  const notice = page.locator('.notices');
  await until(async () => expect(await notice.innerText()).toMatch('Há uma versão nova desta página'));
  await page.clock.fastForward(5_000);
  expect(await page.locator('html').getAttribute('data-build')).toBe(build);
  await page.getByRole('button', { name: 'carregar agora' }).click();
  await until(async () => expect(await page.locator('html').getAttribute('data-build')).not.toBe(build));
  await opened.expectStatus('ao vivo');
  expect(await notice.innerText()).toBe('');
});
