import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFaults } from '../../../testing/browser/axe.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { smallControls } from '../../../testing/browser/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { changeStandIn, openGallery } from '../../../testing/browser/open-gallery.ts';
import { until } from '../../../testing/until.ts';

const gallery = openForAll(openGallery);

/** On a phone, and on a desk. */
const MIN_CONTROL_PX = [
  [390, 844, 44],
  [1920, 1080, 24],
] as const;

/** A full run checks desks as well, where a control that fits a finger is large enough anyway. */
const OF_DIALOGS = MIN_CONTROL_PX.slice(0, IS_FULL ? 2 : 1);

/** The page behind the dialog is checked without it. */
const DIALOG = 'dialog';

/** A full run takes both schemes; otherwise they alternate between the checks. */
const inSchemes = (scheme: 'dark' | 'light') => (IS_FULL ? (['dark', 'light'] as const) : [scheme]);

test('axe finds nothing on the desk, its table and its dialog: dark, light, forced colours, a phone', async () => {
  const page = await gallery.show('match');
  await page.getByText('minutos em tabela').click();
  await page.locator('.curve-table tbody tr').first().waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByText('minutos em tabela').click();
  await page.locator('.operator summary').click();
  await page.getByRole('button', { name: 'trocar operador' }).click();
  await page.getByRole('dialog').waitFor();
  for (const looks of [{ colorScheme: 'light' }, { forcedColors: 'active' }] as const) {
    await page.emulateMedia(looks);
    expect([looks, await axeFaults(page)]).toEqual([looks, []]);
  }
  await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'none' });
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await axeFaults(page)).toEqual([]);
});

test('axe finds nothing with a sector open, in each dialog, and without a connection; controls fit a finger, and nothing moves', async () => {
  const page = await gallery.show('match', { reducedMotion: 'reduce' });
  const motions = await countMotions(page);
  await page.locator('.rows').getByRole('button', { name: 'NORTE', exact: true }).click();
  await page.locator('.sector-panel .curve-drawing').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await expectControlsFit(page, 'body');
  await page.keyboard.press('Escape');

  const dialogs = IS_FULL
    ? ['ocorrência', 'marcar setor', 'mudar início', 'encerrar entrada', 'evacuação']
    : ['marcar setor', 'mudar início', 'evacuação'];
  for (const [index, name] of dialogs.entries()) {
    // On a phone the button is behind another one.
    await page.setViewportSize({ width: 1920, height: 1080 });
    await page.locator('.actions-panel').getByRole('button', { name }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await expectControlsFit(page, 'dialog', OF_DIALOGS);
    for (const colorScheme of inSchemes(index % 2 === 0 ? 'dark' : 'light')) {
      await page.emulateMedia({ colorScheme });
      expect([name, await axeFaults(page, DIALOG)]).toEqual([name, []]);
    }
    await page.keyboard.press('Escape');
  }

  // The first dialog is checked above.
  for (const choice of ['trocar operador', 'entrar com o telefone']) {
    await page.locator('.operator summary').click();
    await expectControlsFit(page, '.operator', OF_DIALOGS);
    await page.getByRole('button', { name: choice }).click();
    await page.getByRole('dialog').waitFor();
    if (choice !== 'trocar operador') await page.getByRole('img', { name: 'código do convite' }).waitFor();
    await expectControlsFit(page, 'dialog', OF_DIALOGS);
    expect(IS_FULL || choice !== 'trocar operador' ? await axeFaults(page, DIALOG) : []).toEqual([]);
    await page.keyboard.press('Escape');
  }

  await changeStandIn(page, (standIn) => {
    standIn.status = { kind: 'no-connection', ageMs: 40_000 };
  });
  await until(async () => expect(await page.locator('#status').innerText()).toMatch(/^sem conexão/));
  for (const colorScheme of inSchemes('light')) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFaults(page)).toEqual([]);
  }
  expect(await motions()).toEqual([]);
});

/** Records the elements that begin to move from now on. */
async function countMotions(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const motions = new Set<string>();
    Object.assign(globalThis, { motions });
    for (const { effect } of document.getAnimations())
      motions.add((effect as KeyframeEffect | null)?.target?.className ?? 'something');
    const note = ({ target }: Event): void => {
      motions.add((target as Element).className);
    };
    for (const begin of ['animationstart', 'transitionrun']) document.addEventListener(begin, note, true);
  });
  return () => page.evaluate(() => [...(globalThis as unknown as { motions: Set<string> }).motions]);
}

async function expectControlsFit(
  page: Page,
  within: string,
  screens: readonly (readonly [number, number, number])[] = MIN_CONTROL_PX,
): Promise<void> {
  for (const [width, height, px] of screens) {
    await page.setViewportSize({ width, height });
    expect([width, await smallControls(page, within, px)]).toEqual([width, []]);
  }
}

test('axe finds nothing in the form of the sign-in, nor in its errors', async () => {
  const page = await gallery.show('sign-in');
  await page.getByRole('dialog').waitFor();
  const expectNoFaults = async (scheme: 'dark' | 'light'): Promise<void> => {
    for (const colorScheme of inSchemes(scheme)) {
      await page.emulateMedia({ colorScheme });
      expect(await axeFaults(page)).toEqual([]);
    }
  };
  await expectNoFaults('dark');
  const submit = page.getByRole('button', { name: 'entrar', exact: true });
  await submit.click();
  await page.getByRole('alert').getByText('Escreva o nome').waitFor();
  if (IS_FULL) await expectNoFaults('dark');
  await page.getByLabel('Nome').fill('Ana');
  await page.getByLabel('Chave').fill('errada');
  await submit.click();
  await page.getByRole('alert').getByText('A chave não confere.').waitFor();
  await expectNoFaults('light');
});
