import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { axeFaults } from '../../testing/browser/axe.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { cutOff, fontsOf, scrolls, sizes, watchShifts, wrappedNames } from '../../testing/browser/layout.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { newPage, type TestPage } from '../../testing/browser/test-page.ts';
import { until } from '../../testing/until.ts';
import { startWall } from '../../testing/browser/wall.ts';

/** Cap height of Inter, in em: the height of a digit or a capital letter. */
const CAP_EM = 0.727;

/** A time zone unlike the default, the machine's and the browser's. */
const TIME_ZONE = 'America/Noronha';

const SECTORS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '11', '12', '13', '99'];
const wall = openForAll(() =>
  startWall(
    { ...Object.fromEntries(SECTORS.map((code) => [code, 2_422])), '04': 1 },
    { timeZone: TIME_ZONE },
  ),
);
const browser = openForAll(openBrowser);

/** Waits for the table in the project's font. */
async function drawn({ page }: TestPage): Promise<void> {
  await page.locator('tbody').waitFor();
  await page.evaluate(() => document.fonts.ready);
}

/** The smallest and largest screens of each arrangement in page/design/measures.css; a full run takes others between them. */
const SCROLLING = sizes('320×640');
const UPRIGHT = sizes(IS_FULL ? '360×640 390×664 390×844 768×1024 1080×1920' : '360×640 768×1024 1080×1920');
const ON_SIDE = sizes(IS_FULL ? '568×320 667×375 844×390 932×430' : '568×320 844×390');
const WALLS = sizes(IS_FULL ? '1280×720 1280×800 1920×1080 2560×1080 3840×2160' : '1280×800 1920×1080');

describe('on a screen of', () => {
  const watched = openForAll(() => newPage(browser));
  let page: Page;

  beforeAll(async () => {
    ({ page } = watched);
    await watched.goLive(wall.url);
    await drawn(watched);
  });

  const boxOf = async (selector: string) => {
    const box = await page.locator(selector).boundingBox();
    if (!box) throw new Error(`${selector} is not there`);
    return { ...box, right: box.x + box.width, bottom: box.y + box.height };
  };
  const sizeOf = (selector: string): Promise<number> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));

  async function expectWhole(width: number, height: number): Promise<void> {
    await page.setViewportSize({ width, height });
    expect((await scrolls(page)).sideways).toBe(false);
    expect(await cutOff(page)).toEqual([]);
    expect(await wrappedNames(page)).toEqual([]);
    const million = await page.locator('.total').evaluate((total) => {
      const shown = total.cloneNode(true) as HTMLElement;
      shown.style.setProperty('--width-em', '4.88');
      shown.querySelector('data')?.replaceChildren('1.000.000');
      total.after(shown);
      const needed = shown.querySelector('data')?.getBoundingClientRect().right ?? Number.NaN;
      const { right } = shown.getBoundingClientRect();
      shown.remove();
      return { needed, right };
    });
    expect(million.needed).toBeLessThanOrEqual(million.right + 1);
  }

  test.each(SCROLLING)(
    '%i × %i, nothing is cut off, wraps or scrolls sideways, and a total of a million fits into its place',
    expectWhole,
  );

  test.each([...UPRIGHT, ...WALLS])(
    '%i × %i, so it is, all of it is seen without scrolling, and it uses the height',
    async (width, height) => {
      await expectWhole(width, height);
      expect((await scrolls(page)).down).toBe(false);
      expect((await boxOf('.others')).bottom / height).toBeGreaterThan(0.9);
    },
  );

  test.each(ON_SIDE)(
    '%i × %i, a phone on its side, so it is, and the total stands beside all thirteen rows',
    async (width, height) => {
      await expectWhole(width, height);
      const [header, total, rows] = await Promise.all(['.header', '.total', 'tbody'].map(boxOf));
      expect((await scrolls(page)).down).toBe(false);
      expect(rows?.bottom).toBeLessThanOrEqual(height);
      expect(total?.bottom).toBeLessThanOrEqual(height);
      expect(total?.y).toBeGreaterThanOrEqual(header?.bottom ?? Number.NaN);
      expect(await sizeOf('tbody th')).toBeGreaterThanOrEqual(13);
      const right = await page.locator('.total').evaluate((element) => {
        const digits = element.querySelector('data')?.getBoundingClientRect().width ?? Number.NaN;
        return element.getBoundingClientRect().left + digits;
      });
      expect(right).toBeLessThan(rows?.x ?? Number.NaN);
    },
  );

  test('1080 × 1920, an upright wall, rows are as wide and as large as the screen allows', async () => {
    await page.setViewportSize({ width: 1080, height: 1920 });
    expect((await boxOf('table')).width / 1080).toBeGreaterThan(0.85);
    expect(await sizeOf('tbody th')).toBeGreaterThan(45);
  });

  test.each(WALLS.filter(([width, height]) => width * 9 === height * 16))(
    '%i × %i (16:9), digits of the total are 14 vh high and letters of a row 2.6 vh, in the font of the project',
    async (width, height) => {
      await page.setViewportSize({ width, height });
      expect(((await sizeOf('.total data')) * CAP_EM) / height).toBeGreaterThanOrEqual(0.14);
      expect(((await sizeOf('tbody th')) * CAP_EM) / height).toBeGreaterThanOrEqual(0.026);
      expect(((await sizeOf('tbody td data')) * CAP_EM) / height).toBeGreaterThanOrEqual(0.026);
      expect(await fontsOf(page, 'tbody th')).toEqual(['Inter']);
    },
  );

  test('1920 × 1080, from the longest name to its number is less than 40 vh, and a band leads from one to the other', async () => {
    await page.setViewportSize({ width: 1920, height: 1080 });
    const row = page.locator('tbody tr').filter({ hasText: 'LESTE SUPERIOR CENTRAL' });
    const apart = await row.evaluate((element) => {
      const name = document.createRange();
      name.selectNodeContents(element.querySelector('th') ?? element);
      const count = element.querySelector('td data') ?? element;
      return count.getBoundingClientRect().left - name.getBoundingClientRect().right;
    });
    expect(apart / 1080).toBeLessThan(0.4);
    const grounds = await page
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((each) => [...each.children].map((cell) => getComputedStyle(cell).backgroundColor)),
      );
    for (const [name, count] of grounds) expect(name).toBe(count);
    for (const [index, [name]] of grounds.entries()) expect(name).not.toBe(grounds[index + 1]?.[0]);
  });

  test('1920 × 1080, only a demonstration is marked as one, beside the status', async () => {
    expect(await page.locator('body').innerText()).not.toContain('demonstração');
  });
});

