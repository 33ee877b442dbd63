import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { until } from '../../../testing/until.ts';

/** "18:29", where the match is. */
export function clockOf(ms: number): string {
  return new Date(ms).toLocaleTimeString('pt-BR', {
    timeZone: 'America/Sao_Paulo',
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** The text of the first element that is found. */
export function wordsOf(page: Page, selector: string): Promise<string> {
  return page.locator(selector).first().innerText();
}

/** Waits until the desk shows the recorded minute of that name. */
export async function expectReplayed(page: Page, minute: string): Promise<void> {
  await until(async () => expect(await wordsOf(page, '#replay-heading')).toBe(`REGISTRO ${minute}`));
}

/** What says how it goes on. */
export async function expectNote(page: Page, words: RegExp): Promise<void> {
  await until(async () => expect(await wordsOf(page, '.replay-note')).toMatch(words));
}

/** Types a time into the bar, which a press opens where it is not there. */
export async function typeMinute(page: Page, minute: string): Promise<void> {
  if ((await page.locator('.replay').count()) === 0) {
    await page.getByRole('button', { name: 'voltar a um minuto' }).click();
  }
  await page.getByLabel('ir para').fill(minute);
  await page.getByLabel('ir para').press('Enter');
}

export async function replayMinute(page: Page, minute: string): Promise<void> {
  await typeMinute(page, minute);
  await expectReplayed(page, minute);
}

/** Notes each minute that is shown from now on, however short. Returns those so far, in order: "18:29". */
export async function noteReplayed(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const heading = document.querySelector('#replay-heading');
    const minutes: string[] = [];
    Object.assign(globalThis, { minutes });
    const note = () => {
      const minute = (heading?.textContent ?? '').slice(-5);
      if (minutes.at(-1) !== minute) minutes.push(minute);
    };
    note();
    if (heading)
      new MutationObserver(note).observe(heading, { characterData: true, childList: true, subtree: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { minutes: string[] }).minutes);
}

/** Waits until it has shown so many more, each a minute after the one before. */
export async function expectPlayed(
  noted: () => Promise<readonly string[]>,
  fromMs: number,
  count: number,
): Promise<void> {
  const expected = Array.from({ length: count + 1 }, (_, index) => clockOf(fromMs + index * MINUTE_MS));
  await until(async () => expect((await noted()).slice(0, count + 1)).toEqual(expected));
}
