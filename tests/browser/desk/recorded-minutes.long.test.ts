import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage, signInToDesk } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';
import { clockOf, expectNote, expectReplayed, replayMinute, typeMinute, wordsOf } from './replayed-page.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const UNWATCHED_MIN = [-48, -45] as const;

const browser = openForAll(launchBrowser);
const match = openForAll(() => startDeskMatch({ earlierMatches: 9, unwatchedMin: UNWATCHED_MIN }));

const minuteAt = (min: number): number => match.kickOffMs + min * MINUTE_MS;

test('it plays each minute and stands still at the last one, which it says', async () => {
  const { page } = await openDeskPage(browser, match.server.url);
  await page.getByRole('button', { name: 'voltar a um minuto' }).click();
  await expectNote(page, /este é o último minuto registrado$/);
  expect(await page.getByRole('button', { name: '+ 1 min' }).isDisabled()).toBe(true);
  const slider = page.getByRole('slider', { name: 'minuto', exact: true });
  await slider.press('ArrowLeft');
  await slider.press('ArrowLeft');
  await slider.press('ArrowLeft');
  await expectNote(page, /^REGISTRO \d\d:\d\d\s*$/);
  const shown = new Set<string>();
  await page.getByRole('button', { name: '×60' }).click();
  await until(async () => {
    shown.add(await wordsOf(page, '#replay-heading'));
    expect(await wordsOf(page, '.replay-note')).toMatch(/último minuto registrado$/);
  });
  expect(shown.size).toBeGreaterThanOrEqual(3);
});

test('a minute that nobody watched looks as a desk without a source, and says since when', async () => {
  const { page } = await openDeskPage(browser, match.server.url);
  await replayMinute(page, clockOf(minuteAt(-47)));
  expect(await page.locator('.desk').getAttribute('data-stale')).not.toBe(null);
  expect(await wordsOf(page, '.desk-rows')).toContain(`sem dados desde ${clockOf(minuteAt(-48))}`);
  expect(await wordsOf(page, '.desk-answer')).not.toMatch('ritmo necessário');
});

test('what cannot be shown is said, with what to do, and what is shown stays', async () => {
  const opened = await openDeskPage(browser, match.server.url);
  const { page } = opened;
  const minute = clockOf(minuteAt(-60));
  await replayMinute(page, minute);
  await typeMinute(page, '25:00');
  await until(async () =>
    expect(await wordsOf(page, '.replay-time')).toContain('escreva um horário, como 18:29'),
  );
  await typeMinute(page, clockOf(minuteAt(-400)));
  await expectNote(
    page,
    /^Nada registrado às \d\d:\d\d: escolha outro minuto, entre \d\d:\d\d e \d\d:\d\d\.$/,
  );
  await expectReplayed(page, minute);

  await page.context().setOffline(true);
  await typeMinute(page, clockOf(minuteAt(-59)));
  await expectNote(page, /^Sem resposta do servidor: tentando de novo/);
  await expectReplayed(page, minute);
  await until(async () => expect(await wordsOf(page, '.replay-live')).toContain('sem conexão'));
  await page.context().setOffline(false);
  await expectReplayed(page, clockOf(minuteAt(-59)));

  await page.context().clearCookies();
  await typeMinute(page, clockOf(minuteAt(-58)));
  await expectNote(page, /^A sessão terminou/);
  await page.keyboard.press('Escape');
  await expectReplayed(page, clockOf(minuteAt(-59)));
  await signInToDesk({ ...opened, expectStatus: () => expectReplayed(page, clockOf(minuteAt(-58))) }, 'Ana');
});

async function violations(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test('axe finds nothing on a recorded minute: dark, light, forced colours, a phone', async () => {
  const { page } = await openDeskPage(browser, match.server.url, { bypassCSP: true });
  await replayMinute(page, clockOf(minuteAt(-40)));
  // Which the page's own policy would not allow: it is opened without it.
  await page.addScriptTag({ path: AXE });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ forcedColors: 'active' });
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ forcedColors: 'none' });
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await violations(page)).toEqual([]);
});
