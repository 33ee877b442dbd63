import { cpSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { openBrowser } from '../../testing/browser/browser.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { newPage } from '../../testing/browser/test-page.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(() => createTestDatabase({ inside: { a: '4' }, outside: { b: '4' } }));
const browser = openForAll(openBrowser);
const scriptsOf = (file: string): string[] =>
  [...readFileSync(join(inject('testPages'), file), 'utf8').matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(
    ([, url = '']) => url,
  );

function frameOf(page: Page, name: string): Frame {
  const frame = page.frame(name);
  if (!frame) throw new Error(`there is no frame ${name}`);
  return frame;
}

const textOf = (frame: Frame, selector: string): Promise<string> => frame.locator(selector).innerText();
const rowsOf = (frame: Frame): Promise<string[]> => frame.locator('tbody tr').allInnerTexts();

test('a page of its own is built beside the board, with its own scripts; two documents in one script are two boards', async () => {
  const shared = scriptsOf('index.html').filter((url) => scriptsOf('two-boards.html').includes(url));
  expect(shared.every((url) => url.includes('/lib-react.'))).toBe(true);
  expect(scriptsOf('index.html').length - shared.length).toBe(2);
  expect(scriptsOf('two-boards.html').length - shared.length).toBe(2);

  const webRoot = makeTestFolder();
  cpSync(inject('testPages'), webRoot, { recursive: true });
  renameSync(join(webRoot, 'two-boards.html'), join(webRoot, 'index.html'));
  const server = await startTestServer(database, {}, { webRoot });
  const watched = await newPage(browser);
  const { page } = watched;
  // The left frame's stream is held until it is released.
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/live', async (route) => {
    if (route.request().frame().name() === 'left') await held;
    await route.continue();
  });
  await page.goto(server.url);
  const [left, right] = [frameOf(page, 'left'), frameOf(page, 'right')];
  await until(async () => expect(await textOf(right, '#status')).toBe('ao vivo'));
  expect(await textOf(right, '.total')).toBe('1');
  await until(async () => expect(await rowsOf(left)).toEqual(['SUL\t–', 'NORTE\t–']));
  expect(await textOf(left, '#status')).toBe('conectando');
  expect(await textOf(left, '.total')).toBe('carregando...');

  letGo();
  await until(async () => expect(await textOf(left, '#status')).toBe('ao vivo'));
  await setEntered(database.gates, 'b', true);
  for (const frame of [left, right]) await until(async () => expect(await textOf(frame, '.total')).toBe('2'));
  expect(await rowsOf(left)).toEqual(['SUL\t0', 'NORTE\t2']);
  expect(await rowsOf(right)).toHaveLength(13);
  expect(await left.locator('time').count()).toBe(1);
  expect(await right.locator('time').count()).toBe(1);
  expect(watched.console.filter((line) => line.startsWith('uncaught'))).toEqual([]);
});
