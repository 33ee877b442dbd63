import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchBrowser } from '../../testing/browser/browser.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import type { Scope } from '../benchmark.ts';

// Not compiled into the build: it serves the scripts that run before there is one.
const script = pathToFileURL(join(PROJECT_ROOT, 'tools/system-programs.mjs')).href;
/** The path of the Chromium that the tests drive, too; `undefined` when this machine has none. */
export const { findChromium } = (await import(script)) as { findChromium: () => string | undefined };

/** The viewport of a screen on the wall. */
export const WALL = { width: 1_920, height: 1_080 };

export async function startBrowser({ signal, stops }: Scope): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) {
    throw new Error(
      'This benchmark needs Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM_PATH.',
    );
  }
  const browser = await launchBrowser({ executablePath, signal });
  stops.push(() => browser.close());
  return browser;
}

/** A page with the DevTools' session that measures it. */
export interface MeasuredPage {
  readonly page: Page;
  readonly devTools: CDPSession;
}

/** A page of a context of its own, whose cache is empty. */
export async function openPage({ stops }: Scope, browser: Browser, url: string): Promise<MeasuredPage> {
  const context = await browser.newContext({ viewport: WALL });
  stops.push(() => context.close());
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await page.goto(url);
  await devTools.send('Performance.enable');
  return { page, devTools };
}

/** What a page's heap holds once its garbage is collected. */
export async function heapKbOf({ devTools }: Pick<MeasuredPage, 'devTools'>): Promise<number> {
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  return usedSize / 1_024;
}
