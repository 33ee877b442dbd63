import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { launchBrowser } from '../../testing/browser/browser.ts';
import { IS_FULL } from '../../testing/durations.ts';
import {
  fontsOf,
  placesOf,
  scrolls,
  sizes,
  watchShifts,
  wrappedNames,
} from '../../testing/browser/layout.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { environmentWithFonts, FONT_SETS, type FontSet } from '../../testing/browser/system-fonts.ts';
import { newPage } from '../../testing/browser/test-page.ts';
import { until } from '../../testing/until.ts';
import { startWall } from '../../testing/browser/wall.ts';

const TITLE = 'Campeonato Brasileiro, 34ª rodada: Palestra × Atlético';
/** A full run takes each set, and none; others one with unknown widths, which is compared with Inter. */
const SETS = (Object.keys(FONT_SETS) as FontSet[]).slice(...(IS_FULL ? [0] : [2, 3]));
/** One screen of each arrangement. Inter comes late to each, in a full run with each set. */
const SCREENS = sizes('390×844 844×390 1080×1920 1920×1080');
/** Screens from the narrowest phone to 4K, upright and landscape. */
const WIDTHS = IS_FULL ? [320, 390, 600, 768, 1024, 1280, 1920, 3840] : [320];
const ALL_SIZES = [
  ...SCREENS,
  ...WIDTHS.flatMap((width) => [[width, width * 2] as const, [width, width / 2] as const]),
];

const wall = openForAll(() => startWall({ '4': 1, '04': 1 }, { title: TITLE }));
/** The positions on each screen with the first set. */
let expected: string[] | undefined;

/** Returns the positions on these screens; no name may wrap, and nothing may scroll sideways. */
async function placesOn(page: Page, screens: readonly (readonly [number, number])[]): Promise<string[]> {
  const places: string[] = [];
  for (const [width, height] of screens) {
    await page.setViewportSize({ width, height });
    expect({ width, height, wrapped: await wrappedNames(page), ...(await scrolls(page)) }).toMatchObject({
      wrapped: [],
      sideways: false,
    });
    places.push(`${width} × ${height}`, ...(await placesOf(page)));
  }
  return places;
}

test.each(SETS)(
  'with %s, everything stands where it does with any other font, whole, and nothing moves when Inter comes late',
  async (set) => {
    const browser = await launchBrowser({ env: environmentWithFonts(set) });
    for (const [width, height] of IS_FULL ? SCREENS : [SCREENS[SETS.indexOf(set)] ?? [1920, 1080]]) {
      const watched = await newPage(browser, { viewport: { width, height } });
      const { page } = watched;
      const release = await watched.hold('**/*.woff2');
      const shifted = await watchShifts(page);
      // The page must not finish loading, which includes Inter.
      await page.goto(wall.url, { waitUntil: 'commit' });
      await until(async () => expect(await page.locator('.others').textContent()).toMatch(/^1 entrou/));

      expect(await fontsOf(page, '.title')).toEqual(FONT_SETS[set] ? [FONT_SETS[set].family] : []);
      const places = await placesOn(page, ALL_SIZES);
      expect(places).toEqual((expected ??= places));
      await page.setViewportSize({ width, height });
      const shiftedBefore = await shifted();
      await release();
      await page.evaluate(() => document.fonts.ready);
      // On a machine without fonts Chromium does not use the page's fonts either.
      const drawn = FONT_SETS[set] ? ['Inter'] : [];
      await until(async () => expect(await fontsOf(page, '.title')).toEqual(drawn));
      expect((await shifted()) - shiftedBefore).toBeLessThan(0.001);
      expect(await placesOn(page, ALL_SIZES)).toEqual(expected);
      await watched.close();
    }
    await browser.close();
  },
);
