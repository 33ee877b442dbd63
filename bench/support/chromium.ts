import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../testing/browser.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import type { Scope } from '../benchmark.ts';

/** The Chromium that the tests drive, too; `undefined` when this machine has none. */
export async function findChromium(): Promise<string | undefined> {
  // Not compiled into the build: it serves the scripts that run before there is one.
  const script = pathToFileURL(join(PROJECT_ROOT, 'tools/test-programs.mjs')).href;
  const browser = (await import(script)) as { findChromium: () => string | undefined };
  return browser.findChromium();
}

export async function startBrowser({ signal, stops }: Scope): Promise<Browser> {
  const executablePath = await findChromium();
  if (!executablePath) {
    throw new Error(
      'This benchmark needs Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM_PATH.',
    );
  }
  const browser = await launchBrowser({ executablePath, signal });
  stops.push(() => browser.close());
  return browser;
}
