import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { changeStandIn, openGallery } from '../../../testing/browser/open-gallery.ts';
import { until } from '../../../testing/until.ts';
import { countTones, noteTones } from './played-tones.ts';

/** The promised interval. */
const TONE_EVERY_MS = 30_000;

const gallery = openForAll(openGallery);
/** The second test continues with the page of the first, whose sound is off. */
const opened = openForAll(() => gallery.open('match', { viewport: { width: 1280, height: 720 } }));

test('sound is off until it is switched on; a blocked sound is stated until a press', async () => {
  const { page } = opened;
  await page.getByRole('button', { name: 'som: desligado' }).waitFor();
  // Like a reloaded tab whose sound was on, the page has had no press yet.
  await page.evaluate(() => sessionStorage.setItem('triagem.desk-sound', 'on'));
  await page.reload();
  await page.getByRole('button', { name: 'som: bloqueado pelo navegador' }).waitFor();
  const tones = await countTones(page);
  await page.keyboard.press('Shift');
  await page.locator('.total-admitted').click();
  await page.getByRole('button', { name: 'som: ligado' }).waitFor();
  await until(async () => expect(await tones()).toBe(1));
  await page.getByRole('button', { name: 'testar' }).click();
  expect(await tones()).toBe(2);
  await page.getByRole('button', { name: 'som: ligado' }).click();
  await page.getByRole('button', { name: 'som: desligado' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('triagem.desk-sound'))).toBe('off');
});

test('sound is switched on and tested by keyboard; the tone of an alarm repeats after half a minute until an acknowledgement', async () => {
  const { page } = opened;
  const tones = await countTones(page);
  await page.getByRole('button', { name: 'som: desligado' }).press('Enter');
  await until(async () => expect(await tones()).toBe(1));
  const isFocused = (name: string): Promise<boolean> =>
    page.getByRole('button', { name }).evaluate((button) => button === document.activeElement);
  await until(async () => expect(await isFocused('som: ligado')).toBe(true));
  await page.keyboard.press('Tab');
  expect(await isFocused('testar')).toBe(true);
  await page.keyboard.press('Space');
  await until(async () => expect(await tones()).toBe(2));
  const clock = await standStill(page);
  await changeStandIn(page, (standIn) => standIn.permit('7', (admitted) => admitted - 1));
  const alarm = page.locator('.alarm[data-state=calling]');
  await alarm.waitFor();
  await until(async () => expect(await tones()).toBe(3));
  await clock.advance(TONE_EVERY_MS - 1_000);
  expect(await tones()).toBe(3);
  await clock.advance(1_000);
  await until(async () => expect(await tones()).toBe(4));
  expect(await alarm.count()).toBe(1);

  await alarm.getByRole('button', { name: /^ciente/ }).press('Enter');
  await page.keyboard.press('Enter');
  await until(async () => expect(await alarm.count()).toBe(0));
  await clock.advance(2 * TONE_EVERY_MS);
  expect(await tones()).toBe(4);
});

test('an evacuation has one tone of three seconds, and none when the sound is switched on afterwards', async () => {
  const { page } = await gallery.open('before-evacuation', { viewport: { width: 1280, height: 720 } });
  const tones = await noteTones(page);
  await page.getByRole('button', { name: 'som: desligado' }).click();
  await until(async () => expect(await tones()).toEqual([0.45]));
  await page.getByRole('button', { name: 'evacuação' }).click();
  await page.getByRole('button', { name: 'registrar evacuação' }).click();
  await page.locator('.evacuation').waitFor();
  await until(async () => expect(await tones()).toEqual([0.45, 3]));
  const clock = await standStill(page);
  await clock.advance(2 * TONE_EVERY_MS);
  // Switching the sound on plays the tone of an alarm.
  await page.getByRole('button', { name: 'som: ligado' }).click();
  await page.getByRole('button', { name: 'som: desligado' }).click();
  await until(async () => expect(await tones()).toEqual([0.45, 3, 0.45]));
});

/** Replaces the page's monotonic clock by the test's; each advance redraws the page. */
async function standStill(page: Page): Promise<{ advance(ms: number): Promise<void> }> {
  await page.evaluate(() => {
    let now = performance.now();
    performance.now = () => now;
    Object.assign(globalThis, { advance: (ms: number) => (now += ms) });
  });
  return {
    async advance(ms) {
      await page.evaluate((by) => (globalThis as unknown as { advance(ms: number): void }).advance(by), ms);
      await changeStandIn(page, () => {});
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    },
  };
}
