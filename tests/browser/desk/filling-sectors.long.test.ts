import { expect, test } from 'vitest';
import { axeFaults } from '../../../testing/axe.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

const CODES = ['1', '2', '3', '4', '5'];

const browser = openForAll(launchBrowser);
const match = openForAll(async () => {
  const started = await startDeskMatch();
  for (const code of CODES) await started.permit(code, (admitted) => Math.round(admitted / 0.9));
  return started;
});

test('sectors that fill one after the other stand on one card, and are acknowledged together or one by one', async () => {
  const { database, server } = match;
  const { page } = await openDeskPage(browser, server.url, { bypassCSP: true });
  const group = page.locator('.alarm[data-group]');
  const calling = page.locator('.alarms > .alarm[data-state=calling]');
  await until(
    async () => expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · 5 novos'),
    120_000,
  );
  expect(await calling.count()).toBe(1);
  expect(await group.locator('h3').first().innerText()).toMatch(/^\s*perto da lotação\s·\s5 setores$/);
  expect(await group.innerText()).toMatch(/ (?:89|90)%.*, .+\./);
  expect(await axeFaults(page)).toEqual([]);

  // One of them by itself, with a note: it keeps its card meanwhile, and the others theirs.
  await group.getByRole('button', { name: /^ver cada um/ }).press('Enter');
  expect(await axeFaults(page)).toEqual([]);
  await group.getByRole('button', { name: /^ciente: perto da lotação · NORTE/ }).press('Enter');
  await page.getByLabel('nota').fill('desvio montado');
  expect(await group.getByRole('button', { name: /^ciente: perto da lotação · / }).count()).toBe(4);
  await page.keyboard.press('Enter');
  await until(async () =>
    expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · 4 novos'),
  );

  const together = group.getByRole('button', { name: 'ciente: perto da lotação: 4 setores' });
  await together.press('Enter');
  await page.keyboard.press('Escape');
  expect(await together.count()).toBe(1);
  await together.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('ciente dos 4 ↵');
  await page.keyboard.press('Enter');
  await until(async () =>
    expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · nenhum novo'),
  );
  expect(await group.getAttribute('data-state')).toBe('quiet');
  expect(await group.locator('h3').first().innerText()).toMatch(/5 setores$/);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('alarms-heading');
  const said = await database.admin<{ sector: string; note: string | null }[]>`
    select alarm.sector, said.data->>'note' as note from triagem.log said
    join triagem.log alarm on alarm.id = said.data->>'alarm'
    where said.kind = 'acknowledge' order by said.seq`;
  expect(said.map(({ sector }) => sector).toSorted()).toEqual(CODES);
  expect(said.map(({ note }) => note)).toEqual(['desvio montado', null, null, null, null]);
}, 240_000);

test('an alarm that comes is not above what is seen of the list, and no card moves from beneath who writes in it', async () => {
  const overfilled = await startDeskMatch();
  const { server } = overfilled;
  const permit = (code: string) => overfilled.permit(code, (admitted) => admitted - 1);
  for (const code of ['6', '7', '8', '11', '12', '13', '2']) await permit(code);
  const { page } = await openDeskPage(browser, server.url, { viewport: { width: 1920, height: 920 } });
  const calling = page.locator('.alarm[data-state=calling]');
  await until(async () => expect(await calling.count()).toBe(7), 120_000);
  const list = page.locator('.desk-alarms');
  const scrollToEnd = () => list.evaluate((element) => (element.scrollTop = element.scrollHeight));
  const scrolled = () => list.evaluate((element) => element.scrollTop);
  const outOfSight = page.locator('.alarms-out-of-sight');
  await scrollToEnd();
  expect(await scrolled()).toBeGreaterThan(0);
  await outOfSight.waitFor();
  await permit('5');
  await until(async () => expect(await calling.count()).toBe(8), 120_000);
  await until(async () => expect(await scrolled()).toBe(0));
  await until(async () => expect(await outOfSight.count()).toBe(0));

  // With something written in the last one, nothing moves.
  const last = calling.last();
  await last.getByRole('button', { name: /^ciente/ }).click();
  await page.keyboard.type('fila dupla');
  await scrollToEnd();
  await permit('1');
  await until(
    async () => expect(await page.locator('#alarms-heading').innerText()).toMatch(/· 9 novos$/),
    120_000,
  );
  expect(await scrolled()).toBeGreaterThan(0);
  await outOfSight.waitFor();
  await page.keyboard.press('Enter');
  await until(async () => expect(await page.locator('#alarms-heading').innerText()).toMatch(/· 8 novos$/));

  // What is said leaves the page where it is.
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.evaluate(() => window.scrollTo({ top: 0 }));
  const button = await page.getByRole('button', { name: 'ocorrência' }).boundingBox();
  // Playwright's own click scrolls to where the button is in the page.
  await page.mouse.click((button?.x ?? 0) + 10, (button?.y ?? 0) + 10);
  await page.getByLabel('o que houve').waitFor();
  await page.keyboard.press('Escape');
  await until(async () =>
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('ocorrência'),
  );
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
}, 300_000);
