import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { MINUTE_MS, minuteOf } from '../../../desk/model/series/minute.ts';
import { axeFaults } from '../../../testing/browser/axe.ts';
import { openBrowser } from '../../../testing/browser/browser.ts';
import { DESK_KEY } from '../../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk } from '../../../testing/desk/desk-client.ts';
import { startDeskMatch } from '../../../testing/desk/desk-match.ts';
import { openDeskPage, signInToDesk } from '../../../testing/browser/desk-page.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import type { TestPage } from '../../../testing/browser/test-page.ts';
import { until } from '../../../testing/until.ts';
import { countTones } from './played-tones.ts';
import {
  clockOf,
  expectNote,
  expectPlayed,
  expectReplayed,
  noteReplayed,
  replayMinute,
  typeMinute,
  wordsOf,
} from './replayed-page.ts';

const UNWATCHED_MIN = [-48, -45] as const;

const browser = openForAll(openBrowser);
/** The clock stands still until a test advances it. */
const match = openForAll(() =>
  startDeskMatch({ earlierMatches: 3, unwatchedMin: UNWATCHED_MIN, incidents: ['stop:7@-33+60'], speed: 0 }),
);
const desk: TestPage = openForAll(() => openDeskPage(browser, match.server.url, { bypassCSP: true }));

const minuteAt = (min: number): number => match.kickOffMs + min * MINUTE_MS;

/**
 * The text of each part, without its buttons. The record knows the last entry to the minute only
 * (docs/decisions/0026): how long ago it was may be a minute more.
 */
function partsOf(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() =>
    Object.fromEntries(
      ['alarms', 'log', 'rows', 'total', 'curve'].map((area) => {
        const part = document.querySelector(`.desk-${area}`)?.cloneNode(true) as HTMLElement;
        const shown = area === 'curve' ? part.querySelector('.curve-table table') : part;
        for (const pressed of part.querySelectorAll('button:not(.row-name, .log-time), form'))
          pressed.remove();
        for (const cell of part.querySelectorAll('td, th, li, p, h2, h3, small, time, span'))
          cell.append(' ');
        const text = shown?.textContent ?? '';
        const words = text.replaceAll(/\s+/g, ' ');
        return [area, area === 'rows' ? words.replaceAll(/(sem acessos há) \d+ min/g, '$1') : words];
      }),
    ),
  );
}

/** The numbers of the forecast depend on the second. */
async function answerOf(page: Page) {
  const text = (await wordsOf(page, '.desk-answer')).replaceAll(/\s+/g, ' ');
  const numbers = text.match(/\d[\d.]*/g) ?? [];
  return {
    words: text.replaceAll(/\d[\d.]*/g, '#'),
    numbers: numbers.map((number) => Number(number.replaceAll('.', ''))),
  };
}

async function expectVerified(page: Page, atMs: number): Promise<void> {
  const seconds = String((atMs / 1_000) % 60).padStart(2, '0');
  await until(async () => expect(await wordsOf(page, '.alarm-watch')).toMatch(`${clockOf(atMs)}:${seconds}`));
}

/** Ends the replay of the test before. */
beforeEach(async () => {
  const { page } = desk;
  await page.context().setOffline(false);
  if ((await page.locator('.replay').count()) > 0) await page.keyboard.press('Escape');
  await page.locator('.replay').waitFor({ state: 'detached' });
});

