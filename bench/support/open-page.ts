import type { Browser, CDPSession, Page } from 'playwright-core';

/** A page of a context of its own, whose cache is empty, and the DevTools' session with it. */
export interface OpenPage {
  readonly page: Page;
  readonly devTools: CDPSession;
  readonly close: () => Promise<void>;
}

export async function openPage(
  browser: Browser,
  viewport: { readonly width: number; readonly height: number },
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  return { page, devTools: await context.newCDPSession(page), close: () => context.close() };
}
