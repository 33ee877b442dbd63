import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { IS_FULL } from '../../../testing/durations.ts';
import { scrolls, sizes, touchingTexts } from '../../../testing/browser/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { changeStandIn, openGallery } from '../../../testing/browser/open-gallery.ts';
import { until } from '../../../testing/until.ts';

const gallery = openForAll(openGallery);

/** The height of the capitals of Inter in these elements, by the size of its letters. */
function capitalsOf(page: Page, selector: string): Promise<readonly (readonly [string, number])[]> {
  return page.locator(selector).evaluateAll((places) =>
    places.map((place) => {
      const text = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
      let least = Infinity;
      for (let node = text.nextNode(); node; node = text.nextNode()) {
        const parent = node.parentElement;
        if (!parent || node.textContent?.trim() === '' || parent.getClientRects().length === 0) continue;
        least = Math.min(least, Number.parseFloat(getComputedStyle(parent).fontSize));
      }
      return [place.textContent ?? '', 0.727 * least] as const;
    }),
  );
}

const FAR = '.alarm > .alarm-title, .alarm:first-child > .alarm-body > p';
const FIGURES = '.rows tbody :is(.row-admitted, .row-rate)';

test('on a wall titles, sentences and contacts are twenty minutes of arc high at three metres, figures sixteen', async () => {
  const page = await gallery.show('six-unlike');
  for (const [width, height] of sizes(IS_FULL ? '1920×1080 3840×2160' : '1920×1080')) {
    await page.setViewportSize({ width, height });
    // 55 inches are 1,218 mm wide.
    const minutesOf = (px: number): number => (((px * 1_218) / width / 3_000) * 180 * 60) / Math.PI;
    const far = await capitalsOf(page, FAR);
    expect(far.map(([words]) => words).join()).toMatch(/permitidos: .*Feche a entrada.*Chame: canal 9/);
    for (const [words, px] of far) expect([words, minutesOf(px) >= 20]).toEqual([words, true]);
    const figures = await capitalsOf(page, FIGURES);
    expect(figures).toHaveLength(39);
    for (const [words, px] of figures) expect([words, minutesOf(px) >= 16]).toEqual([words, true]);
    expect(await scrolls(page)).toEqual({ sideways: false, down: false });
  }
});

test('on a wall what holds, what ends it and what is forecast have 22 px, and each its place', async () => {
  const page = await gallery.show('estimated-sectors');
  const far = '.in-force :is(h2, li > :first-child, button), .log-acts button, .ranges tbody td';
  const parts = await page.locator(far).evaluateAll((found) =>
    found.map((part) => {
      const isCut = part.scrollWidth > part.clientWidth && part.clientWidth > 0;
      return [part.textContent, Number.parseFloat(getComputedStyle(part).fontSize) >= 22, isCut] as const;
    }),
  );
  expect(parts.length).toBeGreaterThan(15);
  for (const [words, isLarge, isCut] of parts) expect([words, isLarge, isCut]).toEqual([words, true, false]);
});

test('whatever the header says, it is low, and its title is cut off at the end of a line, never into letters', async () => {
  const { page } = await gallery.open('put-off-start');
  await page.getByRole('button', { name: 'som: desligado' }).click();
  await page.getByRole('button', { name: 'testar' }).waitFor();
  const [strip, title] = [page.locator('.strip'), page.locator('.strip h1')];
  for (const [width, height] of sizes(
    IS_FULL ? '390×844 1280×720 1366×768 1920×1080' : '390×844 1280×720 1920×1080',
  )) {
    await page.setViewportSize({ width, height });
    expect(await strip.innerText()).toMatch(
      /Fortaleza\s+SIMULADO[^]*\(19:15, definido na mesa\)[^]*Ana Paula Ribeiro/,
    );
    expect(await title.getAttribute('title')).toMatch('Associação Desportiva Ferroviária × Fortaleza');
    const [box, letters] = [await strip.boundingBox(), await title.boundingBox()];
    const [most, lines] = width < 900 ? [height / 4, 1] : width < 1900 ? [100, 1] : [62, 2];
    expect([width, (box?.height ?? Infinity) <= most, letters?.height]).toEqual([width, true, 25 * lines]);
    const shown = await title.evaluate((element) => {
      const text = document.createRange();
      text.setStart(element.firstChild as Node, 0);
      text.setEnd(element.firstChild as Node, 'Triagem · Associação'.length);
      return text.getBoundingClientRect().right <= element.getBoundingClientRect().right;
    });
    expect([width, shown]).toEqual([width, true]);
  }
});

