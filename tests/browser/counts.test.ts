import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { launchBrowser } from '../../testing/browser.ts';
import { createTestDatabase, insertTickets, setEntered } from '../../testing/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { newPage, openLivePage, type TestPage } from '../../testing/test-page.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

/** Code and name, from the specification, in the order of the screen. */
const ROWS = [
  ['6', 'CAMAROTES'],
  ['11', 'LESTE INFERIOR CENTRAL'],
  ['1', 'LESTE INFERIOR LATERAL'],
  ['12', 'LESTE SUPERIOR CENTRAL'],
  ['2', 'LESTE SUPERIOR LATERAL'],
  ['4', 'NORTE'],
  ['5', 'OESTE INFERIOR CENTRAL'],
  ['13', 'OESTE INFERIOR CORNER'],
  ['3', 'OESTE INFERIOR LATERAL'],
  ['99', 'OESTE LOUNGE BRAHMA'],
  ['9', 'OESTE SUPERIOR'],
  ['7', 'SUL DORIL'],
  ['8', 'SUL VISITANTE'],
] as const;
const UNKNOWN_CODES = ['10', '04', ' 4', ''];

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database));
const browser = openForAll(launchBrowser);
const watched = openForAll(() => openLivePage(browser, server.url));

beforeAll(() => watched.page.locator('tbody').waitFor());

/** Waits for exactly these counts; sectors that are not named have 0. */
async function expectScreen(total: string, bySector: Record<string, string> = {}): Promise<void> {
  await watched.expectTotal(total);
  expect(await watched.rows()).toEqual(ROWS.map(([code, name]) => [name, bySector[code] ?? '0']));
}

/** Which rows' cells are flashing now. */
function flashing(): Promise<string[]> {
  return watched.page.locator('tbody tr:has(td[data-flash]) th').allInnerTexts();
}

/** That a cell goes through, in this order. */
const STAGES = ['0', '1', '2', '3', null];

/** A stage of a flash: when it began, in milliseconds, and how the number looked then. */
type Stage = Readonly<{ stage: string | null; atMs: number; looks: string }>;

/** Notes every stage that the cell of SUL DORIL goes through from now on. Returns them so far. */
async function noteStages({ page }: TestPage): Promise<() => Promise<Stage[]>> {
  const cell = page.locator('tbody tr', { hasText: 'SUL DORIL' }).locator('td');
  await cell.evaluate((element) => {
    const stages: Stage[] = [];
    new MutationObserver((mutations) => {
      if (!mutations.some(({ type }) => type === 'attributes')) return;
      const { backgroundColor, color } = getComputedStyle(element.querySelector('data') ?? element);
      const stage = element.getAttribute('data-flash');
      stages.push({ stage, atMs: performance.now(), looks: `${backgroundColor} ${color}` });
    }).observe(element, { attributes: true, attributeFilter: ['data-flash'] });
    Object.assign(globalThis, { stages });
  });
  return () => page.evaluate(() => (globalThis as unknown as { stages: Stage[] }).stages);
}

/** Waits until these rows' cells flash, and no other. */
function expectFlashing(...names: string[]): Promise<void> {
  return until(async () => expect(await flashing()).toEqual(names));
}

async function goOfflineAndBack(viewer: TestPage): Promise<void> {
  await viewer.page.context().setOffline(true);
  await viewer.expectStatus(/^sem conexão/);
  await viewer.page.context().setOffline(false);
  await viewer.expectStatus('ao vivo');
}

