import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { scrolls, sizes } from '../../../testing/browser/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { changeStandIn, openGallery } from '../../../testing/browser/open-gallery.ts';
import { readPdf } from '../../../testing/browser/pdf-text.ts';
import { KICK_OFF_MS } from '../../../testing/desk/stand-in-desk.ts';
import { until } from '../../../testing/until.ts';
import {
  clockOf,
  expectNote,
  expectPlayed,
  expectReplayed,
  noteReplayed,
  replayMinute,
  wordsOf,
} from './replayed-page.ts';

const FAR = 10;

const gallery = openForAll(openGallery);

const minuteAt = (min: number): number => KICK_OFF_MS + min * MINUTE_MS;
/** The minute with this name. */
const minuteNamed = (name: string): number =>
  [...Array(240).keys()].map((min) => minuteAt(min - 180)).find((ms) => clockOf(ms) === name) ?? Number.NaN;

test('a minute selected on the curve opens with the same figures, and cannot be mistaken for the present', async () => {
  const page = await gallery.show('match');
  await changeStandIn(page, (standIn) => {
    standIn.readings = [{ outcome: 'kept', reason: 'ticket', count: 2 }];
    standIn.isSplit = true;
  });
  const ofNow = page.getByText(/Leituras fora da contagem|Dois bancos de dados contam ao mesmo tempo/);
  await until(async () => expect(await ofNow.count()).toBe(2));
  const box = await page.locator('.curve-box').boundingBox();
  await page.mouse.move((box?.x ?? 0) + 0.5 * (box?.width ?? 0), (box?.y ?? 0) + 50);
  await page.mouse.down();
  await page.mouse.up();
  const reading = await wordsOf(page, '.curve-reading');
  const minute = reading.slice(0, 5);
  // On its way to the button the pointer goes over other minutes.
  await page.getByRole('button', { name: `voltar a ${minute}` }).click();
  await expectReplayed(page, minute);
  expect(reading).toContain(` · ${await wordsOf(page, '.total-admitted')} acessos`);

  expect(await ofNow.count()).toBe(0);
  expect(await wordsOf(page, '.replay-head')).toContain('não é ao vivo');
  expect(await wordsOf(page, '.replay-facts')).toContain(
    `às ${clockOf(minuteNamed(minute) + MINUTE_MS)}:00, no fim deste minuto`,
  );
  expect(await wordsOf(page, '#status')).toBe(`registro ${minute}`);
  expect(await wordsOf(page, '.strip-clock:visible')).toBe(`registro ${minute}`);
  expect(await page.title()).toMatch(new RegExp(`^REGISTRO ${minute} · Mesa de fluxo`));
  expect(await page.locator('.strip').innerText()).not.toMatch(/ao vivo|\d\d:\d\d:\d\d/);
  expect(await page.getByRole('region', { name: `REGISTRO ${minute}` }).count()).toBe(1);
  await expectNote(page, new RegExp(`REGISTRO ${minute}`));
  expect(await page.locator('.replay-frame').boundingBox()).toEqual({
    x: 0,
    y: 0,
    width: 1920,
    height: 1080,
  });
  expect((await scrolls(page)).down).toBe(false);
  // The head stays visible even if long names make the page longer than the screen.
  await page.locator('.desk').evaluate((desk) => Object.assign(desk.style, { minHeight: '90rem' }));
  await page.evaluate(() => window.scrollTo({ top: 400 }));
  await until(async () => expect((await page.locator('.replay-head').boundingBox())?.y).toBe(0));
  await page.locator('.desk').evaluate((desk) => Object.assign(desk.style, { minHeight: '' }));

  const buttons = await page.locator('.desk button').allInnerTexts();
  expect(buttons.join()).not.toMatch(
    /ciente|suspender|retomar|desfazer|retirar|acabou|foi engano|estimativa|ocorrência|marcar|adiado|encerrar|evacuação/,
  );
  expect(await wordsOf(page, '.desk-actions')).toBe('no registro nada se lança: volte ao vivo');

  await page.emulateMedia({ forcedColors: 'active' });
  const frame = await page.locator('.replay-frame').evaluate((element) => {
    const { borderTopStyle, borderImageSource } = getComputedStyle(element);
    return [borderTopStyle, borderImageSource];
  });
  expect(frame).toEqual(['double', 'none']);
  await page.emulateMedia({ forcedColors: 'none', media: 'print' });
  for (const { text } of await readPdf(await page.pdf({ format: 'A4', printBackground: false })))
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`REGISTRO ${minute}`);

  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('button', { name: 'voltar ao vivo' }).click();
  await until(async () => expect(await wordsOf(page, '#status')).toBe('ao vivo'));
  expect(await page.locator('.replay').count()).toBe(0);
  expect(await page.title()).toMatch(/^Mesa de fluxo/);
  await page.getByRole('button', { name: 'ocorrência' }).waitFor();
});

