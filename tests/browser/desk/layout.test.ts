import { expect, test } from 'vitest';
import { IS_FULL } from '../../../testing/durations.ts';
import { scrolls, sizes } from '../../../testing/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { openGallery } from '../../../testing/open-gallery.ts';
import { until } from '../../../testing/until.ts';

const gallery = openForAll(openGallery);

const SCREENS = sizes(
  IS_FULL
    ? '320×640 390×844 768×1024 900×1200 1280×720 1920×900 1920×1080 3840×2160'
    : '320×640 390×844 768×1024 1280×720 1920×1080',
);

test('nothing of the desk is wider than the screen, from a phone to a wall', async () => {
  const page = await gallery.show('match');
  for (const [width, height] of SCREENS) {
    await page.setViewportSize({ width, height });
    await until(async () => {
      const { sideways, down } = await scrolls(page);
      expect([width, sideways, down && width >= 1920]).toEqual([width, false, false]);
    });
    const beyond = await page.locator('body *').evaluateAll((elements) =>
      elements
        .filter((element) => {
          const { left, right, width: wide } = element.getBoundingClientRect();
          return (
            wide > 1 && getComputedStyle(element).clipPath === 'none' && (left < -1 || right > innerWidth + 1)
          );
        })
        .map((element) => element.className || element.tagName),
    );
    expect([width, beyond]).toEqual([width, []]);
  }
});

test('readings that are not in the count stand above the desk, which fits the screen all the same', async () => {
  const page = await gallery.show('readings-kept');
  expect(await page.locator('.notices').innerText()).toMatch(
    /Leituras fora da contagem nos últimos 10 min: 12 sem setor, 3 recusadas \(3 mensagem inválida\)\.$/,
  );
  expect(await scrolls(page)).toMatchObject({ sideways: false, down: false });
});

test('a phone asks in the order of the officer, and what can be said comes behind what is shown', async () => {
  const page = await gallery.show('match', { viewport: { width: 390, height: 844 } });
  const areas = ['alarms', 'answer', 'total', 'rows', 'curve', 'actions', 'log'];
  const tops = await page.evaluate(
    (names) =>
      names.map((name) => document.querySelector(`.desk-${name}`)?.getBoundingClientRect().top ?? NaN),
    areas,
  );
  expect(tops.every((top, place) => place === 0 || top > (tops[place - 1] ?? NaN))).toBe(true);
  expect(await page.locator('.rows tbody .row-sparkline').first().isVisible()).toBe(true);
});

test('at twice the size of letters nothing is wider than the screen', async () => {
  const page = await gallery.show('match', { viewport: { width: 640, height: 480 } });
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  expect((await scrolls(page)).sideways).toBe(false);
  await page.evaluate(() => (document.documentElement.style.fontSize = ''));
});

test('thirteen of the longest names and six alarms stand on a screen of 1080 px, in forced colours as well', async () => {
  const page = await gallery.show('long-names');
  expect(await page.locator('.alarm[data-state=calling]').count()).toBe(6);
  for (const forcedColors of ['none', 'active'] as const) {
    await page.emulateMedia({ forcedColors });
    expect(await scrolls(page)).toEqual({ sideways: false, down: false });
    const beyond = await page.evaluate(() => {
      const place = document.querySelector('.desk-alarms');
      const bottom = place?.getBoundingClientRect().bottom ?? 0;
      return {
        isScrolled: (place?.scrollHeight ?? 0) > (place?.clientHeight ?? 0),
        parts: [...(place?.querySelectorAll('.alarm, .alarm-watch') ?? [])].filter(
          (part) => part.getBoundingClientRect().bottom > bottom + 1,
        ).length,
      };
    });
    expect(beyond).toEqual({ isScrolled: false, parts: 0 });
  }
});