describe('the board', () => {
  test('shows zero, not "carregando...", for an event without a ticket', async () => {
    await expectScreen('0');
  });

  test('is headed "acessos"; its table is headed "total" with "Setor" and "Acessos" and has the thirteen names in order', async () => {
    expect(await watched.page.locator('caption').innerText()).toBe('total');
    expect(await watched.page.locator('thead th').allInnerTexts()).toEqual(['Setor', 'Acessos']);
    expect((await watched.rows()).map(([name]) => name)).toEqual(ROWS.map(([, name]) => name));
  });

  test.each(ROWS)(
    'one ticket entered with the code %s raises the row %s and the total, and nothing else',
    async (code, name) => {
      await expectFlashing();
      await insertTickets(database.gates, { outside: { one: code } });
      await setEntered(database.gates, 'one', true);
      await expectScreen('1', { [code]: '1' });
      expect(await flashing()).toEqual([name]);
      await database.gates`delete from tickets`;
      await expectScreen('0');
    },
  );

  test('counts an invalid ticket that entered', async () => {
    await insertTickets(database.gates, [{ id: 'invalid', setor: '4', valid: false }]);
    await setEntered(database.gates, 'invalid', true);
    await expectScreen('1', { '4': '1' });
  });

  test.each(UNKNOWN_CODES)(
    'counts the unknown code "%s" in the total only, and says so below the table',
    async (setor) => {
      await insertTickets(database.gates, { inside: { odd: setor } });
      await expectScreen('2', { '4': '1' });
      expect(await watched.page.locator('.others').innerText()).toBe('1 entrou fora destes setores');
      await database.gates`delete from tickets where id = 'odd'`;
      await expectScreen('1', { '4': '1' });
      expect(await watched.page.locator('.others').count()).toBe(0);
    },
  );

  test('subtracts a reverted entry', async () => {
    await setEntered(database.gates, 'invalid', false);
    await expectScreen('0');
  });

  test("does not count another event's ticket", async () => {
    await insertTickets(database.gates, [{ id: 'other', setor: '4', entrou: true, eventId: 'f'.repeat(32) }]);
    await insertTickets(database.gates, { inside: { ours: '8' } });
    await expectScreen('1', { '8': '1' });
  });

  test('groups thousands as in Brazil, and says the number to machines', async () => {
    await database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 'many' || n, true, true, '7' from generate_series(1, 31481) n`;
    await expectScreen('31.482', { '7': '31.481', '8': '1' });
    expect(await watched.page.locator('.total data').getAttribute('value')).toBe('31482');
    expect(await watched.page.locator('tbody data[value="31481"]').count()).toBe(1);
  });
});

describe('a count cell flashes', () => {
  test('when its value changes, and no other cell does', async () => {
    await expectFlashing();
    await setEntered(database.gates, 'many1', false);
    await expectFlashing('SUL DORIL');
  });

  test('in stages: filled at first, then in a colour that fades into that of the others', async () => {
    /** A page that gets no processor for a stage leaves it out, as it must: the next flash is looked at then. */
    const watchFlash = async (n: number): Promise<Stage[]> => {
      await expectFlashing();
      const stages = await noteStages(watched);
      await setEntered(database.gates, `many${100 + n}`, false);
      await until(async () => expect((await stages()).at(-1)?.stage).toBe(null));
      const seen = await stages();
      return seen.length < STAGES.length && n < 5 ? watchFlash(n + 1) : seen;
    };
    const [peak, ...fading] = await watchFlash(0);
    expect([peak, ...fading].map((stage) => stage?.stage)).toEqual(STAGES);
    expect(peak?.looks).toMatch(/^rgb\(255, 2\d\d, \d+\) /);
    expect(fading.every(({ looks }) => looks.startsWith('rgba(0, 0, 0, 0) '))).toBe(true);
    expect(new Set(fading.map(({ looks }) => looks)).size).toBe(fading.length);
    // A peak of a third of a second or more: it can never pulse more than three times a second.
    expect((fading[0]?.atMs ?? 0) - (peak?.atMs ?? 0)).toBeGreaterThan(1_000 / 3);
  });

  test('again in mid-flash, from its peak', async () => {
    /** A page that gets no processor for a while ends its flash before the second change arrives: then once more. */
    const flashTwice = async (n: number): Promise<(string | null)[]> => {
      await expectFlashing();
      const noted = await noteStages(watched);
      const stages = async () => (await noted()).map(({ stage }) => stage);
      await setEntered(database.gates, `many${200 + 2 * n}`, false);
      // As soon as it begins to fade: three stages are left for the second change to arrive.
      await until(async () => expect((await stages()).some((stage) => stage !== '0')).toBe(true));
      await setEntered(database.gates, `many${201 + 2 * n}`, false);
      await until(async () => expect((await stages()).filter((stage) => stage === '0')).toHaveLength(2));
      await until(async () => expect((await stages()).at(-1)).toBe(null));
      const seen = await stages();
      return seen.indexOf(null) < seen.lastIndexOf('0') && n < 5 ? flashTwice(n + 1) : seen;
    };
    const seen = await flashTwice(0);
    expect(seen.filter((stage) => stage === '0')).toHaveLength(2);
    // From a stage of fading right to the peak: never through the look of a calm cell.
    expect(seen.indexOf(null)).toBe(seen.length - 1);
  });

  test('however often its value changes between two paints', async () => {
    await expectFlashing();
    const stages = await noteStages(watched);
    // The page is held up while two frames arrive, one after the other.
    const heldUp = watched.page.evaluate(() => {
      const endMs = performance.now() + 400;
      while (performance.now() < endMs);
    });
    await setEntered(database.gates, 'many7', false);
    await watched.page.waitForTimeout(60);
    await setEntered(database.gates, 'many8', false);
    await heldUp;
    await until(async () => expect((await stages())[0]?.stage).toBe('0'));
  });

  test('not on the first value, and not on coming back from stale with the same number', async () => {
    const fresh = await openLivePage(browser, server.url);
    await fresh.page.locator('tbody').waitFor();
    expect(await fresh.page.locator('td[data-flash]').count()).toBe(0);
    await goOfflineAndBack(fresh);
    expect(await fresh.page.locator('td[data-flash]').count()).toBe(0);
  });

  test('without any movement', async () => {
    await setEntered(database.gates, 'many5', false);
    await expectFlashing('SUL DORIL');
    expect(await watched.page.evaluate(() => document.getAnimations().length)).toBe(0);
  });
});

test('sector documents go to the console at first and at every change, and nowhere else', async () => {
  const logged = (): string[] => watched.console.filter((line) => line.startsWith('sectors'));
  const before = logged().length;
  expect(before).toBeGreaterThanOrEqual(1);
  /** Without what flashes and what is read aloud, which change by themselves. */
  const drawn = async (): Promise<string> => {
    const html = await watched.page.locator('main').innerHTML();
    expect(html).not.toContain('setor-novo');
    return html.replaceAll(/ data-flash="\w+"/g, '').replace(/role="status">.*?</, '');
  };
  const html = await drawn();
  await database.gates`insert into sectors values (${DEFAULT_EVENT_ID}, '4', ${database.gates.json({ nome: 'setor-novo' })})`;
  await until(() => expect(logged().length).toBe(before + 1));
  await expectFlashing();
  expect(await drawn()).toBe(html);
});

test('the valid tickets are counted by exactly one request per load, and shown nowhere', async () => {
  const fresh = await newPage(browser);
  const asked = (): number =>
    fresh.requests.filter((line) => line.includes('/tickets/count?isValidTicket=true')).length;
  await fresh.goLive(server.url);
  await until(() => expect(asked()).toBe(1));
  await goOfflineAndBack(fresh);
  expect(asked()).toBe(1);
  await fresh.page.reload();
  await until(() => expect(asked()).toBe(2));
});

test('the total is announced politely, not at every tick, in words of its own', async () => {
  // A page of its own: the announcer speaks every 30 s, counted from the page's first total.
  const fresh = await newPage(browser);
  await fresh.page.goto(server.url);
  const region = fresh.page.locator('[role=status], [aria-live]');
  await until(async () => expect(await region.innerText()).not.toBe(''));
  const first = await region.innerText();
  expect(first).not.toMatch(/acessos|total|carregando|conectando|ao vivo|Setor/i);
  const before = await fresh.total();
  await setEntered(database.gates, 'many6', false);
  await until(async () => expect(await fresh.total()).not.toBe(before));
  expect(await region.innerText()).toBe(first);
  await fresh.page.route('**/live', () => {});
  await fresh.page.reload();
  await fresh.page.locator('table').waitFor();
  expect(await region.count()).toBe(0);
});
