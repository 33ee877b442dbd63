import type { Browser } from 'playwright-core';
import type { Scope } from '../benchmark.ts';
import type { Contender } from '../contenders/contender.ts';
import { clockMs } from '../support/clock.ts';
import type { TimedTotal } from '../support/delays.ts';
import type { Holder } from './holder.ts';

/** Beyond it, delays of a few milliseconds could not be told from the clocks' difference. */
const MOST_CLOCK_DOUBT_MS = 3;
const CLOCK_READINGS = 30;
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

/** The board in a real browser: when the text of each total appeared. */
export async function openScreen({ stops }: Scope, browser: Browser, { port }: Contender): Promise<Holder> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  stops.push(() => page.close());
  await page.addInitScript(NOTE_TOTALS);
  await page.goto(`http://127.0.0.1:${port}`);
  const totalShown = page.locator('.total[data-known] data');
  await totalShown.waitFor();
  return {
    async arrivalsUpTo(total) {
      const newest = page.locator(`.total data[value="${total}"]`);
      await newest.waitFor({ state: 'attached', timeout: LIMIT_MS });
      return page.evaluate<TimedTotal[]>('shownTotals.splice(0)');
    },
    bytes: async () => NaN,
    async clockAheadMs() {
      const { aheadMs, doubtMs } = await compareClocks(() =>
        page.evaluate<number>('performance.timeOrigin + performance.now()'),
      );
      if (doubtMs <= MOST_CLOCK_DOUBT_MS) return aheadMs;
      throw new Error(
        `The clocks of page and gates can be compared to ${doubtMs.toFixed(1)} ms only: the machine is too busy`,
      );
    },
    newest: async () => ({ total: Number(await totalShown.getAttribute('value')) }),
  };
}

/** Compares another process's clock with ours: each reading happened between our asking and its answer. */
async function compareClocks(read: () => Promise<number>) {
  // By how much it is ahead of ours: at least `low`, at most `high`.
  let [low, high] = [-Infinity, Infinity];
  for (let reading = 0; reading < CLOCK_READINGS; reading += 1) {
    const askedAtMs = clockMs();
    const toldMs = await read();
    low = Math.max(low, toldMs - clockMs());
    high = Math.min(high, toldMs - askedAtMs);
  }
  // What it is ahead for sure: 0 as long as they may well be the same.
  const aheadMs = Math.min(Math.max(0, low), high);
  // The most by which that may be wrong.
  const doubtMs = Math.max(high - aheadMs, aheadMs - low);
  return { aheadMs, doubtMs };
}
