import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../testing/browser.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { fontsOf, placesOf, scrolls, sizes, watchShifts, wrappedNames } from '../../testing/layout.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { environmentWithFonts, FONT_SETS, type FontSet } from '../../testing/system-fonts.ts';
import { newPage } from '../../testing/test-page.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const TITLE = 'Campeonato Brasileiro, 34ª rodada: Palestra × Atlético';
const SETS = Object.keys(FONT_SETS) as FontSet[];
const SCREENS = sizes('390×844 844×390 1080×1920 1920×1080');
/** From the narrowest phone to 4K. */
const WIDTHS = [320, 390, 600, 768, 1024, 1280, 1920, 3840];

const database = openForAll(() => createTestDatabase({ inside: { a: '4', odd: '04' } }));
const server = openForAll(() => startTestServer(database, { EVENT_TITLE: TITLE }));
const browsers = new Map<FontSet, Browser>();

beforeAll(async () => {
  for (const set of SETS) browsers.set(set, await launchBrowser({ env: environmentWithFonts(set) }));
});

/** The board with its numbers, and Inter still on its way: `bringInter` lets it come, and waits until it is drawn with. */
async function openWithoutInter(set: FontSet, width: number, height: number) {
  const browser = browsers.get(set);
  if (!browser) throw new Error(`no browser has the set ${set}`);
  const watched = await newPage(browser, { viewport: { width, height } });
  const { page } = watched;
  const release = await watched.hold('**/*.woff2');
  const shifted = await watchShifts(page);
  // Not until all is loaded: that would be with Inter.
  await page.goto(server.url, { waitUntil: 'commit' });
  await until(async () => expect(await page.locator('.others').textContent()).toMatch(/^1 entrou/));
  return {
    set,
    page,
    shifted,
    close: watched.close,
    bringInter: async () => {
      await release();
      await page.evaluate(() => document.fonts.ready);
      // Without any font of the machine's, Chromium draws with none of the page's either.
      const drawn = FONT_SETS[set] ? ['Inter'] : [];
      await until(async () => expect(await fontsOf(page, '.title')).toEqual(drawn));
    },
  };
}

test.each(SCREENS)(
  'at %i × %i, nothing depends on the font that stands in, and nothing moves when Inter comes late',
  async (...screen) => {
    const boards = await Promise.all(SETS.map((set) => openWithoutInter(set, ...screen)));
    const places = await Promise.all(boards.map(({ page }) => placesOf(page)));
    await Promise.all(
      boards.map(async ({ set, page, bringInter, shifted, close }, index) => {
        expect({ set, places: places[index] }).toEqual({ set, places: places[0] });
        expect(await fontsOf(page, '.title')).toEqual(FONT_SETS[set] ? [FONT_SETS[set].family] : []);
        await bringInter();
        expect({ set, places: await placesOf(page) }).toEqual({ set, places: places[0] });
        expect(await shifted()).toBeLessThan(0.001);
        await close();
      }),
    );
  },
);

test.each(SETS)('with %s: from 320 to 3840 px no name wraps and nothing scrolls sideways', async (set) => {
  const { page, bringInter, close } = await openWithoutInter(set, 1280, 720);
  expect(await wrongOn(page)).toEqual([]);
  await bringInter();
  expect(await wrongOn(page)).toEqual([]);
  await close();
});

/** What is wrong on screens of all widths, upright and on their side. */
async function wrongOn(page: Page): Promise<unknown[]> {
  const wrong: unknown[] = [];
  for (const width of WIDTHS) {
    for (const height of [width * 2, width / 2]) {
      await page.setViewportSize({ width, height });
      const [wrapped, { sideways }] = await Promise.all([wrappedNames(page), scrolls(page)]);
      if (wrapped.length > 0 || sideways) wrong.push({ width, height, wrapped, sideways });
    }
  }
  return wrong;
}
