import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { drill } from '../../desk/tool/drill.ts';
import { axeFaults } from '../../testing/browser/axe.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { openDesk } from '../../testing/desk/desk-client.ts';
import { sha256 } from '../../desk/http/record-files.ts';
import { recordGeneratedMatch } from '../../testing/desk/match-in-record.ts';
import { openDeskPage } from '../../testing/browser/desk-page.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { type PdfPage, readPdf } from '../../testing/browser/pdf-text.ts';
import { newPage } from '../../testing/browser/test-page.ts';
import { startTestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { expectReplayed, noteReplayed, wordsOf } from './desk/replayed-page.ts';

const MATCH = 'a'.repeat(32);
const KICK_OFF_MS = Date.UTC(2026, 4, 2, 19);
const SECTORS = DEFAULT_VENUE.sectors.map(({ code, capacity = 0 }) => ({ code, valid: capacity }));
const POINTS_PER_MM = 72 / 25.4;
/** The height of the paper, and of its foot. */
const PAGE_MM = 297;
const FOOT_MM = 27;
/** The distance between two tested positions on a page. */
const STEP_MM = IS_FULL ? 25 : 50;
const LONG_TITLE = 'Final do Campeonato Brasileiro '.repeat(12).trim();
const COUNT = new Intl.NumberFormat('pt-BR');
/** The page sets this once the whole record is drawn. */
const WHOLE = ':root[data-whole]';
/** Changes the proof of a match that has just begun to one that is over. */
const TWO_HOURS_LATER = {
  '**/record': (body: string): string => {
    const proof = JSON.parse(body) as { state: { nowMs: number } };
    proof.state.nowMs += 2 * 60 * 60 * 1_000;
    return JSON.stringify(proof);
  },
};

const database = openForAll(createTestDatabase);
const browser = openForAll(openBrowser);
const watched = openForAll(() => newPage(browser, { viewport: { width: 390, height: 844 } }));
let url: string;
let cookie: string;
let pages: readonly PdfPage[];
/** The record of another day than the match, with the longest title. */
let odd: Page;

/** An exercise that has just ended has the match with a stopped sector. */
beforeAll(async () => {
  await recordGeneratedMatch(database, { eventId: MATCH, kickOffMs: KICK_OFF_MS, sectors: SECTORS });
  const { recordUrl } = database;
  const drilled = ['--from', MATCH, '--event', DEFAULT_EVENT_ID, '--yes', '--incident', 'stop:7@-20+8'];
  await drill.run(drilled, { RECORD_DATABASE_URL: recordUrl, GATES_DATABASE_URL: database.gatesUrl });
  const settings = { DESK_KEY, RECORD_DATABASE_URL: recordUrl, SIMULATED: 'yes' };
  const server = await startTestServer(database, settings);
  ({ url } = server);
  await untilReady(server);
  const desk = await openDesk(url, { name: 'Ana Lúcia', key: DESK_KEY });
  ({ cookie } = desk);
  await until(async () =>
    expect((await desk.command({ text: 'fila longa no portão 7; "grande"' })).status).toBe(200),
  );

  const { page } = watched;
  await page.context().addCookies([sessionCookie()]);
  await page.goto(`${url}/fluxo/registro`);
  await page.locator(WHOLE).waitFor();
  pages = await readPdf(await page.pdf({ preferCSSPageSize: true }));
  odd = await openRecord({
    '**/record': (body) => {
      const proof = JSON.parse(body) as { state: { times: { kickOffAtMs: number } } };
      proof.state.times.kickOffAtMs -= 24 * 60 * 60 * 1_000;
      return JSON.stringify(proof);
    },
    '**/fluxo/registro': (body) => body.replace(/data-title="[^"]*"/, `data-title="${LONG_TITLE}"`),
  });
});

function sessionCookie(): { name: string; value: string; url: string } {
  const [name = '', value = ''] = cookie.split('=');
  return { name, value, url: `${url}/fluxo` };
}

/** Opens the record with changed responses. */
async function openRecord(changes: Readonly<Record<string, (body: string) => string>>): Promise<Page> {
  const { page } = await newPage(browser, { viewport: { width: 1280, height: 844 }, bypassCSP: true });
  await page.context().addCookies([sessionCookie()]);
  for (const [address, change] of Object.entries(changes)) {
    await page.route(address, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: change(await response.text()) });
    });
  }
  await page.goto(`${url}/fluxo/registro`);
  await page.locator(WHOLE).waitFor();
  return page;
}

