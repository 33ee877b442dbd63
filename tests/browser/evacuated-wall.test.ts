import { beforeEach, expect, test } from 'vitest';
import { axeFaults } from '../../testing/browser/axe.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { cutOff, scrolls, sizes } from '../../testing/browser/layout.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { newPage } from '../../testing/browser/test-page.ts';
import { until } from '../../testing/until.ts';
import { startWall } from '../../testing/browser/wall.ts';

const SINCE_MS = Date.UTC(2026, 4, 3, 22, 20);
const MARK = { row: '7', fromMs: SINCE_MS - 60_000, toMs: null };
const TEXT = 'Siga as saídas indicadas';
/** The longest text that a venue may have. */
const LONG_TEXT = 'Siga as saídas indicadas pelos orientadores e não volte para buscar os pertences';
const CODES = DEFAULT_VENUE.sectors.map(({ code }) => code);

const venueWith = (wallText: string) => ({ ...DEFAULT_VENUE, evacuation: { wallText } });

const wall = openForAll(() =>
  startWall(
    { ...Object.fromEntries(CODES.map((code) => [code, 2_422])), '04': 1 },
    { venue: venueWith(TEXT) },
  ),
);
const browser = openForAll(openBrowser);
const watched = openForAll(() => newPage(browser, { bypassCSP: true }));

const notice = () => watched.page.locator('.evacuation');

beforeEach(async () => {
  await watched.page.setViewportSize({ width: 1920, height: 1080 });
  await watched.goLive(wall.url);
  await watched.page.locator('tbody').waitFor();
  wall.sayIncomplete([]);
  await until(async () => expect(await notice().count()).toBe(0));
});

test('during an evacuation a wall displays the text of its venue, and nothing of it after the take-back', async () => {
  const { page } = watched;
  const drawn = async (): Promise<string> =>
    (await page.locator('main').innerHTML())
      .replace(/(role="status">)[^<]*/, '$1')
      .replaceAll(' style=""', '');
  const before = await drawn();
  wall.sayIncomplete([], SINCE_MS);
  await until(async () => expect(await notice().innerText()).toBe(TEXT));
  expect(await page.getByRole('alert').innerText()).toBe(TEXT);
  // The count is what it was.
  expect(await page.locator('.incomplete, .at-least').count()).toBe(0);
  expect(await watched.total()).toBe('31.487');
  expect(await page.locator('.others').innerText()).toBe('1 entrou fora destes setores');
  wall.sayIncomplete([MARK], SINCE_MS);
  await page.locator('.incomplete').waitFor();
  expect(await notice().innerText()).toBe(TEXT);
  expect(await page.locator('.at-least').count()).toBe(1);
  for (const colorScheme of IS_FULL ? (['light', 'dark'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme });
    expect({ colorScheme, faults: await axeFaults(page) }).toMatchObject({ faults: [] });
  }
  await page.emulateMedia({ colorScheme: null });
  // A server that could not read its record does not know that there is one.
  wall.sayIncomplete([{ row: null, fromMs: null, toMs: null }]);
  await page.locator('.others', { hasText: 'sem o registro' }).waitFor();
  expect(await notice().innerText()).toBe(TEXT);
  wall.sayIncomplete([]);
  await until(async () => expect(await drawn()).toBe(before));
});

/** The smallest screens of each arrangement, which have the least room; a full run takes others, and a short text, too. */
const SCREENS = sizes(
  IS_FULL ? '320×640 390×844 844×390 1080×1920 1366×768 1920×1080' : '320×640 844×390 1366×768',
);

const TEXTS = IS_FULL ? [LONG_TEXT, TEXT] : [LONG_TEXT];

test.each(TEXTS.flatMap((text) => SCREENS.map(([width, height]) => [width, height, text] as const)))(
  '%i × %i, nothing is cut off or covered by it: %s',
  async (width, height, text) => {
    const { page } = watched;
    wall.serve({ venue: venueWith(text) });
    await page.setViewportSize({ width, height });
    await watched.goLive(wall.url);
    await page.locator('tbody').waitFor();
    wall.sayIncomplete([MARK], SINCE_MS);
    await notice().waitFor();
    expect(await cutOff(page)).toEqual([]);
    const scrolled = await scrolls(page);
    expect(scrolled.sideways).toBe(false);
    // Nobody scrolls a wall.
    expect([width, scrolled.down && width >= 1366]).toEqual([width, false]);
    // On a page that scrolls, the notice is visible at once, and covers nothing at the end.
    await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight }));
    const places = await page.evaluate(() =>
      ['.evacuation', '.others', 'tbody tr:last-child'].map((place) => {
        const { top, bottom } = document.querySelector(place)?.getBoundingClientRect() ?? new DOMRect();
        return { top, bottom };
      }),
    );
    const [own, others, row] = places;
    expect(own?.bottom).toBeLessThanOrEqual(height + 1);
    expect(others?.bottom).toBeLessThanOrEqual((own?.top ?? 0) + 1);
    expect(row?.bottom).toBeLessThanOrEqual((others?.top ?? 0) + 1);
  },
);
