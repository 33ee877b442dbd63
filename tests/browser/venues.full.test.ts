import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readVenue } from '../../domain/venue-file.ts';
import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';
import { axeFaults } from '../../testing/browser/axe.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { deskSettings } from '../../testing/desk/desk-app.ts';
import { openDeskPage } from '../../testing/browser/desk-page.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { cutOff, placesOf, scrolls, sizes, watchShifts, wrappedNames } from '../../testing/browser/layout.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { newPage, openLivePage, type TestPage } from '../../testing/browser/test-page.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { venueOf, writeVenueFile } from '../../testing/server/venues.ts';
import { startWall } from '../../testing/browser/wall.ts';

/** Cap height of Inter, in em. */
const CAP_EM = 0.727;

/** One screen of each arrangement in page/design/measures.css; a full run takes others between them. */
const SCREENS = sizes(
  IS_FULL
    ? '320×640 390×844 568×320 844×390 768×1024 1024×768 1280×720 1920×1080 2560×1080 3840×2160 1080×1920'
    : '320×640 568×320 1920×1080 1080×1920',
);

const read = (name: string): Venue => readVenue(readFileSync(join(PROJECT_ROOT, 'venues', name), 'utf8'));

/** Most tickets are in sector 4, one at each code of the largest venue, and one at an unknown code. */
const wall = openForAll(() => {
  const codes = venueOf(60).sectors.flatMap((sector) => sector.codes);
  return startWall({ ...Object.fromEntries(codes.map((code) => [code, 1])), '04': 1, '4': 54_321 });
});
const browser = openForAll(openBrowser);
const watched = openForAll(() => newPage(browser));

async function open(venue: Venue | undefined, { page }: TestPage = watched): Promise<Page> {
  wall.serve({ venue });
  await page.goto(wall.url);
  await page.locator('.others').filter({ hasText: /\d/ }).waitFor();
  await page.evaluate(() => document.fonts.ready);
  return page;
}

const sizeOf = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));

/** The column's left edge, and the top, of each name. */
const namesOf = (page: Page): Promise<{ left: number; top: number; bottom: number }[]> =>
  page.locator('tbody th').evaluateAll((names) =>
    names.map((name) => {
      const { left, top, bottom } = name.getBoundingClientRect();
      return { left, top, bottom };
    }),
  );

async function expectWhole(page: Page): Promise<void> {
  expect((await scrolls(page)).sideways).toBe(false);
  expect(await cutOff(page)).toEqual([]);
  expect(await wrappedNames(page)).toEqual([]);
  const names = await namesOf(page);
  // The names run down the first column, then down the second.
  const outOfOrder = names.filter(({ left, top }, index) => {
    const above = names[index - 1];
    return above && (above.left === left ? top < above.bottom - 1 : left < above.left);
  });
  expect(outOfOrder).toEqual([]);
}

// The greatest number of rows of an arrangement, and one more.
describe.each(IS_FULL ? [1, 4, 13, 14, 20, 21, 32, 33, 60] : [21, 60])('a venue of %i sectors', (count) => {
  test('has room for its rows on every screen, beside a total as large as ever', async () => {
    const page = await open(venueOf(count));
    expect(await page.locator('tbody tr').count()).toBe(count);
    for (const [width, height] of SCREENS) {
      await page.setViewportSize({ width, height });
      await expectWhole(page);
      expect(await sizeOf(page, 'tbody th')).toBeGreaterThanOrEqual(11);
      if (Math.max(width, height) < 1024 || (width < 900 && height > width)) continue;
      expect((await scrolls(page)).down).toBe(false);
      const others = await page.locator('.others').boundingBox();
      expect((others?.y ?? Infinity) + (others?.height ?? 0)).toBeLessThanOrEqual(height);
      if (width < height) continue;
      const columns = new Set((await namesOf(page)).map(({ left }) => left)).size;
      expect(columns).toBe(count > 20 ? 2 : 1);
      if (width / height < 1.7) continue;
      expect(((await sizeOf(page, '.total data')) * CAP_EM) / height).toBeGreaterThanOrEqual(0.14);
      const row = ((await sizeOf(page, 'tbody th')) * CAP_EM) / height;
      // The letters are as large as the height of a column allows.
      const most = count <= 13 || count === 21 ? 0.026 : 0.34 / Math.ceil(count / (count > 20 ? 2 : 1));
      expect(row).toBeGreaterThanOrEqual(most);
    }
  });
});

