import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { axeFaults } from '../../../testing/axe.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { scrolls, smallControls } from '../../../testing/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

/** Those with the longest names. */
const SECTORS = ['11', '1', '12', '2', '5', '13'];

/** On a phone, and on a desk. */
const LEAST_CONTROL_PX = [
  [390, 844, 44],
  [1920, 1080, 24],
] as const;
const CONTROLS = '.desk-alarms, .desk-log, .desk-actions, .desk-dialog';
const LOT = 120;
const GATES_OPEN_MS = 120 * MINUTE_MS;

const browser = openForAll(launchBrowser);
const match = openForAll(async () => {
  const started = await startDeskMatch();
  for (const code of SECTORS) await started.permit(code, (admitted) => admitted - 1);
  return started;
});

test('six alarms at once stand on a wall without scrolling, and are answered by keyboard one after the other', async () => {
  const { database, server } = match;
  const { page } = await openDeskPage(browser, server.url, { bypassCSP: true });
  const calling = page.locator('.alarm[data-state=calling]');
  await until(async () => expect(await calling.count()).toBe(6), 120_000);
  expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · 6 novos');
  expect(await page.title()).toMatch(/^\(6\) ▲/);
  await page.getByRole('alert').getByText('ACIMA DA CAPACIDADE').waitFor();
  await expectAllStand(page);

  await page.setViewportSize({ width: 1280, height: 720 });
  const evacuation = await page.getByRole('button', { name: 'evacuação' }).boundingBox();
  expect((evacuation?.y ?? Infinity) + (evacuation?.height ?? 0)).toBeLessThanOrEqual(720);
  const heights = await page
    .locator('.rows tbody tr')
    .evaluateAll((rows) =>
      rows
        .filter((row) => row.querySelector('.row-states')?.childElementCount === 0)
        .map((row) => row.getBoundingClientRect().height),
    );
  expect(heights.length).toBeGreaterThan(0);
  expect(Math.max(...heights)).toBeLessThan(60);

  // Wherever the page is scrolled to, somebody is asked for.
  const outOfSight = page.locator('.alarms-out-of-sight');
  for (const [width, height] of [
    [1280, 720],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect(await outOfSight.count()).toBe(0);
    await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight }));
    await outOfSight.waitFor();
    expect(await outOfSight.innerText()).toMatch(/ACIMA DA CAPACIDADE · .+ e mais 5/);
    const box = await outOfSight.boundingBox();
    expect(box).toMatchObject({ x: 0, y: 0, width });
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(await axeFaults(page)).toEqual([]);
    await outOfSight.click();
    await until(async () => expect(await outOfSight.count()).toBe(0));
    const first = await calling.first().boundingBox();
    expect(first?.y).toBeGreaterThanOrEqual(0);
    expect(first?.y).toBeLessThan(height);
  }
  await page.setViewportSize({ width: 1920, height: 1080 });

  await calling
    .nth(1)
    .getByRole('button', { name: /^suspender/ })
    .press('Enter');
  await page.getByRole('button', { name: 'marcar setor' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFaults(page)).toEqual([]);
  }
  await expectControlsFit(page);
  await page.keyboard.press('Escape');
  await page.getByLabel('motivo').press('Escape');

  await calling
    .first()
    .getByRole('button', { name: /^ciente/ })
    .focus();
  for (let left = 5; left >= 0; left -= 1) {
    await page.keyboard.press('Enter');
    if (left === 5) {
      await page.getByLabel('nota').waitFor();
      await expectControlsFit(page);
    }
    await page.keyboard.type(`nota ${left}`);
    await page.keyboard.press('Enter');
    await until(async () => expect(await calling.count()).toBe(left));
  }
  expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · nenhum novo');
  const notes = await database.admin<{ note: string }[]>`
    select data->>'note' as note from triagem.log where kind = 'acknowledge' order by seq`;
  expect(notes.map(({ note }) => note)).toEqual([5, 4, 3, 2, 1, 0].map((left) => `nota ${left}`));
}, 240_000);

test('six alarms that are not alike stand on a wall without scrolling, in the words of each', async () => {
  // Several stopped at once, and one ten minutes before; into one fewer come; three are full, or nearly so.
  const several = ['11', '1', '12', '2'].map((code) => `stop:${code}@-30+60`);
  const mixed = await startDeskMatch({
    tickets: 2_000,
    minutesToKickOff: 14,
    incidents: [...several, 'stop:5@-40+60', 'slow:13@-20+60x0.1'],
    beginsEarly: true,
  });
  for (const [code, share] of [
    ['3', 0.99],
    ['4', 1.02],
    ['6', 1.1],
  ] as const)
    await mixed.permit(code, (admitted) => Math.round(admitted * share));
  const { page } = await openDeskPage(browser, mixed.server.url);
  const calling = page.locator('.alarm[data-state=calling]');
  await until(async () => {
    const titles = await calling.locator('.alarm-title').allInnerTexts();
    const kinds = titles.map((title) => title.trim().split(/\s·\s/)[0] ?? '');
    expect(kinds.toSorted()).toEqual([
      'ACIMA DA CAPACIDADE',
      'acessos em queda',
      'no limite',
      'perto da lotação',
      'sem acessos registrados',
      'vários setores sem acessos',
    ]);
  }, 60_000);
  await expectAllStand(page);
}, 240_000);

