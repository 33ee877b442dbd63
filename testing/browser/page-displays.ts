import type { Page } from 'playwright-core';
import type { DisplayedState } from './screen.ts';

interface Seen {
  readonly unixMs: number;
  readonly status: string;
  readonly total: string;
}

/** The selector of the desk's total. */
export const DESK_TOTAL = '.total-admitted';

/**
 * Records each total and status in the DOM of a page from now on; `totalSelector` defaults to the board's. The result returns the
 * records so far, or the last ones.
 */
export async function recordDisplays(
  page: Page,
  totalSelector = '.total',
): Promise<(last?: number) => Promise<DisplayedState[]>> {
  await page.evaluate((selectorOfTotal) => {
    const seen: Seen[] = [];
    const textOf = (selector: string): string =>
      document.querySelector<HTMLElement>(selector)?.innerText.trim() ?? '';
    const note = (): void => {
      const [status, total] = [textOf('#status'), textOf(selectorOfTotal)];
      const last = seen.at(-1);
      if (last?.status === status && last.total === total) return;
      seen.push({ unixMs: performance.timeOrigin + performance.now(), status, total });
    };
    note();
    new MutationObserver(note).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    Object.assign(window, { seen });
  }, totalSelector);
  return async (last = Infinity) => {
    const seen = await page.evaluate(
      (count) => (window as unknown as { readonly seen: Seen[] }).seen.slice(-count),
      last,
    );
    return seen.map(({ unixMs, status, total }) => {
      const atMs = unixMs - performance.timeOrigin;
      const digits = total.replaceAll(/\D/g, '');
      return {
        atMs,
        unhinderedMs: atMs,
        live: status === 'ao vivo',
        total: digits === '' ? undefined : Number(digits),
      };
    });
  };
}
