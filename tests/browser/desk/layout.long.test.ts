import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { scrolls, sizes } from '../../../testing/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';

const browser = openForAll(launchBrowser);
const match = openForAll(() => startDeskMatch({ earlierMatches: 9 }));

test.each(sizes('320×640 390×844 768×1024 900×1200 1280×720 1920×900 1920×1080 3840×2160'))(
  'at %i × %i nothing of the desk is wider than the screen',
  async (width, height) => {
    const { page } = await openDeskPage(browser, match.server.url, { viewport: { width, height } });
    await page.evaluate(() => document.fonts.ready);
    const { sideways, down } = await scrolls(page);
    expect({ sideways, down: down && width >= 1920 }).toEqual({ sideways: false, down: false });
    const beyond = await page.locator('body *').evaluateAll((elements) =>
      elements
        .filter((element) => {
          const { left, right, width: wide } = element.getBoundingClientRect();
          return (
            wide > 1 && getComputedStyle(element).clipPath === 'none' && (left < -1 || right > innerWidth + 1)
          );
        })
        .map((element) => element.className || element.tagName),
    );
    expect(beyond).toEqual([]);
  },
);

test('a phone asks in the order of the officer, and what can be said comes behind what is shown', async () => {
  const { page } = await openDeskPage(browser, match.server.url, { viewport: { width: 390, height: 844 } });
  await page.locator('.desk-curve svg').first().waitFor();
  const areas = ['alarms', 'answer', 'total', 'rows', 'curve', 'actions', 'log'];
  const tops = await page.evaluate(
    (names) =>
      names.map((name) => document.querySelector(`.desk-${name}`)?.getBoundingClientRect().top ?? NaN),
    areas,
  );
  expect(tops.every((top, place) => place === 0 || top > (tops[place - 1] ?? NaN))).toBe(true);
  expect(await page.locator('.rows tbody .row-sparkline').first().isVisible()).toBe(true);
});
