import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { axeFaults } from '../../testing/axe.ts';
import { launchBrowser } from '../../testing/browser.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { cutOff, fontsOf, scrolls, sizes, watchShifts, wrappedNames } from '../../testing/layout.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { newPage, openLivePage, type TestPage } from '../../testing/test-page.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

/** Cap height of Inter, in em: the height of a digit or a capital letter. */
const CAP_EM = 0.727;

/** Neither the default, nor that of this machine or of the browser. */
const TIME_ZONE = 'America/Noronha';

const database = openForAll(() => createTestDatabase({ inside: { odd: '04' } }));
const server = openForAll(() => startTestServer(database, { TIME_ZONE }));
const browser = openForAll(launchBrowser);

beforeAll(async () => {
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 'many' || n, true, true, (array['1','2','3','4','5','6','7','8','9','11','12','13','99'])[n % 13 + 1]
    from generate_series(1, 31482) n`;
});

async function openAt(width: number, height: number): Promise<TestPage> {
  const watched = await openLivePage(browser, server.url, { viewport: { width, height } });
  await drawn(watched);
  return watched;
}

/** Waits until the table is there, in the font of the project. */
async function drawn({ page }: TestPage): Promise<void> {
  await page.locator('tbody').waitFor();
  await page.evaluate(() => document.fonts.ready);
}

describe('on a screen of', () => {
  let page: Page;

  beforeAll(async () => {
    ({ page } = await openAt(1280, 720));
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

  test.each(
    sizes(
      '320×640 390×844 568×320 844×390 768×1024 1080×1920 1280×720 1280×800 1920×1080 2560×1080 3840×2160',
    ),
  )('%i × %i, nothing is cut off, wraps or scrolls sideways', async (width, height) => {
    await page.setViewportSize({ width, height });
    expect((await scrolls(page)).sideways).toBe(false);
    expect(await cutOff(page)).toEqual([]);
    expect(await wrappedNames(page)).toEqual([]);
  });

  test.each(
    sizes('360×640 390×664 390×844 768×1024 1080×1920 1280×720 1280×800 1920×1080 2560×1080 3840×2160'),
  )('%i × %i, all of it is seen without scrolling, and it uses the height', async (width, height) => {
    await page.setViewportSize({ width, height });
    expect((await scrolls(page)).down).toBe(false);
    expect((await boxOf('.others')).bottom / height).toBeGreaterThan(0.9);
  });

  test.each(sizes('568×320 667×375 844×390 932×430'))(
    '%i × %i, a phone on its side, the total stands beside all thirteen rows',
    async (width, height) => {
      await page.setViewportSize({ width, height });
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

  test.each(sizes('1280×720 1920×1080 3840×2160'))(
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

  test.each(sizes('390×844 844×390 1080×1920 1920×1080'))(
    '%i × %i, a total of a million fits into its place',
    async (width, height) => {
      await page.setViewportSize({ width, height });
      const place = await page.locator('.total').evaluate((total) => {
        const shown = total.cloneNode(true) as HTMLElement;
        shown.style.setProperty('--width-em', '4.88');
        shown.querySelector('data')?.replaceChildren('1.000.000');
        total.after(shown);
        const needed = shown.querySelector('data')?.getBoundingClientRect().right ?? Number.NaN;
        const { right } = shown.getBoundingClientRect();
        shown.remove();
        return { needed, right };
      });
      expect(place.needed).toBeLessThanOrEqual(place.right + 1);
    },
  );
});

describe.each(['dark', 'light'] as const)('in the %s scheme', (scheme) => {
  test.each(sizes('390×844 1920×1080'))(
    'axe finds no violation at %i × %i: live, stale, and loading',
    async (width, height) => {
      const viewport = { width, height };
      const watched = await newPage(browser, { viewport, colorScheme: scheme, bypassCSP: true });
      const { page } = watched;
      await page.route('**/live', () => {});
      await page.goto(server.url);
      await page.locator('table').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.unroute('**/live');
      await page.reload();
      await watched.expectTotal('31.483');
      expect(await axeFaults(page)).toEqual([]);
      await page.context().setOffline(true);
      await watched.expectStatus(/^sem conexão/);
      expect(await axeFaults(page)).toEqual([]);
    },
  );
});

test('nothing moves when the scripts take over, when the table arrives, and when the numbers do', async () => {
  const watched = await newPage(browser, { viewport: { width: 1920, height: 1080 } });
  const { page } = watched;
  const shifted = await watchShifts(page);
  await page.goto(server.url);
  await watched.expectTotal('31.483');
  await drawn(watched);
  // The words of the status change length at the right edge: that is all that moves.
  expect(await shifted()).toBeLessThan(0.001);
});

/** A change of the clock: what it shows since then, and when that was by the clock of this machine, in ms since 1970. */
type Tick = Readonly<{ text: string; dateTime: string; atMs: number }>;

/** A kiosk whose own clock is an hour slow, far from the venue, on a browser that knows no time zone at all. */
const WRONG_KIOSK = `{
  const RealDate = Date;
  Date = class extends RealDate {
    constructor(...args) { super(...(args.length === 0 ? [RealDate.now() - 3_600_000] : args)); }
    static now() { return RealDate.now() - 3_600_000; }
  };
  Intl.DateTimeFormat = function () { throw new RangeError('no such time zone'); };
}`;

/** Notes the ticks of the clock, and everything else that changes, but for what is told to screen readers. */
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
    if (hasTicked && time) {
      const atMs = performance.timeOrigin + performance.now();
      ticks.push({ text: time.textContent, dateTime: time.dateTime, atMs });
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
`;

test("behind \"ao vivo\" ticks the server's clock in the venue's time zone, whatever the kiosk's own says, and nothing else changes", async () => {
  const watched = await newPage(browser, { timezoneId: 'Asia/Tokyo' });
  const { page } = watched;
  await page.addInitScript(WRONG_KIOSK);
  await page.addInitScript(NOTE_CHANGES);
  await watched.goLive(server.url);
  await page.locator('tbody').waitFor();
  const from = await page.evaluate<number>('others.length = 0, ticks.length');
  const ticks = (): Promise<Tick[]> => page.evaluate<Tick[]>('ticks');
  // The first is shown with "ao vivo", the others as soon as the server's clock has another second.
  await until(async () => {
    const later = (await ticks()).slice(Math.max(1, from));
    expect(later.length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...later.map(({ dateTime }) => Date.parse(dateTime) % 1_000))).toBeLessThan(100);
  });
  const inVenue = new Intl.DateTimeFormat('pt-BR', { timeZone: TIME_ZONE, timeStyle: 'medium' });
  const seconds = (await ticks()).map(({ text, dateTime, atMs }) => {
    expect(dateTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const shownMs = Date.parse(dateTime);
    expect(text).toBe(inVenue.format(shownMs));
    // Never before its time; late by no more than a message takes on a busy machine.
    expect(atMs - shownMs).toBeGreaterThan(-100);
    expect(atMs - shownMs).toBeLessThan(5_000);
    return Math.floor(shownMs / 1_000);
  });
  expect(seconds).toEqual([...new Set(seconds)].toSorted((a, b) => a - b));
  expect(await page.evaluate('others')).toEqual([]);

  expect(await watched.status()).toBe('ao vivo');
  const heard = await page.locator('body').ariaSnapshot();
  expect(heard).toContain('ao vivo');
  expect(heard).not.toMatch(/\d\d:\d\d/);
  expect(watched.console.filter((line) => line.startsWith('uncaught'))).toEqual([]);
});

test.concurrent.each(sizes('320×640 360×740 1920×1080'))(
  'at %i × %i nothing moves when the clock comes, ticks and goes, nor for the longest words of the status',
  async (width, height) => {
    const watched = await newPage(browser, { viewport: { width, height } });
    const { page } = watched;
    const release = await watched.hold('**/live');
    const shifted = await watchShifts(page);
    await page.goto(server.url);
    await drawn(watched);
    const badge = page.locator('.demonstration');
    await badge.evaluate((element) => (element.textContent = 'demonstração'));
    const before = await shifted();
    await release();
    await watched.expectStatus('ao vivo');
    const shown = await page.locator('time').innerText();
    await until(async () => expect(await page.locator('time').innerText()).not.toBe(shown));
    const box = await page.locator('time').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    // Beside the status, as on a wide screen, it does make room for longer words.
    if (width >= 520) await badge.evaluate((element) => (element.textContent = ''));
    await page.context().setOffline(true);
    await watched.expectStatus(/^sem conexão/);
    expect(await page.locator('time').count()).toBe(0);
    expect(await shifted()).toBe(before);
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

test('only a demonstration says that it is one, beside the status', async () => {
  const { page } = await openAt(1280, 720);
  expect(await page.locator('body').innerText()).not.toContain('demonstração');
});
