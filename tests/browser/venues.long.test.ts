import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { readVenue } from '../../domain/venue-file.ts';
import { axeFaults } from '../../testing/axe.ts';
import { launchBrowser } from '../../testing/browser.ts';
import { createTestDatabase, type TestDatabase, insertTickets, setEntered } from '../../testing/database.ts';
import { cutOff, scrolls, watchShifts, wrappedNames } from '../../testing/layout.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { newPage, openLivePage } from '../../testing/test-page.ts';
import { until } from '../../testing/until.ts';
import { venueOf, writeVenueFile } from '../../testing/venues.ts';

let database: TestDatabase;
let browser: Browser;

beforeAll(async () => {
  database = await createTestDatabase();
  await insertTickets(
    database.gates,
    venueOf(60).sectors.map(({ code }, index) => ({ id: `t${index}`, setor: code, entrou: true })),
  );
  browser = await launchBrowser();
});

test('the rows are those of the file, in its order, and an entry by any of its codes counts', async () => {
  const venue = readVenue(readFileSync(join(PROJECT_ROOT, 'venues/campo-pequeno.json'), 'utf8'));
  await insertTickets(database.gates, [
    { id: 'c1', setor: 'COB', entrou: true },
    { id: 'c2', setor: 'COB-MEIA', entrou: false },
  ]);
  const server = await startTestServer(database, { VENUE_FILE: writeVenueFile(venue) });
  const watched = await openLivePage(browser, server.url);
  const { page } = watched;
  await page.locator('tbody').waitFor();
  const counts = (): Promise<string[][]> => watched.rows();
  expect((await counts()).slice(0, 2)).toEqual([
    ['Arquibancada coberta', '1'],
    ['Arquibancada descoberta', '0'],
  ]);
  await setEntered(database.gates, 'c2', true);
  await until(async () => expect((await counts())[0]).toEqual(['Arquibancada coberta', '2']));
  expect(await page.locator('tbody tr[data-stand-begins] th').allInnerTexts()).toEqual([
    'Arquibancada coberta',
    'Cadeiras',
    'Visitante',
  ]);
  expect(await page.content()).not.toContain('Várzea');
  await watched.close();
  await server.stop();
});

test('nothing moves when sixty rows and their numbers arrive; one table is read, and axe finds no fault', async () => {
  const server = await startTestServer(database, { VENUE_FILE: writeVenueFile(venueOf(60)) });
  for (const [width, height] of [
    [1920, 1080],
    [390, 844],
  ] as const) {
    const watched = await newPage(browser, { viewport: { width, height }, bypassCSP: true });
    const { page } = watched;
    const shifted = await watchShifts(page);
    await page.goto(server.url);
    await until(async () => expect(await watched.total()).toMatch(/^\d/));
    await page.locator('tbody').waitFor();
    await page.evaluate(() => document.fonts.ready);
    expect(await shifted()).toBeLessThan(0.001);
    expect(await cutOff(page)).toEqual([]);
    expect(await wrappedNames(page)).toEqual([]);
    expect(await scrolls(page)).toEqual({ sideways: false, down: width < height });
    expect(await page.getByRole('table').count()).toBe(1);
    expect(await page.getByRole('row').count()).toBe(61);
    expect(await page.getByRole('rowheader').count()).toBe(60);
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Setor', 'Acessos']);
    expect(await axeFaults(page)).toEqual([]);
    await watched.close();
  }
  const last = await openLivePage(browser, server.url);
  // The page's own style is allowed by its policy.
  expect(last.console.filter((line) => /Content Security Policy|uncaught/.test(line))).toEqual([]);
  expect(
    await last.page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--column-rows'),
    ),
  ).toBe('30');
  await last.close();
  await server.stop();
});
