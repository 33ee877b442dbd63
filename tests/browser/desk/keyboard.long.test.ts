import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { IS_FULL } from '../../../testing/durations.ts';
import { sizes } from '../../../testing/browser/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { changeStandIn, openGallery, sentCommands } from '../../../testing/browser/open-gallery.ts';
import { until } from '../../../testing/until.ts';

const MAX_STOPS = 120;
/** The number of keys pressed between two checks. */
const STEP = 20;

const gallery = openForAll(openGallery);

/** Returns the elements that `key` reaches, until it is back at the first. */
async function walk(page: Page, key: 'Tab' | 'Shift+Tab'): Promise<readonly string[]> {
  await page.evaluate(() => {
    const reached: Element[] = [];
    document.addEventListener('focusin', ({ target }) => reached.push(target as Element));
    Object.assign(globalThis, { reached });
  });
  for (let pressed = 0; pressed < MAX_STOPS; pressed += STEP) {
    for (let press = 0; press < STEP; press += 1) await page.keyboard.press(key);
    const { stops, again } = await page.evaluate(() => {
      const shared = globalThis as unknown as { reached: Element[]; stopNames?: Map<Element, string> };
      const names = (shared.stopNames ??= new Map());
      const nameOf = (element: Element): string => {
        const words = element.getAttribute('aria-label') ?? (element.textContent || element.tagName);
        if (!names.has(element)) names.set(element, `${names.size} ${words.slice(0, 40)}`);
        return names.get(element) as string;
      };
      const all = shared.reached.map(nameOf);
      const end = all.findIndex((name, index) => all.indexOf(name) < index);
      return { stops: end < 0 ? all : all.slice(0, end), again: all[end] };
    });
    if (again === undefined) continue;
    expect(again, `${key} is held`).toBe(stops[0]);
    return stops;
  }
  throw new Error(`${key} does not come back`);
}

async function expectFocus(button: Locator): Promise<void> {
  await until(async () => expect(await button.evaluate((it) => it === document.activeElement)).toBe(true));
}

// A full run takes a phone as well.
test.each(sizes(IS_FULL ? '1920×1080 390×844' : '1920×1080'))(
  'Tab and Shift+Tab go through the whole page at %s × %s, and the same way back',
  async (width, height) => {
    const page = await gallery.show('match', { viewport: { width, height } });
    if (width < 900) await page.getByRole('button', { name: 'lançar' }).click();
    const there = await walk(page, 'Tab');
    const back = (await walk(page, 'Shift+Tab')).toReversed();
    const first = back.indexOf(there[0] ?? '');
    expect(there.length).toBeGreaterThan(20);
    expect([...back.slice(first), ...back.slice(0, first)]).toEqual(there);
    for (const words of ['som: desligado', 'ajuda', 'ocorrência', 'evacuação', 'NORTE']) {
      expect(
        there.some((stop) => stop.includes(words)),
        words,
      ).toBe(true);
    }
  },
);

test('what stands at the bottom of the screen has the focus without the page being scrolled', async () => {
  for (const [width, height] of sizes('1366×768 390×844')) {
    const page = await gallery.show('match', { viewport: { width, height } });
    const stops = page.locator('.actions-panel button:visible');
    await stops.first().evaluate((first) => first.focus({ preventScroll: true }));
    await page.keyboard.press('Shift+Tab');
    await page.evaluate(() => scrollTo(0, 0));
    const last = (await stops.count()) - 1;
    for (let pressed = 0; pressed <= last; pressed += 1) await page.keyboard.press('Tab');
    await expectFocus(stops.nth(last));
    expect([width, await page.evaluate(() => scrollY)]).toEqual([width, 0]);
  }
});

/** The one with the most controls, and one that asks twice; a full run takes each. */
const DIALOGS = IS_FULL
  ? ['ocorrência', 'marcar setor', 'mudar início', 'encerrar entrada', 'evacuação']
  : ['marcar setor', 'evacuação'];

test('each dialog is opened, gone through and left by keyboard: Esc closes it, and its button has the focus again', async () => {
  const page = await gallery.show('match');
  for (const name of DIALOGS) {
    const button = page.locator('.actions-panel').getByRole('button', { name });
    await button.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const isInside = () => dialog.evaluate((it) => it.contains(document.activeElement));
    await until(async () => expect(await isInside()).toBe(true));
    const focused = () => page.evaluate(() => document.activeElement?.outerHTML);
    const first = await focused();
    for (const key of ['Tab', 'Shift+Tab']) {
      let isRound = false;
      for (let pressed = 0; pressed < 20; pressed += 1) {
        await page.keyboard.press(key);
        expect([name, key, pressed, await isInside()]).toEqual([name, key, pressed, true]);
        isRound ||= (await focused()) === first;
      }
      expect([name, key, isRound]).toEqual([name, key, true]);
    }
    // Esc closes a dialog that has lost the focus as well.
    if (name === 'evacuação') await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('Escape');
    await until(async () => expect(await page.getByRole('dialog').count()).toBe(0));
    await expectFocus(button);
  }
});

test('what another desk does, or the server answers, moves the focus to no other button, and closes no other dialog', async () => {
  const page = await gallery.show('match');
  const actions = page.locator('.actions-panel');
  await actions.getByRole('button', { name: 'encerrar entrada' }).press('Enter');
  const dialog = page.getByRole('dialog');
  const button = dialog.getByRole('button', { name: 'encerrar a entrada' });
  await button.focus();
  await changeStandIn(page, (standIn) => void standIn.command({ kind: 'entry-closed', id: 'closed' }, 'Bia'));
  await dialog.getByText(/^Já está encerrada: Bia/).waitFor();
  await expectFocus(button);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await until(async () => expect(await dialog.count()).toBe(0));
  await expectFocus(actions);
  await actions.getByRole('button', { name: 'evacuação' }).focus();
  await changeStandIn(
    page,
    (standIn) => void standIn.command({ kind: 'evacuation', id: 'evacuated' }, 'Bia'),
  );
  await page.getByText('EVACUAÇÃO EM VIGOR').first().waitFor();
  await expectFocus(actions);
  expect(await sentCommands(page)).toEqual([]);

  await actions.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('chuva');
  await page.getByLabel('o que houve').evaluate((field: HTMLTextAreaElement) => {
    field.form?.requestSubmit();
    for (const each of document.querySelectorAll<HTMLElement>('.actions-buttons button'))
      if (each.textContent === 'marcar setor') each.click();
  });
  await page.getByText('ocorrência registrada').waitFor();
  await page.getByRole('dialog', { name: 'marcar setor' }).waitFor();
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
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    for (let pressed = 0; pressed < 5; pressed += 1) {
      await page.keyboard.press('Tab');
      expect(await dialog.evaluate((it) => it.contains(document.activeElement))).toBe(true);
    }
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
