import { expect, test } from 'vitest';
import { axeFaults } from '../../../testing/browser/axe.ts';
import { createTestDatabase } from '../../../testing/database/database.ts';
import { DESK_KEY, deskSettings } from '../../../testing/desk/desk-app.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { scrolls, sizes } from '../../../testing/browser/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { openGallery } from '../../../testing/browser/open-gallery.ts';
import { newPage } from '../../../testing/browser/test-page.ts';
import { startTestServer } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';

const gallery = openForAll(openGallery);

test('the guide is read without a session, from its own origin alone, with all its pictures and links', async () => {
  const database = await createTestDatabase();
  const server = await startTestServer(database, deskSettings(database));
  const { page, console, requests } = await newPage(gallery.browser);
  const response = await page.goto(`${server.url}/fluxo/ajuda`);
  expect(response?.headers()['content-security-policy']).toContain("script-src 'none'");
  const pictures = page.locator('img');
  expect(await pictures.count()).toBeGreaterThan(1);
  for (const picture of await pictures.all()) {
    await picture.scrollIntoViewIfNeeded();
    await until(async () =>
      expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(300),
    );
    expect(await picture.getAttribute('alt')).toMatch(/\w{3}/);
  }
  const lost = await page
    .locator('a[href^="#"]')
    .evaluateAll((links) =>
      links
        .map((link) => decodeURIComponent((link as HTMLAnchorElement).hash.slice(1)))
        .filter((id) => !document.getElementById(id)),
    );
  expect(lost).toEqual([]);
  expect(requests.filter((line) => !line.startsWith(`GET ${server.url}/`))).toEqual([]);
  expect(console).toEqual([]);
  expect((await page.content()).includes(DESK_KEY)).toBe(false);
});

test('the guide fits screens of 320 px to 4K, and axe finds no violation, light or dark', async () => {
  const { page } = await newPage(gallery.browser);
  await page.goto(`${gallery.url}/fluxo/ajuda`);
  for (const [width, height] of sizes(
    IS_FULL ? '390×844 768×1024 1920×1080 3840×2160 320×640' : '3840×2160 320×640',
  )) {
    await page.setViewportSize({ width, height });
    expect([width, (await scrolls(page)).sideways]).toEqual([width, false]);
    // The colours are the same on each screen, so only a full run checks each.
    if (!IS_FULL && width !== 320) continue;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect([width, colorScheme, await axeFaults(page)]).toEqual([width, colorScheme, []]);
    }
  }
});

test('a desk leads to its guide, which opens beside it', async () => {
  const page = await gallery.show('match');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'ajuda' }).click();
  const guide = await opened;
  await guide.waitForLoadState();
  expect(await guide.getByRole('heading', { level: 1 }).innerText()).toBe('A mesa de fluxo');
  expect(await page.locator('.desk').count()).toBe(1);
  await guide.close();
});