test('a recorded minute is displayed as it was, also after a restart, and plays on; a new alarm has its tone and announcement, and is one key away', async () => {
  const { page } = desk;
  const bia = await openDesk(match.server.url, { name: 'Bia', key: DESK_KEY });
  await page.getByText('minutos em tabela').click();

  // The minute has an acknowledged alarm, a mark and an occurrence.
  const card = page.locator('.alarm', { hasText: 'SUL DORIL' });
  await card.waitFor();
  const markId = crypto.randomUUID();
  await bia.command({ id: markId, kind: 'mark', sector: '99', mark: 'unscanned' });
  await bia.command({ kind: 'occurrence', sector: null, text: 'chuva forte' });
  await card.getByRole('button', { name: /^ciente/ }).press('Enter');
  await page.keyboard.type('portão emperrado');
  await page.keyboard.press('Enter');
  await until(async () => expect(await card.innerText()).toMatch('portão emperrado'));
  const endMs = minuteOf(match.clock.nowMs()) + MINUTE_MS;
  for (const sector of ['1', '4', '99']) await match.enter(sector, 3);
  match.clock.advance(endMs - match.clock.nowMs());
  await expectVerified(page, endMs);
  const minute = clockOf(endMs - MINUTE_MS);
  const newest = page.locator('.curve-table tbody tr th').first();
  await until(async () => expect(await newest.innerText()).toBe(minute));
  // A minute is sent at once, the rates with the next state.
  const rates = page.locator('.rows tr', { hasText: 'NORTE' }).getByRole('cell');
  await until(async () => expect(await rates.nth(1).innerText()).toBe('3'));
  // At this minute's end the server notes the gap before it.
  await until(async () => expect(await wordsOf(page, '.log')).toMatch(/\d min sem dados \(/));
  const live = await partsOf(page);
  // No minute has who is in without a valid ticket, and so no maximum (docs/decisions/0026).
  const shown = { ...live, total: live['total']?.replace(/no máximo [\d.]+ ainda não entraram · /, '') };
  // A forecast is made every ten seconds, and the next one includes the minute.
  match.clock.advance(10_000);
  await expectVerified(page, endMs + 10_000);
  const answer = await answerOf(page);
  expect(live['alarms']).toMatch(/sem acessos registrados.*SUL DORIL.*portão emperrado/);
  expect(live['log']).toMatch('chuva forte');
  expect(live['total']).toMatch('contagem incompleta');

  // Later entries must not change the minute.
  await bia.command({ kind: 'take-back', entryId: markId, why: 'mistake' });
  await until(async () => expect(await wordsOf(page, '.desk-total')).not.toMatch('contagem incompleta'));
  for (let later = 0; later < 2; later += 1) await match.playMinute(4, ['7']);

  const expectAsShown = async (): Promise<void> => {
    await replayMinute(page, minute);
    await until(async () => expect(await partsOf(page)).toEqual(shown));
    const replayed = await answerOf(page);
    expect(replayed.words).toBe(answer.words);
    for (const [index, number] of replayed.numbers.entries())
      expect(Math.abs(number - (answer.numbers[index] ?? 0))).toBeLessThanOrEqual(1 + 0.02 * number);
  };
  await expectAsShown();

  // The record is complete before the server stops, as the next one has only that.
  await until(async () => {
    const [{ newestMs }] = await match.database.admin<[{ newestMs: number }]>`
      select extract(epoch from max(minute))::float8 * 1000 as "newestMs" from triagem.minutes
      where event_id = ${DEFAULT_EVENT_ID}`;
    expect(newestMs).toBe(endMs + MINUTE_MS);
  });
  await match.server.stop();
  await until(async () => expect(await wordsOf(page, '.replay-live')).toMatch('sem conexão'));
  await match.restart();
  await until(async () => expect(await wordsOf(page, '.replay-live')).not.toMatch('sem conexão'), 30_000);
  // The server reads earlier matches after its record; until then a minute has no usual curve.
  await until(async () => {
    expect(await (await bia.get(`${DESK_EVENT_PATH}/usual`)).json()).not.toEqual({ usual: null });
  });
  // The newest minutes come after the connection: a step back does not need them, a typed time does.
  await page.keyboard.press('ArrowLeft');
  await expectReplayed(page, clockOf(endMs - 2 * MINUTE_MS));
  const slider = page.getByRole('slider', { name: 'minuto', exact: true });
  await until(async () => expect(Number(await slider.getAttribute('max'))).toBe(endMs + MINUTE_MS));
  await expectAsShown();

  const noted = await noteReplayed(page);
  await page.getByRole('button', { name: '×60' }).click();
  await expectPlayed(noted, endMs - MINUTE_MS, 2);
  await expectNote(page, /último minuto registrado$/);

  // A new alarm of the present.
  const tones = await countTones(page);
  await page.getByRole('button', { name: 'som: desligado' }).click();
  await page.getByRole('button', { name: 'som: ligado' }).waitFor();
  const tonesBefore = await tones();
  const replayed = await wordsOf(page, '#replay-heading');
  await match.permit('4', () => 1);
  match.clock.advance(10_000);
  await until(async () => {
    expect(await wordsOf(page, '.replay-live')).toMatch(/^ALARME AO VIVO: ▲ ACIMA DA CAPACIDADE · NORTE/);
  }, 30_000);
  expect(await wordsOf(page, '#replay-heading')).toBe(replayed);
  await until(async () => expect(await tones()).toBeGreaterThan(tonesBefore));
  expect(await page.locator('.alarm-announcer').innerText()).toMatch('Alarme: ACIMA DA CAPACIDADE · NORTE');
  expect(await page.title()).toMatch(/^\(\d+\) ▲ REGISTRO \d\d:\d\d · Mesa/);
  expect(await page.locator('.alarm', { hasText: 'NORTE' }).count()).toBe(0);
  await page.locator('.replay-live').click();
  await desk.expectStatus('ao vivo');
  expect(await page.locator('.alarm[data-state="calling"]', { hasText: 'NORTE' }).count()).toBe(1);
  expect(await page.title()).toMatch(/^\(\d+\) ▲ Mesa/);
});

test('the replay opens at the last minute, and states it', async () => {
  const { page } = desk;
  await page.getByRole('button', { name: 'voltar a um minuto' }).click();
  await expectNote(page, /este é o último minuto registrado$/);
  expect(await page.getByRole('button', { name: '+ 1 min' }).isDisabled()).toBe(true);
  const slider = page.getByRole('slider', { name: 'minuto', exact: true });
  await slider.press('ArrowLeft');
  await expectNote(page, /^REGISTRO \d\d:\d\d\s*$/);
});

test('axe finds nothing on a recorded minute', async () => {
  const { page } = desk;
  await replayMinute(page, clockOf(minuteAt(-40)));
  const wall = { width: 1920, height: 1080 };
  for (const [colorScheme, size] of [
    ['light', { width: 390, height: 844 }],
    ...(IS_FULL ? ([['dark', wall]] as const) : []),
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    expect([colorScheme, await axeFaults(page)]).toEqual([colorScheme, []]);
  }
  await page.setViewportSize(wall);
});

test('an unobserved minute looks like a desk without a source, with its beginning', async () => {
  const { page } = desk;
  await replayMinute(page, clockOf(minuteAt(-47)));
  expect(await page.locator('.desk').getAttribute('data-stale')).not.toBe(null);
  expect(await wordsOf(page, '.desk-rows')).toContain(`sem dados desde ${clockOf(minuteAt(-48))}`);
  expect(await wordsOf(page, '.desk-answer')).not.toMatch('ritmo necessário');
});

test('a minute that cannot be displayed has its reason and an advice, and the displayed one stays', async () => {
  const { page } = desk;
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
  await typeMinute(page, '26:99');
  await until(async () => expect(await wordsOf(page, '.replay-time')).toContain('26:99 não é um horário'));
  await expectNote(page, /^REGISTRO \d\d:\d\d$/);

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
  await signInToDesk({ ...desk, expectStatus: () => expectReplayed(page, clockOf(minuteAt(-58))) }, 'Ana');
});