test('names of forty wide letters stand on one line, whole, beside their counts', async () => {
  const sectors = venueOf(24).sectors.map(({ code, stand, codes }, index) => {
    const name = `SETOR ${index + 1} `.padEnd(40, 'MOWÃ');
    return { code, name, stand, codes };
  });
  const page = await open({ name: 'Arena', sectors });
  for (const [width, height] of SCREENS) {
    await page.setViewportSize({ width, height });
    await expectWhole(page);
    const apart = await page.locator('tbody tr').evaluateAll((rows) =>
      rows.map((row) => {
        const name = document.createRange();
        name.selectNodeContents(row.querySelector('th') ?? row);
        const count = row.querySelector('td data') ?? row;
        return count.getBoundingClientRect().left - name.getBoundingClientRect().right;
      }),
    );
    expect(Math.min(...apart)).toBeGreaterThan(-4);
  }
});

test("the default venue's file is drawn as the default venue is, to the pixel", async () => {
  const drawnWith = async (venue: Venue | undefined) => {
    const page = await open(venue);
    const drawn: { places: string[]; size: number }[] = [];
    for (const [width, height] of SCREENS) {
      await page.setViewportSize({ width, height });
      drawn.push({ places: await placesOf(page), size: await sizeOf(page, 'tbody th') });
    }
    return { rows: await watched.rows(), drawn };
  };
  const one = await drawnWith(undefined);
  const other = await drawnWith(read('castelao.json'));
  expect(other.rows).toEqual(one.rows);
  expect(one.rows.map(([name]) => name)).toEqual(DEFAULT_VENUE.sectors.map(({ name }) => name));
  expect(other.drawn.map(({ places }) => places)).toEqual(one.drawn.map(({ places }) => places));
  for (const [index, { size }] of one.drawn.entries())
    expect(Math.abs(size - (other.drawn[index]?.size ?? 0))).toBeLessThan(0.1);
});

describe('sixty rows', () => {
  test('are a style of the page that its policy allows', async () => {
    watched.console.length = 0;
    const page = await open(venueOf(60));
    expect(watched.console.filter((line) => /Content Security Policy|uncaught/.test(line))).toEqual([]);
    const rows = () => getComputedStyle(document.documentElement).getPropertyValue('--column-rows');
    expect(await page.evaluate(rows)).toBe('30');
  });

  test.each(sizes(IS_FULL ? '1920×1080 390×844' : '390×844'))(
    'at %i × %i move nothing when they and their numbers arrive; one table is read, and axe finds no fault',
    async (width, height) => {
      const own = await newPage(browser, { viewport: { width, height }, bypassCSP: true });
      const shifted = await watchShifts(own.page);
      const page = await open(venueOf(60), own);
      expect(await shifted()).toBeLessThan(0.001);
      expect(await cutOff(page)).toEqual([]);
      expect(await wrappedNames(page)).toEqual([]);
      expect(await scrolls(page)).toEqual({ sideways: false, down: width < height });
      expect(await page.getByRole('table').count()).toBe(1);
      expect(await page.getByRole('row').count()).toBe(61);
      expect(await page.getByRole('rowheader').count()).toBe(60);
      expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Setor', 'Acessos']);
      expect(await axeFaults(page)).toEqual([]);
    },
  );
});

describe('of a real server', () => {
  const database = openForAll(() =>
    createTestDatabase({ inside: { c1: 'COB' }, outside: { c2: 'COB-MEIA' } }),
  );

  test('the rows are those of the file, in its order, on the desk as well, and an entry by any of its codes counts', async () => {
    const env = { ...deskSettings(database), VENUE_FILE: writeVenueFile(read('campo-pequeno.json')) };
    const { url } = await startTestServer(database, env);
    const opened = await openLivePage(browser, url);
    const { page } = opened;
    await page.locator('tbody').waitFor();
    expect((await opened.rows()).slice(0, 2)).toEqual([
      ['Arquibancada coberta', '1'],
      ['Arquibancada descoberta', '0'],
    ]);
    await setEntered(database.gates, 'c2', true);
    await until(async () => expect((await opened.rows())[0]).toEqual(['Arquibancada coberta', '2']));
    expect(await page.locator('tbody tr[data-stand-begins] th').allInnerTexts()).toEqual([
      'Arquibancada coberta',
      'Cadeiras',
      'Visitante',
    ]);
    expect(await page.content()).not.toContain('Várzea');
    const { page: desk } = await openDeskPage(browser, url);
    await desk.locator('.row-name').first().waitFor();
    expect(await desk.locator('.rows .row-name').allTextContents()).toEqual(
      await page.locator('tbody th').allTextContents(),
    );
  });
});