const shown = (selector: string, page: Page = watched.page): Promise<string[]> =>
  page.locator(selector).allInnerTexts();

const readFacts = async (page: Page): Promise<ReadonlyMap<string, string>> => {
  const facts = await shown('.record-facts div', page);
  return new Map(
    facts.map((text) => {
      const [name = '', value = ''] = text.split('\n');
      return [name, value];
    }),
  );
};

test('each page is A4, with its number and the operator, and nothing beyond its margins', async () => {
  expect(pages.length).toBeGreaterThanOrEqual(3);
  for (const [index, page] of pages.entries()) {
    expect([Math.round(page.width), Math.round(page.height)]).toEqual([595, 842]);
    expect(page.text).toContain(`página ${index + 1} de ${pages.length}`);
    expect(page.text).toContain('produzido por Ana Lúcia (nome declarado) em');
    // The mark stands across the page and in its foot.
    expect(page.text.match(/SIMULADO/g)?.length).toBeGreaterThanOrEqual(2);
    expect(page.left).toBeGreaterThan(12 * POINTS_PER_MM);
    expect(page.right).toBeLessThan(page.width - 12 * POINTS_PER_MM);
  }
});

test('the summary is on the first page, the sectors on the second, and every cell of the screen is on paper', async () => {
  const [first, second] = pages;
  expect(first?.text).toContain('Registro de acessos');
  expect(await watched.page.locator('.curve-drawing text').count()).toBeGreaterThan(5);
  for (const label of await watched.page.locator('.curve-drawing text').allTextContents())
    expect(first?.text).toContain(label);
  expect(first?.text).not.toContain('aponte um minuto');
  expect(first?.text).not.toContain('Setores:');
  expect(second?.text).toContain('Setores: acessos registrados');
  expect(second?.text).not.toContain('Alarmes desde');
  const paper = plain(pages.map(({ text }) => text).join(' '));
  const cells = await shown('.record th, .record td, .record dt, .record dd, .record h2');
  expect(cells.length).toBeGreaterThan(200);
  expect(cells.filter((cell) => !paper.includes(plain(cell)))).toEqual([]);
});

test('the record appears with its curve, so that an early print has no part of it', async () => {
  const { page } = await newPage(browser, { viewport: { width: 390, height: 844 } });
  await page.context().addCookies([sessionCookie()]);
  // The parts that are visible at any moment.
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      const parts = ['.record', '.curve-line', '.curve-usual', '.record-proof'];
      const there = parts.filter((part) => document.querySelector(part) !== null);
      if (there.length > 0) seen.push(there.join(' '));
    }).observe(document, { subtree: true, childList: true });
  });
  // The page requests the mean of earlier matches last.
  let release: (() => void) | undefined;
  await page.route('**/usual', async (route) => {
    await new Promise<void>((resolve) => (release = resolve));
    await route.continue();
  });
  await page.goto(`${url}/fluxo/registro`);
  await until(() => expect(release).toBeDefined());
  const [early, ...more] = await readPdf(await page.pdf({ preferCSSPageSize: true }));
  expect(more).toEqual([]);
  expect(plain(early?.text ?? '')).toBe(plain('lendo o registro… Só imprima quando ele aparecer.'));
  expect(await page.locator(WHOLE).count()).toBe(0);
  release?.();
  await page.locator(WHOLE).waitFor();
  const seen = await page.evaluate<string[]>('seen');
  expect(new Set(seen)).toEqual(new Set(['.record .curve-line .curve-usual .record-proof']));
  const printed = await readPdf(await page.pdf({ preferCSSPageSize: true }));
  for (const label of await page.locator('.curve-drawing text').allTextContents())
    expect(printed[0]?.text).toContain(label);
});

