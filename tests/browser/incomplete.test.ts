import { beforeEach, expect, test } from 'vitest';
import { openBrowser } from '../../testing/browser/browser.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { cutOff, placesOf, scrolls, sizes, wrappedNames } from '../../testing/browser/layout.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { newPage } from '../../testing/browser/test-page.ts';
import { until } from '../../testing/until.ts';
import { startWall } from '../../testing/browser/wall.ts';

const SECTORS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '11', '12', '13', '99'];
const TIME_ZONE = 'America/Sao_Paulo';
const at = (hours: number, minutes: number): number => Date.UTC(2026, 4, 3, hours + 3, minutes);
const ENDED = { row: '7', fromMs: at(18, 33), toMs: at(18, 40) };
const LASTING = { row: '4', fromMs: at(18, 52), toMs: null };

const wall = openForAll(() =>
  startWall(
    { ...Object.fromEntries(SECTORS.map((code) => [code, 2_422])), '04': 1 },
    { timeZone: TIME_ZONE },
  ),
);
const browser = openForAll(openBrowser);
const watched = openForAll(() => newPage(browser));

const badge = () => watched.page.locator('.incomplete');
const others = () => watched.page.locator('.others');
/** The rows with an incomplete count. */
const rowsAtLeast = async (): Promise<string[][]> =>
  (await watched.rows()).filter(([, count]) => count?.includes('no mínimo'));

beforeEach(async () => {
  await watched.page.context().setOffline(false);
  await watched.page.setViewportSize({ width: 1920, height: 1080 });
  await watched.goLive(wall.url);
  await watched.page.locator('tbody').waitFor();
  wall.sayIncomplete([]);
  await until(async () => expect(await badge().count()).toBe(0));
});

test('the total, its rows and the line below them state an incomplete count, until the mark is taken back as a mistake', async () => {
  const { page } = watched;
  // The announcement changes by itself.
  const drawn = async (): Promise<string> =>
    (await page.locator('main').innerHTML()).replace(/(role="status">)[^<]*/, '$1');
  const before = await drawn();
  wall.sayIncomplete([ENDED]);
  await until(async () => expect(await badge().innerText()).toBe('contagem incompleta: no mínimo'));
  expect(await watched.total()).toBe('31.487');
  expect(await page.locator('h2').innerText()).toBe('acessos');
  expect(await rowsAtLeast()).toEqual([['SUL DORIL', '2.422 no mínimo']]);
  expect(await others().innerText()).toBe(
    'contagem incompleta: SUL DORIL 18:33–18:40 · 1 entrou fora destes setores',
  );
  wall.sayIncomplete([ENDED, LASTING]);
  await until(async () => expect(await others().innerText()).toMatch(/18:33–18:40, NORTE desde 18:52 · /));
  expect((await rowsAtLeast()).map(([name]) => name)).toEqual(['NORTE', 'SUL DORIL']);
  wall.sayIncomplete([{ ...LASTING, row: null }]);
  await until(async () => expect(await rowsAtLeast()).toHaveLength(13));
  wall.sayIncomplete([{ row: null, fromMs: null, toMs: null }]);
  const unknown = /^sem o registro, não se sabe se todos foram lidos · /;
  await until(async () => expect(await others().innerText()).toMatch(unknown));
  expect(await badge().innerText()).toBe('contagem incompleta: no mínimo');
  expect(await rowsAtLeast()).toHaveLength(13);
  wall.sayIncomplete([]);
  await until(async () => expect(await drawn()).toBe(before));
});

test('the notice stays without a connection, and comes, read aloud as well, with the first total of a page that is opened later', async () => {
  const { page } = watched;
  wall.sayIncomplete([ENDED]);
  await badge().waitFor();
  await page.context().setOffline(true);
  await watched.expectStatus(/^sem conexão/);
  expect(await badge().count()).toBe(1);
  await page.context().setOffline(false);
  await watched.expectStatus('ao vivo');
  expect(await badge().count()).toBe(1);

  const later = await newPage(browser);
  await later.page.addInitScript(() => {
    const seen: boolean[] = [];
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      if (document.querySelector('.total data')) seen.push(document.querySelector('.incomplete') !== null);
      else if (document.querySelector('.incomplete')) seen.push(false);
    }).observe(document, { subtree: true, childList: true });
  });
  await later.goLive(wall.url);
  const seen = await later.page.evaluate<boolean[]>('seen');
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).not.toContain(false);
  const announcer = later.page.locator('.announcer');
  await until(async () => expect(await announcer.innerText()).toBe('Contagem incompleta: no mínimo 31.487'));
});

test.each(
  sizes(
    IS_FULL
      ? '320×640 360×640 390×844 568×320 844×390 1080×1920 1920×1080 2560×1080'
      : '320×640 844×390 1920×1080',
  ),
)('%i × %i, nothing is moved, cut off or covered by it', async (width, height) => {
  const { page } = watched;
  await page.setViewportSize({ width, height });
  const placed = async () => (await placesOf(page)).filter((place) => !place.startsWith('others'));
  const before = await placed();
  wall.sayIncomplete([ENDED, LASTING]);
  await badge().waitFor();
  expect(await placed()).toEqual(before);
  expect((await scrolls(page)).sideways).toBe(false);
  expect(await cutOff(page)).toEqual([]);
  expect(await wrappedNames(page)).toEqual([]);
  // One line on a wall, which nobody scrolls.
  expect((await scrolls(page)).down && width === 1920).toBe(false);
  const covered = await page.evaluate(() => {
    const text = (selector: string): DOMRect | undefined => {
      const element = document.querySelector(selector);
      if (!element) return undefined;
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect();
    };
    const own = document.querySelector('.incomplete')?.getBoundingClientRect();
    const heading = text('.admitted h2');
    const total = text('.total data');
    if (!own || !heading || !total) return ['nothing there'];
    const rows = document.querySelector('tbody')?.getBoundingClientRect();
    const meets = (other: DOMRect | undefined): boolean =>
      other !== undefined &&
      own.left < other.right &&
      own.right > other.left &&
      own.top < other.bottom &&
      own.bottom > other.top;
    const names = [...document.querySelectorAll('tbody tr')].flatMap((row) => {
      const mark = row.querySelector('.at-least')?.getBoundingClientRect();
      const name = document.createRange();
      name.selectNodeContents(row.querySelector('th') as Element);
      return mark && mark.left < name.getBoundingClientRect().right ? [row.textContent ?? ''] : [];
    });
    return [
      ...(meets(heading) ? ['heading'] : []),
      ...(meets(rows) ? ['rows'] : []),
      ...(own.right > innerWidth || own.left < 0 ? ['edge'] : []),
      ...names,
    ];
  });
  expect(covered).toEqual([]);
});
