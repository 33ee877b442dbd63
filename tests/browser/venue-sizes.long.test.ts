import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { readVenue } from '../../domain/venue-file.ts';
import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';
import { launchBrowser } from '../../testing/browser.ts';
import { openLivePage, type TestPage } from '../../testing/test-page.ts';
import { createTestDatabase, type TestDatabase, insertTickets } from '../../testing/database.ts';
import { cutOff, placesOf, scrolls, wrappedNames } from '../../testing/layout.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { venueOf, writeVenueFile } from '../../testing/venues.ts';

/** Cap height of Inter, in em. */
const CAP_EM = 0.727;

const PHONES = [
  [320, 640],
  [390, 844],
  [568, 320],
  [844, 390],
  [768, 1024],
] as const;
const WALLS = [
  [1024, 768],
  [1280, 720],
  [1920, 1080],
  [2560, 1080],
  [3840, 2160],
] as const;
const UPRIGHT_WALL = [1080, 1920] as const;

let database: TestDatabase;
let browser: Browser;

beforeAll(async () => {
  database = await createTestDatabase();
  const { sectors } = venueOf(60);
  await insertTickets(database.gates, [
    ...sectors.flatMap(({ codes }, index) =>
      codes.map((setor, nth) => ({ id: `t${index}-${nth}`, setor, entrou: true })),
    ),
    { id: 'odd', setor: '04', entrou: true },
  ]);
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 'm' || n, true, true, '4' from generate_series(1, 54321) n`;
  browser = await launchBrowser();
});

async function openWith(
  venue: Venue | undefined,
): Promise<Pick<TestPage, 'page' | 'rows'> & { stop: () => Promise<void> }> {
  const server = await startTestServer(database, venue ? { VENUE_FILE: writeVenueFile(venue) } : {});
  const watched = await openLivePage(browser, server.url);
  const { page } = watched;
  await page.locator('tbody').waitFor();
  await page.evaluate(() => document.fonts.ready);
  return {
    ...watched,
    stop: async () => {
      await watched.close();
      await server.stop();
    },
  };
}

const sizeOf = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));

/** Where the names stand: each its column's left edge, and its top. */
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
  // Down the first column, then down the second.
  const outOfOrder = names.filter(({ left, top }, index) => {
    const above = names[index - 1];
    return above && (above.left === left ? top < above.bottom - 1 : left < above.left);
  });
  expect(outOfOrder).toEqual([]);
}

describe.each([1, 4, 13, 14, 20, 21, 32, 60])('a venue of %i sectors', (count) => {
  test('has room for its rows on every screen, beside a total as large as ever', async () => {
    const { page, stop } = await openWith(venueOf(count));
    for (const [width, height] of [...PHONES, ...WALLS, UPRIGHT_WALL]) {
      await page.setViewportSize({ width, height });
      await expectWhole(page);
      expect(await sizeOf(page, 'tbody th')).toBeGreaterThanOrEqual(11);
    }
    for (const [width, height] of [...WALLS, UPRIGHT_WALL]) {
      await page.setViewportSize({ width, height });
      expect((await scrolls(page)).down).toBe(false);
      const others = await page.locator('.others').boundingBox();
      expect((others?.y ?? Infinity) + (others?.height ?? 0)).toBeLessThanOrEqual(height);
    }
    for (const [width, height] of WALLS) {
      await page.setViewportSize({ width, height });
      const columns = new Set((await namesOf(page)).map(({ left }) => left)).size;
      expect(columns).toBe(count > 20 ? 2 : 1);
      if (width / height < 1.7) continue;
      expect(((await sizeOf(page, '.total data')) * CAP_EM) / height).toBeGreaterThanOrEqual(0.14);
      const row = ((await sizeOf(page, 'tbody th')) * CAP_EM) / height;
      // As large as the height of a column leaves room for.
      const most = count <= 13 || count === 21 ? 0.026 : 0.34 / Math.ceil(count / (count > 20 ? 2 : 1));
      expect(row).toBeGreaterThanOrEqual(most);
    }
    await stop();
  });
});

test('names of forty wide letters stand on one line, whole, beside their counts', async () => {
  const wide = venueOf(24).sectors.map(({ code, stand, codes }, index) => {
    const name = `SETOR ${index + 1} `.padEnd(40, 'MOWÃ');
    return { code, name, stand, codes };
  });
  const { page, stop } = await openWith({ name: 'Arena', sectors: wide });
  for (const [width, height] of [...PHONES, ...WALLS, UPRIGHT_WALL]) {
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
  await stop();
});

test("the default venue's file is drawn as the default venue is, to the pixel", async () => {
  const text = readFileSync(join(PROJECT_ROOT, 'venues/castelao.json'), 'utf8');
  const [one, other] = [await openWith(undefined), await openWith(readVenue(text))];
  expect(await other.rows()).toEqual(await one.rows());
  expect((await one.rows()).map(([name]) => name)).toEqual(DEFAULT_VENUE.sectors.map(({ name }) => name));
  for (const [width, height] of [...PHONES, ...WALLS, UPRIGHT_WALL]) {
    for (const { page } of [one, other]) await page.setViewportSize({ width, height });
    expect(await placesOf(other.page)).toEqual(await placesOf(one.page));
    const sizes = await Promise.all([one, other].map(({ page }) => sizeOf(page, 'tbody th')));
    expect(Math.abs((sizes[0] ?? 0) - (sizes[1] ?? 0))).toBeLessThan(0.1);
  }
  await one.stop();
  await other.stop();
});
