import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { MINUTE_MS, minuteOf } from '../../../domain/flow/minute.ts';
import { BEFORE_STOP_MS, openAlarmMatch } from '../../../testing/alarm-match.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { DESK_KEY } from '../../../testing/desk-app.ts';
import { openDesk } from '../../../testing/desk-client.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';
import { countTones } from './heard-tones.ts';
import {
  clockOf,
  expectPlayed,
  expectReplayed,
  noteReplayed,
  replayMinute,
  wordsOf,
} from './replayed-page.ts';

const FAST = 60;
const TIMEOUT_MS = 240_000;

const browser = openForAll(launchBrowser);

/**
 * What each part says, without what is pressed. Of the last entry the record knows its minute alone
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
        const said = text.replaceAll(/\s+/g, ' ');
        return [area, area === 'rows' ? said.replaceAll(/(sem acessos há) \d+ min/g, '$1') : said];
      }),
    ),
  );
}

/** Numbers of the forecast depend on the second. */
async function answerOf(page: Page) {
  const text = (await wordsOf(page, '.desk-answer')).replaceAll(/\s+/g, ' ');
  const numbers = text.match(/\d[\d.]*/g) ?? [];
  return {
    words: text.replaceAll(/\d[\d.]*/g, '#'),
    numbers: numbers.map((number) => Number(number.replaceAll('.', ''))),
  };
}

test(
  'a recorded minute is what was shown then, also after a restart, and plays on; an alarm of now is heard, announced and one key away',
  async () => {
    const match = await openAlarmMatch();
    const server = await match.startServer();
    const bia = await openDesk(server.url, { name: 'Bia', key: DESK_KEY });
    const opened = await openDeskPage(browser, server.url);
    const { page } = opened;
    await page.getByText('minutos em tabela').click();

    // As it was shown: an alarm that somebody knows of, a mark and an occurrence.
    await pause(BEFORE_STOP_MS);
    match.stopped.add('7');
    const card = page.locator('.alarm', { hasText: 'SUL DORIL' });
    await card.waitFor({ timeout: 30_000 });
    const markId = crypto.randomUUID();
    await bia.command({ id: markId, kind: 'mark', sector: '99', mark: 'unscanned' });
    await bia.command({ kind: 'occurrence', sector: null, text: 'chuva forte' });
    await card.getByRole('button', { name: /^ciente/ }).press('Enter');
    await page.keyboard.type('portão emperrado');
    await page.keyboard.press('Enter');
    await until(async () => expect(await card.innerText()).toMatch('portão emperrado'));
    for (const sector of ['4', '99']) match.stopped.add(sector);
    const endMs = minuteOf(match.nowMs()) + MINUTE_MS;
    const minute = clockOf(endMs - MINUTE_MS);
    const slowAt = async (atMs: number): Promise<void> => {
      match.setSpeed(4);
      await until(() => expect(match.nowMs()).toBeGreaterThan(atMs), 60_000);
      match.setSpeed(0.05);
    };
    const newest = page.locator('.curve-table tbody tr th').first();
    const expectVerified = (time: string) =>
      until(async () => expect(await wordsOf(page, '.alarm-watch')).toMatch(time), 30_000);
    await slowAt(endMs);
    await until(async () => expect(await newest.innerText()).toBe(minute), 30_000);
    await expectVerified(`${clockOf(endMs)}:00`);
    const shown = await partsOf(page);
    // A forecast is made each ten seconds: the next one knows of the minute.
    await slowAt(endMs + 11_000);
    await expectVerified(`${clockOf(endMs)}:10`);
    const answer = await answerOf(page);
    expect(shown['alarms']).toMatch(/sem acessos registrados.*SUL DORIL.*portão emperrado/);
    expect(shown['log']).toMatch('chuva forte');
    expect(shown['total']).toMatch('contagem incompleta');

    // Much comes later.
    match.setSpeed(FAST);
    match.stopped.clear();
    await bia.command({ kind: 'take-back', entryId: markId });
    await until(async () => expect(await wordsOf(page, '.desk-total')).not.toMatch('contagem incompleta'));
    await pause(5_000);

    const expectAsShown = async (): Promise<void> => {
      await replayMinute(page, minute);
      await until(async () => expect(await partsOf(page)).toEqual(shown));
      const replayed = await answerOf(page);
      expect(replayed.words).toBe(answer.words);
      for (const [index, number] of replayed.numbers.entries())
        expect(Math.abs(number - (answer.numbers[index] ?? 0))).toBeLessThanOrEqual(1 + 0.02 * number);
    };
    await expectAsShown();

    match.setSpeed(1);
    await server.stop();
    await until(async () => expect(await wordsOf(page, '.replay-live')).toMatch('sem conexão'));
    await match.startServer({ PORT: new URL(server.url).port });
    await until(async () => expect(await wordsOf(page, '.replay-live')).not.toMatch('sem conexão'), 30_000);
    await page.keyboard.press('ArrowLeft');
    await expectReplayed(page, clockOf(endMs - 2 * MINUTE_MS));
    await expectAsShown();

    const noted = await noteReplayed(page);
    await page.getByRole('button', { name: '×60' }).click();
    await expectPlayed(noted, endMs - MINUTE_MS, 3);
    await page.getByRole('button', { name: 'pausa' }).click();

    // Of now, meanwhile.
    const tones = await countTones(page);
    await page.getByRole('button', { name: 'som: desligado' }).click();
    await page.getByRole('button', { name: 'som: ligado' }).waitFor();
    match.setSpeed(FAST);
    await pause(BEFORE_STOP_MS);
    const heard = await tones();
    const replayed = await wordsOf(page, '#replay-heading');
    match.stopped.add('4');
    await until(async () => {
      expect(await wordsOf(page, '.replay-live')).toMatch(
        /^ALARME AO VIVO: ■ sem acessos registrados · NORTE/,
      );
    }, 30_000);
    expect(await wordsOf(page, '#replay-heading')).toBe(replayed);
    await until(async () => expect(await tones()).toBeGreaterThan(heard));
    expect(await page.locator('.alarm-announcer').innerText()).toMatch(
      'Alarme: sem acessos registrados · NORTE',
    );
    expect(await page.title()).toMatch(/^\(\d+\) ■ REGISTRO \d\d:\d\d · Mesa/);
    expect(await page.locator('.alarm', { hasText: 'NORTE' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await opened.expectStatus('ao vivo');
    expect(await page.locator('.alarm[data-state="calling"]', { hasText: 'NORTE' }).count()).toBe(1);
    expect(await page.title()).toMatch(/^\(\d+\) ■ Mesa/);
  },
  TIMEOUT_MS,
);
