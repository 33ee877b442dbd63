import type { Browser } from 'playwright-core';
import type { Scope } from '../benchmark.ts';
import { DESK_KEY } from '../desk/variants.ts';
import { type MainThread, readMainThread } from '../screen/main-thread.ts';
import { heapKbOf, openPage } from '../support/chromium.ts';

/** A desk in a Chromium, whose operator has signed in. */
export interface DeskPage {
  /** What its heap holds once its garbage is collected. What its main thread does for that is left out of `share`. */
  heapKb(): Promise<number>;
  /** The share of one core that its main thread took, between the first look at the heap and the last; in percent. */
  share(part: keyof MainThread): number;
  /** Rejects unless it is shown, live, and says that so many are in: another desk would be a cheap one. */
  shows(admitted: number): Promise<void>;
}

const LIVE = '#status [data-status="live"]';
const SHOWN_LIMIT_MS = 10_000;
const PARTS = ['tasksMs', 'processorMs', 'scriptMs', 'styleAndLayoutMs'] as const;

export async function openDeskPage(run: Scope, browser: Browser, url: string): Promise<DeskPage> {
  const opened = await openPage(run, browser, `${url}/fluxo`);
  const { page, devTools } = opened;
  await page.getByLabel('Nome').fill('Ana');
  await page.getByLabel('Chave').fill(DESK_KEY);
  await page.getByRole('button', { name: 'entrar', exact: true }).click();
  await page.waitForSelector(LIVE);
  await page.locator('.desk').waitFor();
  const spent = { elapsedMs: 0, tasksMs: 0, processorMs: 0, scriptMs: 0, styleAndLayoutMs: 0 };
  let last: { readonly atMs: number; readonly done: MainThread } | undefined;
  return {
    async heapKb() {
      const done = await readMainThread(devTools);
      if (last) {
        spent.elapsedMs += performance.now() - last.atMs;
        for (const part of PARTS) spent[part] += done[part] - last.done[part];
      }
      const heapKb = await heapKbOf(opened);
      last = { atMs: performance.now(), done: await readMainThread(devTools) };
      return heapKb;
    },
    share: (part) => (100 * spent[part]) / spent.elapsedMs,
    async shows(admitted) {
      const total = admitted.toLocaleString('pt-BR');
      await page.locator('.total-admitted', { hasText: total }).waitFor({ timeout: SHOWN_LIMIT_MS });
      const visibility = await page.evaluate<string>('document.visibilityState');
      if (visibility !== 'visible') throw new Error('a desk is hidden, and draws nothing');
      if (!(await page.locator(LIVE).isVisible())) throw new Error('a desk is not live');
    },
  };
}
