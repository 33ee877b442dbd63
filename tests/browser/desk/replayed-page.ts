import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { until } from '../../../testing/until.ts';

/** "18:29" in the event's time zone. */
export function clockOf(ms: number): string {
  return new Date(ms).toLocaleTimeString('pt-BR', {
    timeZone: 'America/Sao_Paulo',
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** The text of the first matching element. */
export function wordsOf(page: Page, selector: string): Promise<string> {
  return page.locator(selector).first().innerText();
}

/** Waits until the desk displays this recorded minute. */
export async function expectReplayed(page: Page, minute: string): Promise<void> {
  await until(async () => expect(await wordsOf(page, '#replay-heading')).toBe(`REGISTRO ${minute}`));
}

/** Waits for the note of the replay. */
export async function expectNote(page: Page, words: RegExp): Promise<void> {
  await until(async () => expect(await wordsOf(page, '.replay-note')).toMatch(words));
}

/** Opens the replay if necessary, and types a time into its bar. */
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

/** Records each displayed minute from now on: "18:29". */
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

/** Waits until `count` further minutes have been displayed in order. */
export async function expectPlayed(
  noted: () => Promise<readonly string[]>,
  fromMs: number,
  count: number,
): Promise<void> {
  const expected = Array.from({ length: count + 1 }, (_, index) => clockOf(fromMs + index * MINUTE_MS));
  await until(async () => expect((await noted()).slice(0, count + 1)).toEqual(expected));
}
