import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../domain/flow/minute.ts';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { drill } from '../../../gates/record/drill.ts';
import { axeFaults } from '../../../testing/axe.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { createTestDatabase } from '../../../testing/database.ts';
import { deskSettings } from '../../../testing/desk-app.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage, signInToDesk } from '../../../testing/desk-page.ts';
import { recordGeneratedMatch } from '../../../testing/match-in-record.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { startTestServer, untilReady } from '../../../testing/test-server.ts';
import { until } from '../../../testing/until.ts';
import {
  clockOf,
  expectNote,
  expectReplayed,
  noteReplayed,
  replayMinute,
  typeMinute,
  wordsOf,
} from './replayed-page.ts';

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
  const noted = await noteReplayed(page);
  await page.getByRole('button', { name: '×60' }).click();
  await expectNote(page, /último minuto registrado$/);
  expect((await noted()).length).toBeGreaterThanOrEqual(4);
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
  await typeMinute(page, '25:99');
  await until(async () =>
    expect(await wordsOf(page, '.replay-time')).toContain('25:99 não é um horário: escreva como 18:29'),
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

test('a minute of an exercise is shown as that of a match, and says SIMULADO', async () => {
  const database = await createTestDatabase();
  const from = 'a'.repeat(32);
  await recordGeneratedMatch(database, { eventId: from, kickOffMs: Date.UTC(2026, 4, 2, 19) });
  const named = ['--from', from, '--event', DEFAULT_EVENT_ID, '--incident', 'stop:7@-20+8', '--yes'];
  const { gatesUrl: GATES_DATABASE_URL, recordUrl: RECORD_DATABASE_URL } = database;
  expect(await drill.run(named, { GATES_DATABASE_URL, RECORD_DATABASE_URL })).toBe(0);
  const server = await startTestServer(database, { ...deskSettings(database), SIMULATED: 'yes' });
  await untilReady(server);
  const { page } = await openDeskPage(browser, server.url);
  const alarm = page.locator('.log-row[data-kind="alarm"]', { hasText: 'SUL DORIL' }).last();
  const minute = await alarm.locator('.log-time').innerText();
  await alarm.locator('.log-time').click();
  await expectReplayed(page, minute);
  expect(await wordsOf(page, '.replay-head')).toContain('SIMULADO');
  expect(await wordsOf(page, '.alarm')).toContain('sem acessos registrados');
  const noted = await noteReplayed(page);
  await page.getByRole('button', { name: '×60' }).click();
  await until(async () => expect((await noted()).length).toBeGreaterThan(2));
});

test('axe finds nothing on a recorded minute: dark, light, forced colours, a phone', async () => {
  const { page } = await openDeskPage(browser, match.server.url, { bypassCSP: true });
  await replayMinute(page, clockOf(minuteAt(-40)));
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await axeFaults(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await axeFaults(page)).toEqual([]);
  await page.emulateMedia({ forcedColors: 'active' });
  expect(await axeFaults(page)).toEqual([]);
  await page.emulateMedia({ forcedColors: 'none' });
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await axeFaults(page)).toEqual([]);
});