test('a minute opens at its top, wherever on the page it was asked for', async () => {
  const page = await gallery.show('match', { viewport: { width: 390, height: 844 } });
  const button = page.getByRole('button', { name: 'voltar a um minuto' });
  await button.scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
  await button.click();
  await page.locator('.replay[data-is-shown]').waitFor();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

test('by keyboard alone: from the curve, a minute back and forward, playing, and back to where it was', async () => {
  const page = await gallery.show('match');
  const slider = page.getByRole('slider', { name: 'minuto da curva' });
  await slider.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('PageDown');
  const minute = (await wordsOf(page, '.curve-reading')).slice(0, 5);
  const minuteMs = minuteNamed(minute);
  await page.keyboard.press('Enter');
  await expectReplayed(page, minute);
  await page.keyboard.press('ArrowLeft');
  await expectReplayed(page, clockOf(minuteMs - MINUTE_MS));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expectReplayed(page, clockOf(minuteMs + MINUTE_MS));
  await page.keyboard.press('Space');
  await expectNote(page, /^tocando ×1$/);
  await page.keyboard.press('Space');
  await expectNote(page, /^REGISTRO/);
  const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).innerText);
  for (let pressed = 0; (await focused()) !== '×60'; pressed += 1) {
    expect(pressed).toBeLessThan(20);
    await page.keyboard.press('Tab');
  }
  const noted = await noteReplayed(page);
  await page.keyboard.press('Enter');
  await expectPlayed(noted, minuteMs + MINUTE_MS, 2);
  await page.keyboard.press('Escape');
  await until(async () => expect(await wordsOf(page, '#status')).toBe('ao vivo'));
  expect(await page.locator('.replay').count()).toBe(0);
});

test('a line of the log opens its minute, by arrows from one to the next', async () => {
  const page = await gallery.show('match');
  const times = page.locator('.log-time');
  await times.first().waitFor();
  const stops = await times.evaluateAll((all) => all.map((time) => (time as HTMLElement).tabIndex));
  expect(stops).toEqual(stops.map((_, index) => (index === 0 ? 0 : -1)));
  await times.first().focus();
  await page.keyboard.press('ArrowDown');
  const minute = await page.evaluate(() => (document.activeElement as HTMLElement).innerText);
  await page.keyboard.press('Enter');
  await expectReplayed(page, minute);
  expect(await wordsOf(page, '.log')).toContain('servidor iniciado');
});

test('nothing of it is wider than the screen, and fingers find its controls', async () => {
  const page = await gallery.show('match');
  await replayMinute(page, clockOf(minuteAt(-2 * FAR - 24)));
  for (const [width, height] of sizes('320×640 390×844 1280×720 1920×1080')) {
    await page.setViewportSize({ width, height });
    await until(async () => {
      const { sideways, down } = await scrolls(page);
      expect({ width, sideways, down: down && width >= 1920 }).toEqual({
        width,
        sideways: false,
        down: false,
      });
    });
    const small = await page
      .locator('.replay button, .replay input')
      .evaluateAll(
        (controls, px) =>
          controls
            .filter((control) => control.getBoundingClientRect().height < px)
            .map((control) => control.outerHTML),
        width < 900 ? 44 : 24,
      );
    expect(small).toEqual([]);
  }
});