test('axe finds no violation while loading, live and stale, in both schemes', async () => {
  const watched = await newPage(browser, { bypassCSP: true });
  const { page } = watched;
  // A full run has each scheme on each screen.
  const expectNoFault = async (state: string) => {
    for (const [width, height] of sizes('390×844 1920×1080')) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of ['dark', 'light'] as const) {
        if (!IS_FULL && (width === 390) !== (colorScheme === 'dark')) continue;
        await page.emulateMedia({ colorScheme });
        expect({ state, width, colorScheme, faults: await axeFaults(page) }).toMatchObject({ faults: [] });
      }
    }
  };
  const release = await watched.hold('**/live');
  await page.goto(wall.url);
  await page.locator('table').waitFor();
  await expectNoFault('loading');
  await release();
  await watched.expectTotal('31.487');
  await expectNoFault('live');
  await page.context().setOffline(true);
  await watched.expectStatus(/^sem conexão/);
  await expectNoFault('stale');
});

/** A change of the clock, with its new text. */
type Tick = Readonly<{ text: string; dateTime: string }>;

/** A browser that knows no time zone at all. */
const WITHOUT_TIME_ZONES = `Intl.DateTimeFormat = function () { throw new RangeError('no such time zone'); };`;

/** Records the ticks of the clock and all other changes, except those for screen readers. */
const NOTE_CHANGES = `
  globalThis.ticks = [];
  globalThis.others = [];
  new MutationObserver((records) => {
    const time = document.querySelector('time');
    let hasTicked = false;
    for (const { type, target } of records) {
      if (time?.contains(target) || time?.parentNode === target) hasTicked = true;
      else if (!document.querySelector('.announcer')?.contains(target)) others.push(type + ' ' + target.nodeName);
    }
    if (hasTicked && time) ticks.push({ text: time.textContent, dateTime: time.dateTime });
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
`;