test('its figures are those of the record, recounted by SQL: the final ones once the match has ended', async () => {
  const [{ admitted, valid, peak }] = await database.admin<
    [{ admitted: number; valid: number; peak: number }]
  >`
    with of_minute as (
      select minute, sum(admitted)::int as admitted, sum(valid)::int as valid, sum(net - lots)::int as flow
      from triagem.minutes where event_id = ${DEFAULT_EVENT_ID} and source = 'simulated' group by minute)
    select (select admitted from of_minute order by minute desc limit 1),
      (select valid from of_minute order by minute desc limit 1), (select max(flow) from of_minute) as peak`;
  const [facts, final] = await Promise.all([watched.page, await openRecord(TWO_HOURS_LATER)].map(readFacts));
  for (const each of [facts, final]) {
    expect(each?.get('ingressos válidos')).toBe(COUNT.format(valid));
    expect(each?.get('pico de 1 min')).toMatch(
      new RegExp(`^${COUNT.format(peak).replaceAll('.', String.raw`\.`)} às `),
    );
  }
  const stillToCome = [...(facts ?? [])].find(([name]) =>
    /^ainda não entraram às \d\d:\d\d:\d\d$/.test(name),
  );
  expect(stillToCome?.[1]).toBe(COUNT.format(valid - admitted));
  expect([...(facts?.keys() ?? [])].filter((name) => /não vieram|fim|%/.test(name))).toEqual([]);
  expect(final?.get('não vieram')).toBe(COUNT.format(valid - admitted));
  expect(final?.get('fim')).toBe(COUNT.format(admitted));
  expect([...(final?.keys() ?? [])].filter((name) => name.includes('%'))).toEqual([
    '50% às',
    '90% às',
    '95% às',
  ]);
  const alarms = await shown('.record-events tbody tr');
  expect(alarms[0]).toMatch(/sem acessos registrados/);
  expect(alarms.join('\n')).toContain('“fila longa no portão 7; "grande"”');
});

test('its two files are downloaded by their links: with the hashes on paper, and as many rows as the record has', async () => {
  const { page } = watched;
  const paper = plain(pages.at(-1)?.text ?? '');
  for (const [link, file] of [
    ['minutes.csv', 'minutes'],
    ['log.csv', 'log'],
  ] as const) {
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: link }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(new RegExp(`${file}.*\\.csv$`));
    const text = readFileSync(await download.path(), 'utf8');
    const [, to = '', hash = ''] =
      new RegExp(`${file}\\.csv\\?to=(\\d+)·SHA-256([0-9a-f]{64})`).exec(paper) ?? [];
    expect([file, sha256(text)]).toEqual([file, hash]);
    // Another minute may have ended since the print.
    const { admin } = database;
    const upTo =
      file === 'log' ? admin`seq <= ${Number(to)}` : admin`minute < to_timestamp(${Number(to) / 1_000})`;
    const [{ rows }] = await admin<[{ rows: number }]>`
      select count(*)::int as rows from triagem.${admin(file)} where event_id = ${DEFAULT_EVENT_ID} and ${upTo}`;
    expect([file, to !== '', text.trimEnd().split('\n').length - 1]).toEqual([file, true, rows]);
  }
  expect(page.url()).toBe(`${url}/fluxo/registro`);
});

test('times of another day than the match’s fit their column, on paper and on screens', async () => {
  const tables = odd.locator('.is-log, .is-alarms');
  expect(await tables.locator('tbody th').allInnerTexts()).toContainEqual(
    expect.stringMatching(/^\d\d\/\d\d\/\d{4} \d\d:\d\d$/),
  );
  for (const width of [390, 1280]) {
    await odd.setViewportSize({ width, height: 844 });
    for (const media of ['screen', 'print'] as const) {
      await odd.emulateMedia({ media });
      const overflowing = await tables.locator('tbody > tr > *').evaluateAll((cells) => {
        const range = document.createRange();
        return cells.flatMap((cell) => {
          range.selectNodeContents(cell);
          const { right } = range.getBoundingClientRect();
          return right > cell.getBoundingClientRect().right + 0.5 ? [cell.textContent] : [];
        });
      });
      expect([width, media, overflowing]).toEqual([width, media, []]);
    }
  }
  await odd.emulateMedia({ media: null });
});

