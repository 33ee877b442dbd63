import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFaults } from '../../../testing/browser/axe.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { scrolls, smallControls } from '../../../testing/browser/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { openGallery } from '../../../testing/browser/open-gallery.ts';
import { until } from '../../../testing/until.ts';

const SIZES = [
  [390, 844],
  [1280, 720],
  [1920, 1080],
] as const;

const gallery = openForAll(openGallery);

/** The size of the letters in pixels. */
const sizeOf = (page: Page, place: string) =>
  page.locator(place).evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));

/** Computes the contrast with axe, which by itself does not check letters this large and tight. */
const contrastOf = (page: Page, letters: string, ground: string) =>
  page.evaluate(
    ([color, background]) => {
      interface Parsed {
        parseString(text: string): void;
      }
      interface Colors {
        readonly Color: new () => Parsed;
        readonly getContrast: (a: Parsed, b: Parsed) => number;
      }
      const { axe } = globalThis as unknown as { axe: { commons: { color: Colors } } };
      const { Color, getContrast } = axe.commons.color;
      const parse = (selector: string, property: 'color' | 'backgroundColor'): Parsed => {
        const parsed = new Color();
        const element = document.querySelector(selector);
        if (element) parsed.parseString(getComputedStyle(element)[property]);
        return parsed;
      };
      return getContrast(parse(background, 'backgroundColor'), parse(color, 'color'));
    },
    [letters, ground] as const,
  );

const focusedText = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.textContent);

test('an evacuation stands above everything with its operator, silences open alarms, and keeps the caveats', async () => {
  const page = await gallery.show('before-evacuation');
  expect(await page.locator('.alarm[data-state=calling]').count()).toBe(1);
  await page.getByRole('button', { name: 'evacuação' }).click();
  await page.getByRole('button', { name: 'registrar evacuação' }).click();
  const band = page.locator('.evacuation');
  await until(async () =>
    expect(await band.innerText()).toMatch(/^EVACUAÇÃO EM VIGOR\s+desde \d\d:\d\d, declarada por Ana/),
  );
  await until(async () =>
    expect(await page.locator('.alarm-announcer').innerText()).toMatch(/^EVACUAÇÃO EM VIGOR desde/),
  );
  expect(await page.title()).toMatch(/^EVACUAÇÃO · /);
  expect(await page.locator('.in-force').innerText()).toMatch(/EVACUAÇÃO desde \d\d:\d\d \(Ana\)/);
  // The take-back stands above the cards.
  const [inForce, cards] = [
    await page.locator('.in-force').boundingBox(),
    await page.locator('.alarms').boundingBox(),
  ];
  expect((inForce?.y ?? Infinity) + (inForce?.height ?? 0)).toBeLessThanOrEqual(cards?.y ?? 0);
  await until(async () =>
    expect(await page.locator('.alarm').innerText()).toMatch(/retirado, não se sabe se voltou/),
  );
  expect(await page.locator('.alarm').getAttribute('data-state')).toBe('ended');
  expect(await page.locator('#total-label').innerText()).toBe('acessos registrados, não pessoas presentes');
  expect(await page.locator('.total-figure').innerText()).toMatch(/no mínimo/);

  // The button is gone, and the focus is on no other: whoever goes on to press Enter records nothing.
  expect(await focusedText(page)).toMatch(/^evacuação registrada/);
  expect(await page.locator('.recorded').innerText()).toBe('evacuação registrada');

  const faults: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    if (IS_FULL || colorScheme === 'light') faults.push(...(await axeFaults(page)));
    expect(await contrastOf(page, '.evacuation h2', '.evacuation')).toBeGreaterThan(7);
  }
  expect(faults).toEqual([]);

  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    expect((await band.boundingBox())?.y).toBeLessThan(height / 3);
    const size = await sizeOf(page, '.evacuation h2');
    expect(size).toBeGreaterThan(1.5 * (await sizeOf(page, '.alarm-title')));
    // The curve follows the width a frame later.
    await until(async () => expect((await scrolls(page)).sideways).toBe(false));
    const small = await smallControls(
      page,
      '.evacuation, .desk-alarms, .desk-actions',
      width < 900 ? 44 : 24,
    );
    expect([width, small]).toEqual([width, []]);
  }
  expect((await scrolls(page)).down).toBe(false);
  for (const [width, height] of [
    [390, 844],
    [1280, 720],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight }));
    await until(async () => expect((await band.boundingBox())?.y).toBe(0));
  }

  await page.setViewportSize({ width: 1920, height: 1080 });
  await until(async () => expect(await page.locator('.recorded').innerText()).toBe(''), 20_000);
  await page.locator('.in-force').getByRole('button', { name: 'retirar: EVACUAÇÃO' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'retirar' }).click();
  await until(async () => expect(await band.count()).toBe(0));
  await until(async () => expect(await page.title()).not.toMatch(/EVACUAÇÃO/));
  // It took place: what has ended is not struck through.
  const row = page.locator('.log-row[data-kind="evacuation"]');
  expect(await row.innerText()).toMatch(/Ana: EVACUAÇÃO \(até \d\d:\d\d, Ana\)$/);
  expect(await row.locator('s').count()).toBe(0);
});
