import type { Browser } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';
import { freePort } from '../../testing/server/free-port.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { newPage, type TestPage } from '../../testing/browser/test-page.ts';
import { createTestDatabase, type TestDatabase, insertTickets } from '../../testing/database/database.ts';
import { startHttpProxy } from '../../testing/server/http-proxy.ts';
import { startTestServer, type TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { writeVenueFile } from '../../testing/server/venues.ts';

/** The rows of both have the same codes; what stands in them differs. */
const LEFT = venueOf(['1', 'NORTE', 'n'], ['2', 'SUL', 's']);
const RIGHT = venueOf(['1', 'LESTE', 's'], ['2', 'OESTE', 'n'], ['3', 'CAMAROTES', 'c']);
/** Three entered with the code n, seven with s, one with another. */
const RIGHT_ROWS = [
  ['LESTE', '7'],
  ['OESTE', '3'],
  ['CAMAROTES', '0'],
];
const LEFT_ROWS = [
  ['NORTE', '3'],
  ['SUL', '7'],
];
const TRUE_PAIRS = new Set([...LEFT_ROWS, ...RIGHT_ROWS].map((pair) => pair.join(' ')));

function venueOf(...rows: [code: string, name: string, ticketCode: string][]): Venue {
  return {
    name: 'Arena',
    sectors: rows.map(([code, name, ticketCode]) => ({ code, name, stand: name, codes: [ticketCode] })),
  };
}

let database: TestDatabase;
let browser: Browser;

beforeAll(async () => {
  database = await createTestDatabase();
  const ticket = (setor: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `${setor}${n}`, setor, entrou: true }));
  await insertTickets(database.gates, [...ticket('n', 3), ...ticket('s', 7), ...ticket('x', 1)]);
  browser = await openBrowser();
});

function serve(venue: Venue | undefined, port?: number): Promise<TestServer> {
  return startTestServer(database, {
    ...(port !== undefined && { PORT: String(port) }),
    ...(venue && { VENUE_FILE: writeVenueFile(venue) }),
  });
}

/** A page that renews itself without waiting, and tells every row that it shows, and every total. */
interface RecordedPage extends TestPage {
  readonly shownRows: ReadonlySet<string>;
  readonly shownTotals: ReadonlySet<string>;
  readonly loads: () => number;
}

async function watchPage(): Promise<RecordedPage> {
  const watched = await newPage(browser);
  const { page } = watched;
  const [shownRows, shownTotals] = [new Set<string>(), new Set<string>()];
  let loads = 0;
  page.on('framenavigated', () => (loads += 1));
  await page.exposeFunction('tell', (shown: string[], total: string) => {
    for (const row of shown) shownRows.add(row);
    shownTotals.add(total);
  });
  await page.addInitScript(`{
    Math.random = () => 0.01;
    new MutationObserver(() => {
      const rows = [...document.querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent).join(' '));
      tell(rows, document.querySelector('.total')?.textContent ?? '');
    }).observe(document, { subtree: true, childList: true, characterData: true });
  }`);
  return { ...watched, shownRows, shownTotals, loads: () => loads };
}

function expectTrue({ shownRows, shownTotals }: RecordedPage): void {
  const known = new Set([...TRUE_PAIRS, ...DEFAULT_PAIRS]);
  expect([...shownRows].filter((row) => !row.endsWith('–') && !known.has(row))).toEqual([]);
  expect([...shownTotals].filter((total) => /\d/.test(total) && total !== '11')).toEqual([]);
}

/** Nobody entered with a code of the default venue. */
const DEFAULT_ROWS = DEFAULT_VENUE.sectors.map(({ name }) => [name, '0']);
const DEFAULT_PAIRS = DEFAULT_ROWS.map((pair) => pair.join(' '));

test('a page whose server comes back with another venue, the default one too, keeps its session, joins no counts with other rows, and renews itself', async () => {
  const port = await freePort();
  let server = await serve(undefined, port);
  const watched = await watchPage();
  const { page, loads } = watched;
  await page.goto(server.url);
  await until(async () => expect(await watched.rows()).toEqual(DEFAULT_ROWS));
  for (const [place, [venue, rows]] of (
    [
      [LEFT, LEFT_ROWS],
      [RIGHT, RIGHT_ROWS],
      [undefined, DEFAULT_ROWS],
    ] as const
  ).entries()) {
    await server.stop();
    server = await serve(venue, port);
    await until(async () => {
      expect(await watched.rows()).toEqual(rows);
      expect(await watched.status()).toBe('ao vivo');
    }, 30_000);
    expect(await watched.total()).toBe('11');
    // Of another build: it loads itself anew as well.
    await until(() => expect(loads()).toBe(2 + place), 40_000);
  }
  await until(async () => expect(await page.locator('.others').innerText()).toContain('11'));
  expectTrue(watched);
});

test('an answer of another venue from a cache costs no reload without end, and no wrong number', async () => {
  const server = await serve(RIGHT);
  const other = await serve(LEFT);
  const kept = await (await fetch(`${other.url}/config.json`)).text();
  const watched = await watchPage();
  const { page, loads } = watched;
  let asked = 0;
  await page.route('**/config.json', async (route) => {
    asked += 1;
    await route.fulfill({ body: kept, contentType: 'application/json' });
  });
  await page.goto(server.url);
  // It asks again and again, for the counts of rows that this server has not.
  await until(() => expect(asked).toBeGreaterThan(4));
  expect(await watched.total()).toBe('carregando...');
  expect(loads()).toBe(1);
  await page.unroute('**/config.json');
  await until(async () => expect(await watched.rows()).toEqual(RIGHT_ROWS), 30_000);
  expectTrue(watched);
});

test('two servers with different venues behind one address: each number stands in its own row', async () => {
  const servers = [await serve(LEFT), await serve(RIGHT)];
  let turn = 0;
  // Every call goes to the other one.
  const proxy = await startHttpProxy(() => servers[(turn += 1) % 2]?.url ?? 502);
  onTestFinished(() => proxy.close());
  const watched = await watchPage();
  const { page, loads } = watched;
  await page.goto(proxy.url);
  await until(async () => expect(await watched.total()).toBe('11'), 60_000);
  await until(async () => {
    const shown = JSON.stringify(await watched.rows());
    expect([JSON.stringify(LEFT_ROWS), JSON.stringify(RIGHT_ROWS)]).toContain(shown);
  });
  // Of each build it has tried the page at most once.
  expect(loads()).toBeLessThanOrEqual(3);
  expectTrue(watched);
});