test("behind \"ao vivo\" ticks the server's clock in the venue's time zone, whatever the kiosk's own says, and nothing else changes", async () => {
  const watched = await newPage(browser, { timezoneId: 'Asia/Tokyo' });
  const { page } = watched;
  await page.clock.install({ time: Date.now() - 3_600_000 });
  await page.addInitScript(WITHOUT_TIME_ZONES);
  await page.addInitScript(NOTE_CHANGES);
  const openedAtMs = Date.now();
  await watched.goLive(wall.url);
  await page.locator('tbody').waitFor();
  const shown = await page.locator('time').getAttribute('datetime');
  expect(Date.parse(shown ?? '')).toBeGreaterThan(openedAtMs - 100);
  // No tick comes early.
  expect(Date.parse(shown ?? '')).toBeLessThan(Date.now() + 100);

  const from = await page.evaluate<number>('others.length = 0, ticks.length');
  const ticks = (): Promise<Tick[]> => page.evaluate<Tick[]>('ticks');
  // The first is shown with "ao vivo", the others as soon as the server's clock has another second. The page's own clock goes
  // on by itself: ahead of the server's, it would take each message for a late one.
  await until(async () => {
    const later = (await ticks()).slice(Math.max(1, from));
    expect(later.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...later.map(({ dateTime }) => Date.parse(dateTime) % 1_000))).toBeLessThan(100);
  });
  const inVenue = new Intl.DateTimeFormat('pt-BR', { timeZone: TIME_ZONE, timeStyle: 'medium' });
  const seconds = (await ticks()).map(({ text, dateTime }) => {
    expect(dateTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(text).toBe(inVenue.format(Date.parse(dateTime)));
    return Math.floor(Date.parse(dateTime) / 1_000);
  });
  expect(seconds).toEqual([...new Set(seconds)].toSorted((a, b) => a - b));
  expect(await page.evaluate('others')).toEqual([]);

  expect(await watched.status()).toBe('ao vivo');
  const snapshot = await page.locator('body').ariaSnapshot();
  expect(snapshot).toContain('ao vivo');
  expect(snapshot).not.toMatch(/\d\d:\d\d/);
  expect(watched.console.filter((line) => line.startsWith('uncaught'))).toEqual([]);
});

test.each(sizes(IS_FULL ? '320×640 360×740 1920×1080' : '320×640 1920×1080'))(
  'at %i × %i nothing moves when scripts take over, when table, numbers and clock come, when it ticks and goes, nor for the longest words of the status',
  async (width, height) => {
    const watched = await newPage(browser, { viewport: { width, height } });
    const { page } = watched;
    const release = await watched.hold('**/live');
    const shifted = await watchShifts(page);
    await page.clock.install();
    await page.goto(wall.url);
    await drawn(watched);
    expect(await shifted()).toBeLessThan(0.001);
    const badge = page.locator('.demonstration');
    await badge.evaluate((element) => (element.textContent = 'demonstração'));
    const before = await shifted();
    await release();
    await watched.expectStatus('ao vivo');
    const shown = await page.locator('time').innerText();
    await page.clock.runFor(1_100);
    await until(async () => expect(await page.locator('time').innerText()).not.toBe(shown));
    expect(await watched.total()).toBe('31.487');
    const box = await page.locator('time').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    expect(await shifted()).toBe(before);
    // Beside the status, as on a wide screen, it does make room for longer words.
    if (width >= 520) await badge.evaluate((element) => (element.textContent = ''));
    const cleared = await shifted();
    await page.context().setOffline(true);
    await watched.expectStatus(/^sem conexão/);
    expect(await page.locator('time').count()).toBe(0);
    expect(await shifted()).toBe(cleared);
    const top = async (): Promise<number | undefined> => (await page.locator('main').boundingBox())?.y;
    const topBefore = await top();
    await page.evaluate(() => {
      const [cause, age] = document.querySelectorAll('.status span');
      if (cause) cause.textContent = 'contagem desatualizada';
      if (age) age.textContent = 'último dado há 59 min';
    });
    expect(await top()).toBe(topBefore);
  },
);