test('what the log says stands below the curve at its minute, each kind as a shape of its own', async () => {
  const { database, server, kickOffMs } = match;
  const { page } = await openDeskPage(browser, server.url, { name: 'Bia' });
  // Turnstiles that were offline: more at once than a sector can pass.
  await match.enter('4', LOT);
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('ônibus atrasado');
  await page.getByRole('combobox').selectOption({ label: 'SUL DORIL' });
  await page.getByRole('button', { name: 'registrar', exact: true }).click();

  const shapes = new Set<string | null>();
  for (const [code, name, kind] of [
    ['4', 'NORTE', 'lot'],
    ['7', 'SUL DORIL', 'occurrence'],
    ['11', 'LESTE INFERIOR CENTRAL', 'alarm'],
  ] as const) {
    await page.locator('.rows').getByRole('button', { name, exact: true }).click();
    await page.getByRole('img', { name: `acessos ao longo do tempo · ${name}` }).waitFor();
    const marker = page.locator('.curve-drawing .curve-marker');
    await until(async () => expect(await marker.count()).toBe(1), 120_000);
    const [said] = await database.admin<{ atMs: number; count: number | null }[]>`
      select (extract(epoch from at) * 1000)::float8 as "atMs", (data->>'count')::int as count
      from triagem.log where kind = ${kind} and sector = ${code}`;
    expect(said?.count).toBe(kind === 'lot' ? LOT : null);
    expect(await marker.getAttribute('data-kind')).toBe(kind);
    const atMs = await momentOf(page, kickOffMs);
    expect(Math.abs(atMs - (said?.atMs ?? NaN))).toBeLessThan(MINUTE_MS / 4);
    shapes.add(await marker.getAttribute('d'));
    expect(await page.locator('.curve-legend li').allInnerTexts()).toHaveLength(1);
  }
  expect(shapes.size).toBe(3);

  // With what can be taken back in the log.
  expect(
    await page
      .locator('.log')
      .getByRole('button', { name: /^desfazer/ })
      .count(),
  ).toBe(1);
  await expectControlsFit(page);

  // Of the whole ground they stand at one place, as the one that matters most.
  await page.getByRole('button', { name: 'ver o estádio todo' }).click();
  await page.getByRole('img', { name: 'acessos ao longo do tempo · estádio' }).waitFor();
  const legend = await page.locator('.curve-legend li').allInnerTexts();
  expect(legend.map((words) => words.trim()).toSorted()).toEqual(['alarme', 'lote', 'ocorrência']);
  expect(await page.locator('.curve-drawing .curve-marker').first().getAttribute('data-kind')).toBe('alarm');
}, 240_000);

/** All of it is on the screen. */
async function expectAllStand(page: Page): Promise<void> {
  expect((await scrolls(page)).down).toBe(false);
  const cut = await page.locator('.alarm').evaluateAll((cards) => {
    const bottom = cards[0]?.closest('.desk-alarms')?.getBoundingClientRect().bottom ?? 0;
    return cards.filter((card) => card.getBoundingClientRect().bottom > bottom + 1).length;
  });
  expect(cut).toBe(0);
}

async function expectControlsFit(page: Page): Promise<void> {
  for (const [width, height, px] of LEAST_CONTROL_PX) {
    await page.setViewportSize({ width, height });
    expect([width, await smallControls(page, CONTROLS, px)]).toEqual([width, []]);
  }
}

/** Of which moment the only marker is, by the lines of the gates' opening and of kick-off beside it. */
async function momentOf(page: Page, kickOffMs: number): Promise<number> {
  const [gates, kickOff, x] = await page.evaluate(() => {
    const lineX = (kind: string): number =>
      Number(document.querySelector(`.curve-moment[data-kind="${kind}"]`)?.getAttribute('x1'));
    const place = document.querySelector('.curve-drawing .curve-marker')?.getAttribute('transform') ?? '';
    return [lineX('gates'), lineX('kick-off'), Number(/translate\(([\d.]+)/.exec(place)?.[1])] as const;
  });
  return kickOffMs + ((x - kickOff) / (kickOff - gates)) * GATES_OPEN_MS;
}
