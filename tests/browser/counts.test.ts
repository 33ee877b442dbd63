import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { createTestDatabase, insertTickets, setEntered } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { newPage, openLivePage, type TestPage } from '../../testing/browser/test-page.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { STAGE_MS } from '../../board/page/flashes.ts';

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
/** This many changes take several times the pause between two drawings of a hidden page. */
const SEEN_CHANGES = 150;
const UNKNOWN_CODES = ['10', '04', ' 4', ''];

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database));
const browser = openForAll(openBrowser);
const watched = openForAll(() => openLivePage(browser, server.url));

beforeAll(() => watched.page.locator('tbody').waitFor());

/** Waits for exactly these counts; sectors that are not named have 0. */
async function expectScreen(total: string, bySector: Record<string, string> = {}): Promise<void> {
  await watched.expectTotal(total);
  expect(await watched.rows()).toEqual(ROWS.map(([code, name]) => [name, bySector[code] ?? '0']));
}

/** Records the rows whose cells begin to flash from now on, in order. */
async function noteFlashes({ page }: TestPage): Promise<() => Promise<string[]>> {
  await page.locator('tbody').evaluate((rows) => {
    const flashed: string[] = [];
    new MutationObserver((mutations) => {
      for (const { target } of mutations) {
        const cell = target as Element;
        if (cell.getAttribute('data-flash') === '0')
          flashed.push(cell.parentElement?.firstChild?.textContent ?? '');
      }
    }).observe(rows, { subtree: true, attributes: true, attributeFilter: ['data-flash'] });
    Object.assign(globalThis, { flashed });
  });
  return () => page.evaluate(() => (globalThis as unknown as { flashed: string[] }).flashed);
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

  test('one ticket entered with the code of a row raises that row and the total, and nothing else', async () => {
    await insertTickets(database.gates, { outside: Object.fromEntries(ROWS.map(([code]) => [code, code])) });
    const flashed = await noteFlashes(watched);
    const bySector: Record<string, string> = {};
    for (const [index, [code]] of ROWS.entries()) {
      await setEntered(database.gates, code, true);
      bySector[code] = '1';
      await expectScreen(String(index + 1), bySector);
    }
    expect(await flashed()).toEqual(ROWS.map(([, name]) => name));
    await database.gates`delete from tickets`;
    await expectScreen('0');
  });

  test('counts an invalid ticket that entered', async () => {
    await insertTickets(database.gates, [{ id: 'invalid', setor: '4', valid: false }]);
    await setEntered(database.gates, 'invalid', true);
    await expectScreen('1', { '4': '1' });
  });

  test('counts unknown codes in the total only, and states them below the table', async () => {
    for (const setor of UNKNOWN_CODES) {
      await insertTickets(database.gates, { inside: { odd: setor } });
      await expectScreen('2', { '4': '1' });
      expect(await watched.page.locator('.others').innerText()).toBe('1 entrou fora destes setores');
      await database.gates`delete from tickets where id = 'odd'`;
      await expectScreen('1', { '4': '1' });
      expect(await watched.page.locator('.others').count()).toBe(0);
    }
  });

  test('subtracts a reverted entry', async () => {
    await setEntered(database.gates, 'invalid', false);
    await expectScreen('0');
  });

  test("does not count another event's ticket", async () => {
    await insertTickets(database.gates, [{ id: 'other', setor: '4', entrou: true, eventId: 'f'.repeat(32) }]);
    await insertTickets(database.gates, { inside: { ours: '8' } });
    await expectScreen('1', { '8': '1' });
  });

  test('groups thousands as in Brazil, and has the number for machines', async () => {
    await database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 'many' || n, true, true, '7' from generate_series(1, 31481) n`;
    await expectScreen('31.482', { '7': '31.481', '8': '1' });
    expect(await watched.page.locator('.total data').getAttribute('value')).toBe('31482');
    expect(await watched.page.locator('tbody data[value="31481"]').count()).toBe(1);
  });
});

describe('a count cell flashes', () => {
  test('when its value changes, and no other cell does', async () => {
    // A change during the first stage of a flash begins no other.
    await until(async () => expect(await watched.page.locator('td[data-flash]').count()).toBe(0));
    const flashed = await noteFlashes(watched);
    await setEntered(database.gates, 'many1', false);
    await until(async () => expect(await flashed()).toEqual(['SUL DORIL']));
  });

  test('however often its value changes between two paints', async () => {
    await insertTickets(database.gates, { outside: { twice1: '6', twice2: '6' } });
    const row = watched.page.locator('tbody tr', { hasText: 'CAMAROTES' });
    await until(async () => expect(await row.locator('td[data-flash]').count()).toBe(0));
    const flashed = await noteFlashes(watched);
    // The page is busy while two frames arrive.
    const heldUp = watched.page.evaluate(() => {
      const endMs = performance.now() + 400;
      while (performance.now() < endMs);
    });
    await setEntered(database.gates, 'twice1', true);
    await watched.page.waitForTimeout(60);
    await setEntered(database.gates, 'twice2', true);
    await heldUp;
    await until(async () => expect(await flashed()).toEqual(['CAMAROTES']));
  });
});

describe('while its clock stands still, a page', () => {
  const paused = openForAll(() => newPage(browser));
  const cell = () => paused.page.locator('tbody tr', { hasText: 'SUL DORIL' }).locator('td');

  beforeAll(async () => {
    await paused.page.clock.install();
    await paused.goLive(server.url);
    await paused.page.locator('tbody').waitFor();
    // On a slow machine that second may be over by then.
    await until(async () =>
      paused.page.clock.pauseAt((await paused.page.evaluate(() => Date.now())) + 1_000),
    );
  });

  /** With a clock ahead of the server's, the page would take messages for late. */
  async function runFor(ms: number): Promise<void> {
    await pause(ms);
    await paused.page.clock.runFor(ms);
  }

  const expectStage = (stage: string | null): Promise<void> =>
    until(async () => expect(await cell().getAttribute('data-flash')).toBe(stage));

  /** Takes back an entry, and waits until its sector's cell flashes from the peak. */
  async function takeBack(id: string): Promise<void> {
    await setEntered(database.gates, id, false);
    await until(async () => {
      // Counts that come while the page draws others wait for its clock.
      await paused.page.clock.runFor(5);
      expect(await cell().getAttribute('data-flash')).toBe('0');
    });
  }

  /** The colours of each stage, from the peak to the end, a third of a second after its start. */
  async function looksOfStages(): Promise<string[]> {
    const looks: string[] = [];
    await runFor(1_000 / 3);
    for (const stage of ['0', '1', '2', '3', null]) {
      await expectStage(stage);
      looks.push(
        await cell()
          .locator('data')
          .evaluate((data) => {
            const { backgroundColor, color } = getComputedStyle(data);
            return `${backgroundColor} ${color}`;
          }),
      );
      await runFor(STAGE_MS);
    }
    return looks;
  }

  test('flashes in stages, without any movement: filled at first, then in a colour that fades into that of the others', async () => {
    await takeBack('many101');
    expect(await paused.page.evaluate(() => document.getAnimations().length)).toBe(0);
    // A peak lasts at least a third of a second, so that a cell never pulses more than three times a second.
    const [peak, ...fading] = await looksOfStages();
    expect(peak).toMatch(/^rgb\(255, 2\d\d, \d+\) /);
    expect(fading.every((looks) => looks.startsWith('rgba(0, 0, 0, 0) '))).toBe(true);
    expect(new Set(fading).size).toBe(fading.length);
  });

  test('flashes again in mid-flash, from its peak', async () => {
    await takeBack('many201');
    // The first stage of fading may wait for other counts.
    await runFor(1.5 * STAGE_MS);
    await expectStage('1');
    // The cell goes from a stage of fading right to the peak.
    await takeBack('many202');
    expect(await looksOfStages()).toHaveLength(5);
  });
});

test('sector documents go to the console at first and at every change, and nowhere else', async () => {
  const logged = (): string[] => watched.console.filter((line) => line.startsWith('sectors'));
  const before = logged().length;
  expect(before).toBeGreaterThanOrEqual(1);
  /** The markup without flashes and announcements, which change by themselves. */
  const drawn = async (): Promise<string> => {
    const html = await watched.page.locator('main').innerHTML();
    expect(html).not.toContain('setor-novo');
    return html.replaceAll(/ data-flash="\w+"/g, '').replace(/role="status">.*?</, '');
  };
  const html = await drawn();
  await database.gates`insert into sectors values (${DEFAULT_EVENT_ID}, '4', ${database.gates.json({ nome: 'setor-novo' })})`;
  await until(() => expect(logged().length).toBe(before + 1));
  expect(await drawn()).toBe(html);
});

describe('a page that has just been opened', () => {
  const fresh = openForAll(() => newPage(browser));

  test('flashes neither on its first values nor on coming back from stale with the same; it counts the valid tickets once, and shows them nowhere', async () => {
    const asked = (): number =>
      fresh.requests.filter((line) => line.includes('/tickets/count?isValidTicket=true')).length;
    await fresh.goLive(server.url);
    await fresh.page.locator('tbody').waitFor();
    const flashed = await noteFlashes(fresh);
    expect(await fresh.page.locator('td[data-flash]').count()).toBe(0);
    await until(() => expect(asked()).toBe(1));
    await goOfflineAndBack(fresh);
    expect(await flashed()).toEqual([]);
    expect(asked()).toBe(1);
    await fresh.page.reload();
    await until(() => expect(asked()).toBe(2));
  });

  test('announces the total politely once it is live, not at every tick, in words of its own', async () => {
    const region = fresh.page.locator('[role=status], [aria-live]');
    await fresh.page.reload();
    await region.waitFor({ state: 'attached' });
    // A second after the first total, when it would be announced, the page is not live.
    await fresh.page.context().setOffline(true);
    await fresh.expectStatus(/^sem conexão/);
    await fresh.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_500)));
    await fresh.page.context().setOffline(false);
    await until(async () => expect(await region.innerText()).toMatch(/\d/));
    const first = await region.innerText();
    expect(first).not.toMatch(/acessos|total|carregando|conectando|ao vivo|Setor/i);
    const before = await fresh.total();
    await setEntered(database.gates, 'many6', false);
    await until(async () => expect(await fresh.total()).not.toBe(before));
    expect(await region.innerText()).toBe(first);
    await fresh.page.route('**/live*', () => {});
    await fresh.page.reload();
    await fresh.page.locator('table').waitFor();
    expect(await region.count()).toBe(0);
  });
});

test('in a window that nobody sees, which has no display frames, all is drawn, every 100 ms at the most', async () => {
  const unseen = await newPage(browser);
  await unseen.page.addInitScript(() => {
    const drawnAtMs: number[] = [];
    Object.assign(globalThis, { drawnAtMs, requestAnimationFrame: () => 1 });
    new MutationObserver((changes) => {
      const isTotal = changes.some(({ target }) => target.parentElement?.closest('.total'));
      if (isTotal) drawnAtMs.push(performance.now());
    }).observe(document, { subtree: true, characterData: true });
  });
  await unseen.goLive(server.url);
  const before = Number((await unseen.total()).replace('.', ''));
  const drawn = (): Promise<number[]> =>
    unseen.page.evaluate(() => (globalThis as unknown as { drawnAtMs: number[] }).drawnAtMs);
  let changes = 0;
  // A fast machine commits this many changes before three drawings.
  while (changes < SEEN_CHANGES || (changes < 4 * SEEN_CHANGES && (await drawn()).length <= 2)) {
    changes += 1;
    await setEntered(database.gates, `many${1_000 + changes}`, false);
  }
  await unseen.expectTotal((before - changes).toLocaleString('pt-BR'));
  const drawnAtMs = await drawn();
  expect(drawnAtMs.length).toBeGreaterThan(2);
  const tookMs = (drawnAtMs.at(-1) ?? 0) - (drawnAtMs[0] ?? 0);
  expect(drawnAtMs.length).toBeLessThanOrEqual(2 + tookMs / 100);
});
