import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import type { Scope } from '../benchmark.ts';
import { PROJECT_ROOT } from './project-root.ts';

/** The Chromium that the tests drive, too; `undefined` when this machine has none. */
export async function findChromium(): Promise<string | undefined> {
  // Not compiled into the build: it serves the scripts that run before there is one.
  const script = pathToFileURL(join(PROJECT_ROOT, 'tools/browser.mjs')).href;
  const browser = (await import(script)) as { findChromium: () => string | undefined };
  return browser.findChromium();
}

/** Starts a real Chromium without a window, and closes it on Ctrl-C: what waits for it then fails. */
export async function launchChromium({ signal, stops }: Scope): Promise<Browser> {
  const executablePath = await findChromium();
  if (!executablePath) {
    throw new Error(
      'This benchmark needs Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM_PATH.',
    );
  }
  const browser = await chromium.launch({
    executablePath,
    // Ctrl-C is ours to handle: the library would end the whole process.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const close = (): Promise<void> => browser.close();
  stops.push(close);
  if (signal.aborted) await close();
  else signal.addEventListener('abort', close, { once: true });
  return browser;
}