test('figures of four digits do not touch, from a phone to a wall', async () => {
  const page = await gallery.show('full-stadium');
  for (const [width, height] of sizes('390×844 1280×720 1366×768 1920×1080')) {
    await page.setViewportSize({ width, height });
    const needed = await page.locator('.ranges [data-row=needed] td').allInnerTexts();
    expect(needed.filter((rate) => /^\d\.\d{3}$/.test(rate)).length).toBeGreaterThanOrEqual(3);
    for (const figures of ['.ranges :is(td, th)', '.answer-figures > div', '.rows tbody td'])
      expect([width, await touchingTexts(page, figures, 6)]).toEqual([width, []]);
  }
});

test('all sectors are seen on a wall, whatever their rows say', async () => {
  for (const view of ['wordy-rows', 'put-off-start'] as const) {
    const page = await gallery.show(view);
    expect(await page.locator('.rows tbody tr').count()).toBe(13);
    expect(await scrolls(page)).toEqual({ sideways: false, down: false });
    expect([
      view,
      await touchingTexts(page, '.rows :is(.row-states > *, .row-name, td:not(.row-states))', 4),
    ]).toEqual([view, []]);
  }
});

test('three notices stand above the headings, and cover nothing', async () => {
  for (const [width, height] of sizes('1280×720 1366×768 1920×1080')) {
    const page = await gallery.show('match', { viewport: { width, height } });
    await changeStandIn(page, (standIn) => {
      standIn.record = { state: { kind: 'away', reason: '' }, isKept: true, minutesWaiting: 3 };
      standIn.readings = [{ outcome: 'refused', reason: 'message', count: 3 }];
      standIn.isSplit = true;
    });
    await until(async () => expect(await page.locator('.notices .notice').count()).toBe(3));
    const parts = '.notices, .strip-title, .strip-edge, .desk-alarms h2, .rows thead, .total .answer-label';
    expect([width, await touchingTexts(page, parts, 0)]).toEqual([width, []]);
    const box = await page.locator('.notices').evaluate((place) => {
      const letters = document.createRange();
      letters.selectNodeContents(place);
      return { bottom: place.getBoundingClientRect().bottom, words: letters.getBoundingClientRect().bottom };
    });
    expect([width, box.words <= box.bottom + 2]).toEqual([width, true]);
  }
});

test('on a phone the notices lie above the actions, whatever those say, and nothing of the page is seen between them', async () => {
  const page = await gallery.show('match', { viewport: { width: 390, height: 844 } });
  await changeStandIn(page, (standIn) => {
    standIn.record = { state: { kind: 'away', reason: '' }, isKept: true, minutesWaiting: 3 };
    standIn.readings = [{ outcome: 'refused', reason: 'message', count: 3 }];
  });
  await page.getByText('nada pode ser lançado agora').waitFor();
  const expectTogether = () =>
    until(async () => {
      const [notices, actions] = [page.locator('.notices'), page.locator('.desk-actions')];
      const [above, below] = [await notices.boundingBox(), await actions.boundingBox()];
      const gap = (below?.y ?? NaN) - (above?.y ?? NaN) - (above?.height ?? NaN);
      expect(Math.abs(gap)).toBeLessThan(1);
    });
  await expectTogether();
  await page.getByRole('button', { name: 'lançar' }).click();
  await expectTogether();
});

test('what lies over the page covers no title: neither that of a recorded minute nor that of an opened sector', async () => {
  const topOf = (page: Page, selector: string) =>
    page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);
  const replayed = await gallery.show('match', { viewport: { width: 1280, height: 720 } });
  await replayed.getByRole('button', { name: 'voltar a um minuto' }).click();
  const frame = replayed.locator('.replay-frame');
  await frame.waitFor();
  await replayed.evaluate(() => window.scrollTo(0, 0));
  const framePx = await frame.evaluate((element) => Number.parseFloat(getComputedStyle(element).borderTop));
  expect(framePx).toBeGreaterThan(5);
  expect(await topOf(replayed, '.strip h1')).toBeGreaterThanOrEqual(framePx);

  const page = await gallery.show('wordy-rows', { viewport: { width: 1366, height: 768 } });
  await page.getByRole('button', { name: 'NORTE', exact: true }).click();
  const line = page.locator('.alarms-out-of-sight');
  await line.waitFor();
  const box = await line.boundingBox();
  expect(await topOf(page, '#sector-panel-name')).toBeGreaterThanOrEqual(
    (box?.y ?? NaN) + (box?.height ?? NaN),
  );
});
