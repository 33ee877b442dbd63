import { createRequire } from 'node:module';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { DESK_KEY } from '../../../testing/desk-app.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { scrolls } from '../../../testing/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { newPage } from '../../../testing/test-page.ts';
import { until } from '../../../testing/until.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const browser = openForAll(launchBrowser);
const match = openForAll(() => startDeskMatch({ earlierMatches: 9 }));

async function violations(page: Page): Promise<string[]> {
  // Which the page's own policy would not allow: these pages are opened without it.
  await page.addScriptTag({ path: AXE });
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['dark', { colorScheme: 'dark' }],
  ['light', { colorScheme: 'light' }],
  ['forced colours', { forcedColors: 'active' }],
  ['a phone', { viewport: { width: 390, height: 844 } }],
];

test.each(LOOKS)('axe finds nothing on the desk: %s', async (_what, context) => {
  const { page } = await openDeskPage(browser, match.server.url, { bypassCSP: true, ...context });
  await page.locator('.curve-drawing').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.locator('.operator summary').click();
  await page.getByRole('button', { name: 'trocar operador' }).click();
  expect(await violations(page)).toEqual([]);
});

test('axe finds nothing in the form of the sign-in', async () => {
  const { page } = await newPage(browser, { bypassCSP: true });
  await page.goto(`${match.server.url}/fluxo`);
  await page.getByRole('dialog').waitFor();
  expect(await violations(page)).toEqual([]);
});

test('by keyboard alone: in, another operator, and out', async () => {
  const opened = await newPage(browser);
  const { page } = opened;
  await page.goto(`${match.server.url}/fluxo`);
  await page.getByLabel('Nome').waitFor();
  await page.keyboard.type('Ana');
  await page.keyboard.press('Tab');
  await page.keyboard.type(DESK_KEY);
  await page.keyboard.press('Enter');
  await opened.expectStatus('ao vivo');
  const focused = (): Promise<string> =>
    page.evaluate(() => (document.activeElement as HTMLElement).innerText);
  const tabTo = async (words: string): Promise<void> => {
    for (let pressed = 0; (await focused()) !== words; pressed += 1) {
      expect(pressed, `"${words}" is not reached`).toBeLessThan(80);
      await page.keyboard.press('Tab');
    }
  };
  await tabTo('Ana');
  await page.keyboard.press('Enter');
  await tabTo('trocar operador');
  await page.keyboard.press('Enter');
  await page.getByLabel('Nome de quem assume').waitFor();
  await page.keyboard.type('Bia');
  await page.keyboard.press('Enter');
  await until(async () => expect(await page.locator('.operator summary').innerText()).toBe('Bia'));
  await tabTo('Bia');
  await page.keyboard.press('Enter');
  await tabTo('sair');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Mesa de fluxo' }).waitFor();
});

test('at twice the size of letters nothing is wider than the screen', async () => {
  const { page } = await openDeskPage(browser, match.server.url, { viewport: { width: 640, height: 480 } });
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  expect((await scrolls(page)).sideways).toBe(false);
});
