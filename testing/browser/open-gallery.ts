import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { openBrowser, outliveFile } from './browser.ts';
import type { GalleryDesk } from '../gallery/open-gallery-desk.ts';
import type { ViewName } from '../gallery/views.ts';

import { listenLocally } from '../server/port.ts';
import { newPage, type TestPage } from './test-page.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
/** The files of paths with another name. */
const FILES: Readonly<Record<string, string>> = { '/gallery': 'gallery.html', '/fluxo/ajuda': 'ajuda.html' };
const TOKENS: Readonly<Record<string, string>> = {
  title: 'Palestra × Atlético',
  build: 'gallery',
  eventId: '',
};

const WALL = { width: 1920, height: 1080 };

interface Looks {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'dark' | 'light';
  readonly forcedColors?: 'active' | 'none';
  readonly reducedMotion?: 'reduce' | 'no-preference';
}

/** A browser, and the built gallery, served without the product's server. */
export interface Gallery {
  readonly browser: Browser;
  readonly url: string;
  /**
   * Draws this view anew on the gallery's page that all test files of this process share, by default on a wall of 1920 × 1080.
   */
  show(view: ViewName, looks?: Looks): Promise<Page>;
  /** Opens a page of its own, for tests of sound, clock or time zone. */
  open(view: ViewName, context?: BrowserContextOptions): Promise<TestPage>;
}

let served: Promise<string> | undefined;
/** The page of `show`; loading it costs as much as ten views. */
let shared: Page | undefined;

async function openShared(browser: Browser, url: string): Promise<Page> {
  if (shared && !shared.isClosed()) return shared;
  const context = await browser.newContext({ viewport: WALL });
  outliveFile(context);
  const page = (shared = await context.newPage());
  await page.goto(`${url}/gallery`);
  await page.locator('main li').first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  return page;
}

export async function openGallery(): Promise<Gallery> {
  const browser = await openBrowser();
  const url = await (served ??= serveGallery());
  return {
    browser,
    url,
    async show(view, looks = {}) {
      const { viewport = WALL, colorScheme = 'dark', forcedColors = 'none' } = looks;
      const { reducedMotion = 'no-preference' } = looks;
      const page = await openShared(browser, url);
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, forcedColors, reducedMotion, media: 'screen' });
      await page.evaluate(`scrollTo(0, 0); drawView('${view}')`);
      await untilDrawn(page);
      return page;
    },
    async open(view, context = {}) {
      const opened = await newPage(browser, { viewport: WALL, ...context });
      await opened.page.goto(`${url}/gallery?view=${view}`);
      await untilDrawn(opened.page);
      return opened;
    },
  };
}

async function untilDrawn(page: Page): Promise<void> {
  await page.locator('.curve-drawing').waitFor();
  await page.evaluate(() => document.fonts.ready);
}

/** Changes the stand-in behind the page, and draws it. */
export function changeStandIn(page: Page, change: (standIn: GalleryDesk['standIn']) => void): Promise<void> {
  return page.evaluate(`((change) => { change(gallery.standIn); gallery.publish(); })(${change.toString()})`);
}

/** The commands that the page has sent, in order. */
export function sentCommands(page: Page): Promise<GalleryDesk['commands']> {
  return page.evaluate('gallery.commands');
}

async function serveGallery(): Promise<string> {
  const folder = inject('testPages');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://gallery');
    const file = FILES[pathname] ?? pathname.slice(1);
    try {
      const bytes = readFileSync(join(folder, file));
      const isPage = extname(file) === '.html';
      response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
      response.setHeader('cache-control', isPage ? 'no-store' : 'max-age=3600');
      response.end(isPage ? fill(bytes.toString()) : bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  const port = await listenLocally(server);
  server.unref();
  return `http://127.0.0.1:${port}`;
}

function fill(html: string): string {
  return html.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name: string) => TOKENS[name] ?? '');
}
