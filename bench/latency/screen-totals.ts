import type { Browser } from 'playwright-core';
import type { TimedTotal } from '../support/delays.ts';

/** The totals that the board shows in a real browser, and when the text of each appeared. */
export interface ScreenTotals {
  /** Waits until it shows this total, and takes what it has shown since the last call. */
  totalsUpTo(total: number): Promise<readonly TimedTotal[]>;
  /** The machine's clock, as the page reads it. */
  readonly clockMs: () => Promise<number>;
}

const LIMIT_MS = 20_000;

/** Runs in the page, before anything else does. A text, as ours is compiled for Node. */
const NOTE_TOTALS = `
  window.shownTotals = [];
  let last = '';
  new MutationObserver(() => {
    const text = document.querySelector('.total[data-known]')?.textContent ?? '';
    if (text === last) return;
    last = text;
    const total = Number(text.replaceAll(/\\D/g, ''));
    shownTotals.push({ total, atMs: performance.timeOrigin + performance.now() });
  }).observe(document, { subtree: true, childList: true, characterData: true });
`;

export async function openScreenTotals(browser: Browser, url: string): Promise<ScreenTotals> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.addInitScript(NOTE_TOTALS);
  await page.goto(url);
  await page.locator('.total[data-known]').waitFor();
  return {
    async totalsUpTo(total) {
      const newest = page.locator(`.total data[value="${total}"]`);
      await newest.waitFor({ state: 'attached', timeout: LIMIT_MS });
      return page.evaluate<TimedTotal[]>('shownTotals.splice(0)');
    },
    clockMs: () => page.evaluate<number>('performance.timeOrigin + performance.now()'),
  };
}
