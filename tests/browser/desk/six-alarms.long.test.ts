import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import type { TestDatabase } from '../../../testing/database.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { scrolls } from '../../../testing/layout.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Those with the longest names. */
const SECTORS = ['11', '1', '12', '2', '5', '13'];

const browser = openForAll(launchBrowser);

/** Permits fewer than are in already. */
async function overfill({ admin, gates }: TestDatabase): Promise<void> {
  for (const code of SECTORS) {
    const [row] = await admin<{ admitted: number }[]>`
      select count(*)::int as admitted from public.tickets
      where event_id = ${DEFAULT_EVENT_ID} and setor = ${code} and entrou`;
    await gates`
      insert into public.sectors (event_id, code, data)
      values (${DEFAULT_EVENT_ID}, ${code}, ${gates.json({ capacity: (row?.admitted ?? 0) - 1 })})`;
  }
}

async function axeFaults(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

test('six alarms at once stand on a wall without scrolling, and are answered by keyboard one after the other', async () => {
  const { database, server } = await startDeskMatch();
  const { page } = await openDeskPage(browser, server.url, { bypassCSP: true });
  await overfill(database);
  const calling = page.locator('.alarm[data-state=calling]');
  await until(async () => expect(await calling.count()).toBe(6), 120_000);
  expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · 6 novos');
  expect(await page.title()).toMatch(/^\(6\) ▲/);
  expect(await page.locator('.alarm-announcer').innerText()).toMatch(/ACIMA DA CAPACIDADE/);
  expect((await scrolls(page)).down).toBe(false);
  const cut = await page.locator('.alarm').evaluateAll((cards) => {
    const bottom = cards[0]?.closest('.desk-alarms')?.getBoundingClientRect().bottom ?? 0;
    return cards.filter((card) => card.getBoundingClientRect().bottom > bottom + 1).length;
  });
  expect(cut).toBe(0);

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
  await page.keyboard.press('Escape');
  await page.getByLabel('motivo').press('Escape');

  await calling
    .first()
    .getByRole('button', { name: /^ciente/ })
    .focus();
  for (let left = 5; left >= 0; left -= 1) {
    await page.keyboard.press('Enter');
    await page.keyboard.type(`nota ${left}`);
    await page.keyboard.press('Enter');
    await until(async () => expect(await calling.count()).toBe(left));
  }
  expect(await page.locator('#alarms-heading').innerText()).toBe('alarmes · nenhum novo');
  const notes = await database.admin<{ note: string }[]>`
    select data->>'note' as note from triagem.log where kind = 'acknowledge' order by seq`;
  expect(notes.map(({ note }) => note)).toEqual([5, 4, 3, 2, 1, 0].map((left) => `nota ${left}`));
}, 240_000);
