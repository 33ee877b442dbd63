import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFaults } from '../../../testing/axe.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { scrolls, smallControls } from '../../../testing/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

const RAISED_WITHIN_MS = 120_000;
const SIZES = [
  [390, 844],
  [1280, 720],
  [1920, 1080],
] as const;

const browser = openForAll(launchBrowser);

/** How high the letters of what is shown there are, in pixels. */
const sizeOf = (page: Page, place: string) =>
  page.locator(place).evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));

/** As axe reckons it, which has looked at the page: of letters this large and tight it says nothing by itself. */
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

test('an evacuation stands above everything with who declared it, silences open alarms, and keeps what is not to be trusted', async () => {
  const match = await startDeskMatch();
  const { server } = match;
  await match.permit('7', () => 1);
  const { page: ana } = await openDeskPage(browser, server.url, { name: 'Ana' });
  const { page: bia } = await openDeskPage(browser, server.url, { name: 'Bia', bypassCSP: true });
  await ana.getByRole('button', { name: 'marcar setor' }).click();
  await ana.getByRole('combobox').selectOption({ label: 'NORTE' });
  await ana.getByLabel(/^entrada liberada sem leitura/).check();
  await ana.getByRole('button', { name: 'marcar', exact: true }).click();
  await bia.locator('.alarm[data-state=calling]').waitFor({ timeout: RAISED_WITHIN_MS });

  await ana.getByRole('button', { name: 'evacuação' }).click();
  await ana.getByRole('button', { name: 'registrar evacuação' }).click();
  const band = bia.locator('.evacuation');
  await until(async () =>
    expect(await band.innerText()).toMatch(/^EVACUAÇÃO EM VIGOR\s+desde \d\d:\d\d, declarada por Ana/),
  );
  await until(async () =>
    expect(await bia.locator('.alarm-announcer').innerText()).toMatch(/^EVACUAÇÃO EM VIGOR desde/),
  );
  expect(await bia.title()).toMatch(/^EVACUAÇÃO · /);
  expect(await bia.locator('.in-force').innerText()).toMatch(/EVACUAÇÃO desde \d\d:\d\d \(Ana\)/);
  // However many cards there are, it can be taken back.
  const [inForce, cards] = [
    await bia.locator('.in-force').boundingBox(),
    await bia.locator('.alarms').boundingBox(),
  ];
  expect((inForce?.y ?? Infinity) + (inForce?.height ?? 0)).toBeLessThanOrEqual(cards?.y ?? 0);
  await until(async () =>
    expect(await bia.locator('.alarm').innerText()).toMatch(/retirado, não se sabe se voltou/),
  );
  expect(await bia.locator('.alarm').getAttribute('data-state')).toBe('ended');
  expect(await bia.locator('#total-label').innerText()).toBe('acessos registrados, não pessoas presentes');
  expect(await bia.locator('.total-figure').innerText()).toMatch(/no mínimo/);

  for (const colorScheme of ['light', 'dark'] as const) {
    await bia.emulateMedia({ colorScheme });
    expect(await axeFaults(bia)).toEqual([]);
    expect(await contrastOf(bia, '.evacuation h2', '.evacuation')).toBeGreaterThan(7);
  }

  for (const [width, height] of SIZES) {
    await bia.setViewportSize({ width, height });
    expect((await band.boundingBox())?.y).toBeLessThan(height / 3);
    const size = await sizeOf(bia, '.evacuation h2');
    expect(size).toBeGreaterThan(1.5 * (await sizeOf(bia, '.alarm-title')));
    expect((await scrolls(bia)).sideways).toBe(false);
    const small = await smallControls(bia, '.evacuation, .desk-alarms, .desk-actions', width < 900 ? 44 : 24);
    expect([width, small]).toEqual([width, []]);
  }
  expect((await scrolls(bia)).down).toBe(false);
  for (const [width, height] of [
    [390, 844],
    [1280, 720],
  ] as const) {
    await bia.setViewportSize({ width, height });
    await bia.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight }));
    await until(async () => expect((await band.boundingBox())?.y).toBe(0));
  }

  // Whoever declared it goes on where the button was, and is told for a while.
  expect(await focusedText(ana)).toBe('ocorrência');
  await until(async () => expect(await ana.locator('.recorded').innerText()).toBe(''), 20_000);

  await bia.locator('.in-force').getByRole('button', { name: 'retirar: EVACUAÇÃO' }).click();
  await bia.getByRole('dialog').getByRole('button', { name: 'retirar' }).click();
  await until(async () => expect(await ana.locator('.evacuation').count()).toBe(0));
  await until(async () => expect(await ana.title()).not.toMatch(/EVACUAÇÃO/));
}, 240_000);
