import type { Page } from 'playwright-core';
import type { DisplayedState } from './screen.ts';

interface Seen {
  readonly unixMs: number;
  readonly status: string;
  readonly total: string;
}

/** Notes, from now on, each total and status that the DOM of a page of the board shows. Returns what it showed so far. */
export async function recordDisplays(page: Page): Promise<() => Promise<DisplayedState[]>> {
  await page.evaluate(() => {
    const seen: Seen[] = [];
    const textOf = (selector: string): string =>
      document.querySelector<HTMLElement>(selector)?.innerText.trim() ?? '';
    const note = (): void => {
      const [status, total] = [textOf('#status'), textOf('.total')];
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
  });
  return async () => {
    const seen = await page.evaluate(() => (window as unknown as { readonly seen: Seen[] }).seen);
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
