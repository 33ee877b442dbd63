import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { openGallery } from '../../../testing/open-gallery.ts';
import { until } from '../../../testing/until.ts';
import { countTones } from './heard-tones.ts';

const MOST_STOPS = 120;

const gallery = openForAll(openGallery);

/** Names what has the focus, for as long as it is on the page. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const names = ((globalThis as { focusNames?: Map<Element, string> }).focusNames ??= new Map());
    const element = document.activeElement;
    if (!element || element === document.body) return 'page';
    const name = element.getAttribute('aria-label') ?? (element.textContent || element.tagName);
    if (!names.has(element)) names.set(element, `${names.size} ${name.slice(0, 40)}`);
    return names.get(element) as string;
  });

/** What `key` reaches, one after the other, until it is at the page's end, or back where it began. */
async function walk(page: Page, key: 'Tab' | 'Shift+Tab'): Promise<string[]> {
  const stops: string[] = [];
  for (;;) {
    await page.keyboard.press(key);
    const stop = await focused(page);
    if (stop === 'page' || stop === stops[0]) return stops;
    expect(stops, `${key} is held at "${stop}"`).not.toContain(stop);
    stops.push(stop);
    expect(stops.length).toBeLessThan(MOST_STOPS);
  }
}

async function expectFocus(button: Locator): Promise<void> {
  await until(async () => expect(await button.evaluate((it) => it === document.activeElement)).toBe(true));
}

test.each([
  [1920, 1080],
  [390, 844],
])('Tab and Shift+Tab go through the whole page at %s × %s, and the same way back', async (width, height) => {
  const page = await gallery.show('match', { viewport: { width, height } });
  // To the page's end, so that it is walked from its beginning.
  await walk(page, 'Tab');
  const there = await walk(page, 'Tab');
  const back = await walk(page, 'Shift+Tab');
  expect(there.length).toBeGreaterThan(20);
  expect(back.toReversed()).toEqual(there);
  for (const words of ['som: desligado', 'ajuda', 'ocorrência', 'evacuação', 'NORTE']) {
    expect(
      there.some((stop) => stop.includes(words)),
      words,
    ).toBe(true);
  }
});

test('each dialog is opened, gone through and left by keyboard: Esc closes it, and its button has the focus again', async () => {
  const page = await gallery.show('match');
  for (const name of ['ocorrência', 'marcar setor', 'início adiado', 'encerrar entrada', 'evacuação']) {
    const button = page.locator('.actions-panel').getByRole('button', { name });
    await button.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const isInside = () => dialog.evaluate((it) => it.contains(document.activeElement));
    await until(async () => expect(await isInside()).toBe(true));
    // Nobody is held in it: an alarm that comes meanwhile can be answered.
    let pressed = 0;
    for (; await isInside(); pressed += 1) {
      expect(pressed, `${name} holds the focus`).toBeLessThan(20);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Shift+Tab');
    await until(async () => expect(await isInside()).toBe(true));
    await page.keyboard.press('Escape');
    await until(async () => expect(await page.getByRole('dialog').count()).toBe(0));
    await expectFocus(button);
  }
});

test('a sector and the dialogs of the operator are left by Esc, and the focus is where it was', async () => {
  const page = await gallery.show('match');
  const sector = page.locator('.desk-rows').getByRole('button', { name: /NORTE/ });
  await sector.press('Enter');
  await page.locator('.sector-panel').waitFor();
  await page.keyboard.press('Escape');
  await until(async () => expect(await page.locator('.sector-panel').count()).toBe(0));
  await expectFocus(sector);

  const operator = page.locator('.operator summary');
  for (const choice of ['trocar operador', 'entrar com o telefone']) {
    await operator.press('Enter');
    await page.getByRole('button', { name: choice }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await until(async () => expect(await page.getByRole('dialog').count()).toBe(0));
    await expectFocus(operator);
  }
  await operator.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await expectFocus(operator);
  expect(await page.locator('.operator[open]').count()).toBe(0);
});

test('sound is switched on and tried by keyboard', async () => {
  const { page } = await gallery.open('match');
  const tones = await countTones(page);
  await page.getByRole('button', { name: 'som: desligado' }).press('Enter');
  await expectFocus(page.getByRole('button', { name: 'som: ligado' }));
  await until(async () => expect(await tones()).toBe(1));
  await page.keyboard.press('Tab');
  await expectFocus(page.getByRole('button', { name: 'testar' }));
  await page.keyboard.press('Space');
  await until(async () => expect(await tones()).toBe(2));
});
