import type { Browser, BrowserContextOptions } from 'playwright-core';
import { DESK_KEY } from '../desk/desk-app.ts';
import { newPage, type TestPage } from './test-page.ts';

export interface DeskPageOptions extends BrowserContextOptions {
  readonly name?: string;
}

/** Opens a page of the desk in a context of its own, and signs in by the form. */
export async function openDeskPage(
  browser: Browser,
  url: string,
  { name = 'Ana', ...context }: DeskPageOptions = {},
): Promise<TestPage> {
  const opened = await newPage(browser, { viewport: { width: 1920, height: 1080 }, ...context });
  await opened.page.goto(`${url}/fluxo`);
  await signInToDesk(opened, name);
  return opened;
}

/** Signs in by the form, and waits until the desk is live. */
export async function signInToDesk(opened: TestPage, name: string): Promise<void> {
  await fillInSignIn(opened, name);
  await opened.expectStatus('ao vivo');
  await opened.page.locator('.desk').waitFor();
}

export async function fillInSignIn({ page }: TestPage, name: string): Promise<void> {
  await page.getByLabel('Nome').fill(name);
  await page.getByLabel('Chave').fill(DESK_KEY);
  await page.getByRole('button', { name: 'entrar', exact: true }).click();
}