test('a title of any length leaves the number of the page its place', async () => {
  expect(await odd.locator('h1').innerText()).toBe(LONG_TITLE);
  const printed = await readPdf(await odd.pdf({ preferCSSPageSize: true }));
  for (const { pieces } of printed) {
    const numberLeft = pieces.find(({ text }) => text.startsWith('página'))?.left ?? 0;
    const beside = pieces.filter(({ left, y }) => left < numberLeft && y < FOOT_MM * POINTS_PER_MM);
    expect(beside.map(({ text }) => text).join(' ')).toContain('Final do Campeonato');
    expect(beside.filter(({ right }) => right > numberLeft)).toEqual([]);
    expect(Math.min(...pieces.map(({ y }) => y))).toBeGreaterThan(2 * POINTS_PER_MM);
  }
});

test('on a phone it does not scroll sideways, and asks for nothing that the page forbids', async () => {
  const { page, console: lines } = watched;
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    const said = page.locator('.record-curve :is(figcaption, .curve-foot)');
    for (const scrolled of [0, 100]) {
      await page.locator('.record-curve').evaluate((curve, left) => curve.scrollTo({ left }), scrolled);
      const ends = await said.evaluateAll((texts) =>
        texts.map((text) => text.getBoundingClientRect()).map(({ left, right }) => `${left} ${right}`),
      );
      expect([...new Set(ends)]).toEqual([`12 ${width - 12}`]);
    }
  }
  expect(lines).toEqual([]);
  const buttons = await page.locator('.record-actions > *').all();
  for (const button of buttons) expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
});

test('on a screen that is wider than paper, the whole chart is seen', async () => {
  const { page } = watched;
  for (const width of [1366, 1920]) {
    await page.setViewportSize({ width, height: 844 });
    const hidden = await page
      .locator('.record-curve')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect([width, hidden]).toEqual([width, 0]);
  }
});

test('axe finds no fault in it', async () => {
  expect(await axeFaults(odd)).toEqual([]);
});

test('the proof of the record stands on one page, wherever it begins', async () => {
  const begins = Array.from({ length: Math.ceil(PAGE_MM / STEP_MM) }, (_, index) => STEP_MM * index);
  await odd.locator('.record').evaluate((record, heights) => {
    const proof = record.querySelector('.record-proof');
    record.replaceChildren();
    for (const mm of heights) {
      const above = document.createElement('div');
      above.style.cssText = `break-before: page; height: ${mm}mm`;
      if (proof) record.append(above, proof.cloneNode(true));
    }
  }, begins);
  const printed = await readPdf(await odd.pdf({ preferCSSPageSize: true }));
  const found = printed.filter(({ text }) => text.includes('Como conferir'));
  // The link stands in the proof and in the foot of that page.
  expect(found.map(({ text }) => text.match(/último elo\s*\d+:/g)?.length)).toEqual(begins.map(() => 2));
});

test('a minute of an exercise is replayed like that of a match, and is marked SIMULADO', async () => {
  const { page } = await openDeskPage(browser, url);
  const alarm = page.locator('.log-row[data-kind="alarm"]', { hasText: 'SUL DORIL' }).last();
  // The mark stands once, and on no row.
  expect(await page.locator('.demonstration').innerText()).toBe('SIMULADO');
  expect(await alarm.innerText()).not.toContain('SIMULADO');
  const minute = await alarm.locator('.log-time').innerText();
  await alarm.locator('.log-time').click();
  await expectReplayed(page, minute);
  expect(await wordsOf(page, '.replay-head')).toContain('SIMULADO');
  expect(await wordsOf(page, '.alarm')).toContain('sem acessos registrados');
  const noted = await noteReplayed(page);
  await page.getByRole('button', { name: '×60' }).click();
  await until(async () => expect((await noted()).length).toBeGreaterThan(2));
});

describe('without a session', () => {
  const stranger = openForAll(() => newPage(browser));

  test('the desk of an exercise is marked as one', async () => {
    await stranger.page.goto(`${url}/fluxo`);
    expect(await stranger.page.locator('.demonstration').innerText()).toBe('SIMULADO');
  });

  test('the record states where to sign in', async () => {
    const { page } = stranger;
    await page.goto(`${url}/fluxo/registro`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toMatch(/Entre na mesa de fluxo/);
    expect(await page.getByRole('link', { name: 'Entre na mesa' }).getAttribute('href')).toBe('/fluxo');
  });
});

/** Removes white space, as lines end elsewhere on paper. */
function plain(text: string): string {
  return text.replaceAll(/[\s\u00ad]+/g, '');
}
