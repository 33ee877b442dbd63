import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { DESK_KEY } from '../../../testing/desk-app.ts';
import { openDesk } from '../../../testing/desk-client.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { newPage } from '../../../testing/test-page.ts';
import { until } from '../../../testing/until.ts';
import { countTones } from './heard-tones.ts';

const browser = openForAll(launchBrowser);

test('sound is off until it is switched on; a browser that blocks it is said to, until something is pressed', async () => {
  const { server } = await startDeskMatch();
  const { cookie } = await openDesk(server.url, { name: 'Ana', key: DESK_KEY });
  const [name = '', value = ''] = cookie.split('=');
  const { page } = await newPage(browser, { viewport: { width: 1280, height: 720 } });
  await page.context().addCookies([{ name, value, url: `${server.url}/fluxo` }]);
  await page.goto(`${server.url}/fluxo`);
  await page.getByRole('button', { name: 'som: desligado' }).waitFor();
  // As a tab that had it on, and was opened anew: nobody has pressed anything here yet.
  await page.evaluate(() => sessionStorage.setItem('triagem.desk-sound', 'on'));
  await page.reload();
  await page.getByRole('button', { name: 'som: bloqueado pelo navegador' }).waitFor();
  const tones = await countTones(page);
  await page.keyboard.press('Shift');
  await page.locator('.total-admitted').click();
  await page.getByRole('button', { name: 'som: ligado' }).waitFor();
  await until(async () => expect(await tones()).toBe(1));
  await page.getByRole('button', { name: 'testar' }).click();
  expect(await tones()).toBe(2);
  await page.getByRole('button', { name: 'som: ligado' }).click();
  await page.getByRole('button', { name: 'som: desligado' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('triagem.desk-sound'))).toBe('off');
});
