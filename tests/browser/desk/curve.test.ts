import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS, type Minute } from '../../../desk/model/series/minute.ts';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';
import { VIEWS } from '../../../testing/gallery/views.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { openGallery } from '../../../testing/browser/open-gallery.ts';
import { KICK_OFF_MS } from '../../../testing/desk/stand-in-desk.ts';
import { until } from '../../../testing/until.ts';

const TICKETS = 400;
const SECTORS = 13;
const QUARTER_MS = 15 * MINUTE_MS;
const GAP_MIN = [-48, -45] as const;

const gallery = openForAll(openGallery);

const admittedOf = ({ sectors }: Minute): number => sectors.reduce((sum, { admitted }) => sum + admitted, 0);
const netOf = ({ sectors }: Minute): number => sectors.reduce((sum, { net }) => sum + net, 0);
const lotsOf = ({ sectors }: Minute): number => sectors.reduce((sum, { lots }) => sum + lots, 0);

/** Formats a time in the event's zone, three hours behind UTC. */
function clock(ms: number): string {
  return new Date(ms - 3 * 60 * MINUTE_MS).toISOString().slice(11, 16);
}

interface Scale {
  toMs(x: number): number;
  toCount(y: number): number;
  toRate(y: number): number;
}

/** Reads the scales from two ticks of each axis. */
async function readScale(page: Page): Promise<Scale> {
  const { ticks, lines, axisY } = await page.evaluate(() => {
    const numberOf = (element: Element | null, name: string): number => Number(element?.getAttribute(name));
    const marks = [...document.querySelectorAll('.curve-drawing .curve-grid')].map((line) => ({
      y: numberOf(line, 'y1'),
      text: line.nextElementSibling?.textContent ?? '',
    }));
    const xOf = (kind: string): number =>
      numberOf(document.querySelector(`.curve-moment[data-kind="${kind}"]`), 'x1');
    return {
      ticks: marks,
      lines: { gates: xOf('gates'), kickOff: xOf('kick-off') },
      axisY: numberOf(document.querySelector('.curve-axis'), 'y1'),
    };
  });
  const countOf = (text: string): number =>
    Number(text.replace(' mil', '').replace('.', '')) * (text.endsWith('mil') ? 1_000 : 1);
  const between = (
    value: number,
    [a, b]: readonly [number, number],
    [from, to]: readonly [number, number],
  ): number => from + ((value - a) / (b - a)) * (to - from);
  const curveTicks = ticks.slice(
    0,
    ticks.findIndex(({ text }, index) => index > 0 && countOf(text) <= countOf(ticks[index - 1]?.text ?? '')),
  );
  const rateTick = ticks.at(-1);
  const [zero, top] = [curveTicks[0], curveTicks.at(-1)];
  if (!zero || !top || !rateTick) throw new Error('there are no ticks');
  return {
    toMs: (x) => between(x, [lines.gates, lines.kickOff], [KICK_OFF_MS - 120 * MINUTE_MS, KICK_OFF_MS]),
    toCount: (y) => between(y, [zero.y, top.y], [countOf(zero.text), countOf(top.text)]),
    toRate: (y) => between(y, [axisY, rateTick.y], [0, countOf(rateTick.text)]),
  };
}

/** The points of each line of a path. */
async function pointsOf(
  page: Page,
  selector: string,
): Promise<readonly (readonly (readonly [number, number])[])[]> {
  const path = (await page.locator(selector).getAttribute('d')) ?? '';
  return path
    .split('M')
    .filter(Boolean)
    .map((line) => line.split('L').map((pair) => pair.split(',').map(Number) as [number, number]));
}

describe('with twelve earlier matches and three unobserved minutes', () => {
  // The browser is in another time zone than the event.
  const match = openForAll(() => gallery.open('unwatched-minutes', { timezoneId: 'Asia/Tokyo' }));
  const { minutes } = VIEWS['unwatched-minutes'].open().view();
  let scale: Scale;
  const minuteMs = (min: number): number => KICK_OFF_MS + min * MINUTE_MS;

  beforeAll(async () => {
    scale = await readScale(match.page);
  });

  test('the line has the admissions of each minute, and a gap', async () => {
    const lines = await pointsOf(match.page, '.curve-line');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    const isWatched = ({ minuteMs: ms }: Minute): boolean =>
      ms < minuteMs(GAP_MIN[0]) || ms >= minuteMs(GAP_MIN[1]);
    const drawn = new Map(
      lines
        .flat()
        .map(([x, y]) => [Math.round((scale.toMs(x) - KICK_OFF_MS) / 6_000) / 10, scale.toCount(y)]),
    );
    let compared = 0;
    for (const minute of minutes.filter(isWatched)) {
      if (minute.minuteMs < minuteMs(-120)) continue;
      const end = (minute.minuteMs + MINUTE_MS - KICK_OFF_MS) / MINUTE_MS;
      const count = [...drawn].find(([min]) => Math.abs(min - end) < 0.25)?.[1];
      if (count === undefined) throw new Error(`there is no point at ${end}`);
      expect(Math.abs(count - admittedOf(minute))).toBeLessThan(0.005 * SECTORS * TICKETS);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(90);
    for (const min of [-47, -46])
      expect([...drawn.keys()].some((own) => Math.abs(own - min) < 0.25)).toBe(false);
    const [gap] = await match.page.locator('.curve-gap').all();
    const [x, width] = await Promise.all(
      ['x', 'width'].map(async (name) => Number(await gap?.getAttribute(name))),
    );
    expect(scale.toMs(x ?? 0)).toBeCloseTo(minuteMs(GAP_MIN[0]), -4.7);
    expect(scale.toMs((x ?? 0) + (width ?? 0))).toBeCloseTo(minuteMs(GAP_MIN[1]), -4.7);
    expect(await match.page.locator('.curve-drawing [data-kind="gap"]').textContent()).toBe('sem dados');
    expect((await pointsOf(match.page, '.curve-bridge')).length).toBeGreaterThanOrEqual(1);
  });

  test('each column has the admissions in a minute', async () => {
    const bars = await match.page
      .locator('.curve-bars rect')
      .evaluateAll((rects) =>
        rects.map((rect) => ['x', 'y', 'height'].map((name) => Number(rect.getAttribute(name)))),
      );
    for (const minute of minutes.slice(-20)) {
      const bar = bars.find(([x = 0]) => Math.abs(scale.toMs(x) - minute.minuteMs) < 0.3 * MINUTE_MS);
      expect(Math.abs(scale.toRate(bar?.[1] ?? 0) - (netOf(minute) - lotsOf(minute)))).toBeLessThan(3);
    }
    expect(bars.length).toBeGreaterThanOrEqual(
      minutes.filter(({ minuteMs: ms }) => ms >= minuteMs(-120)).length - 3,
    );
  });

  test('a minute is read out by keys and by the pointer, and all of them in a table', async () => {
    const { page } = match;
    const slider = page.getByRole('slider', { name: 'minuto da curva' });
    await slider.focus();
    await page.keyboard.press('Home');
    const first = minutes.find(
      ({ minuteMs: ms }) => ms >= Math.floor(minuteMs(-120) / QUARTER_MS) * QUARTER_MS,
    );
    const shown = await page.locator('.curve-reading').innerText();
    expect(minutes.slice(0, 20).map(({ minuteMs: ms }) => clock(ms))).toContain(shown.slice(0, 5));
    expect(shown.slice(0, 5) <= clock(first?.minuteMs ?? 0)).toBe(true);
    await page.keyboard.press('End');
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('PageDown');
    const text = await page.locator('.curve-reading').innerText();
    expect(await slider.getAttribute('aria-valuetext')).toBe(text);
    const minute = minutes.find(({ minuteMs: ms }) => text.startsWith(clock(ms)));
    if (!minute) throw new Error(text);
    expect(text).toMatch(
      `${clock(minute.minuteMs)} · ${admittedOf(minute).toLocaleString('pt-BR')} acessos · ${netOf(minute) - lotsOf(minute)} por minuto`,
    );
    await page.keyboard.press('Escape');
    expect(await page.locator('.curve-reading').innerText()).toMatch(/^aponte um minuto/);
    const box = await page.locator('.curve-gap').first().boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 20);
    await until(async () =>
      expect(await page.locator('.curve-reading').innerText()).toMatch(
        new RegExp(`^(${clock(minuteMs(-48))}|${clock(minuteMs(-47))}) · sem dados`),
      ),
    );
    await page.getByText('minutos em tabela').click();
    await page.locator('.curve-table tbody tr').first().waitFor();
    const rows = await page.locator('.curve-table tbody tr').allInnerTexts();
    const row = rows.find((own) => own.startsWith(clock(minute.minuteMs)));
    expect(row?.split('\t').slice(1, 3)).toEqual([
      admittedOf(minute).toLocaleString('pt-BR'),
      String(netOf(minute) - lotsOf(minute)),
    ]);
    // A number must not wrap.
    for (const width of [1920, 1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const broken = await page.locator('.curve-table').evaluate(
        (table) =>
          [...table.querySelectorAll('th, td:not(:last-child)')].filter((cell) => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
          }).length,
      );
      expect([width, broken]).toEqual([width, 0]);
    }
    await page.setViewportSize({ width: 1920, height: 1080 });
  });

  test('the chart has a name and a sentence', async () => {
    const chart = match.page.getByRole('img', { name: 'acessos ao longo do tempo · estádio' });
    expect(await chart.count()).toBe(1);
    const id = await chart.getAttribute('aria-describedby');
    const sentence = await match.page.locator(`[id="${id}"]`).innerText();
    const last = minutes.at(-1);
    expect(sentence).toContain(`${(last ? admittedOf(last) : 0).toLocaleString('pt-BR')} acessos até`);
    expect(sentence).toContain(`sem dados: ${clock(minuteMs(GAP_MIN[0]))}–${clock(minuteMs(GAP_MIN[1]))}`);
  });

  test('no label lies on another, nor leaves the chart, as the browser draws them', async () => {
    for (const width of [320, 390, 768, 1280, 1920]) {
      await match.page.setViewportSize({ width, height: 900 });
      await until(async () => {
        const found = await match.page.evaluate(() => {
          const chart = document.querySelector('.curve-drawing')?.getBoundingClientRect();
          const texts = [...document.querySelectorAll('.curve-drawing text')].map((text) => ({
            text: text.textContent,
            box: text.getBoundingClientRect(),
          }));
          const bad = texts.flatMap(({ text, box }, index) => [
            ...texts
              .slice(index + 1)
              .filter(
                (other) =>
                  box.left < other.box.right &&
                  other.box.left < box.right &&
                  box.top + 3 < other.box.bottom - 3 &&
                  other.box.top + 3 < box.bottom - 3,
              )
              .map((other) => `${text} on ${other.text}`),
            ...(chart && (box.left < chart.left - 1 || box.right > chart.right + 1)
              ? [`${text} outside`]
              : []),
          ]);
          return {
            bad,
            width: chart?.width ?? 0,
            scrolls: document.documentElement.scrollWidth > innerWidth,
            labels: texts.length,
          };
        });
        expect([width, found]).toEqual([width, { ...found, bad: [], scrolls: false }]);
        expect(found.width).toBeLessThan(width);
        expect(found.labels).toBeGreaterThan(8);
      });
    }
  });

  test('a row opens its own curve, of its own counts', async () => {
    const { page } = match;
    await page.setViewportSize({ width: 1920, height: 1080 });
    const place = 5;
    const { name } = DEFAULT_VENUE.sectors[place] ?? { name: '' };
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('img', { name: `acessos ao longo do tempo · ${name}` }).waitFor();
    const slider = page.getByRole('slider', { name: 'minuto da curva' });
    await slider.focus();
    await page.keyboard.press('PageDown');
    const text = await page.locator('.curve-reading').innerText();
    const minute = minutes.find(({ minuteMs: ms }) => text.startsWith(clock(ms)))?.sectors[place];
    expect(text).toContain(
      ` · ${minute?.admitted} acessos · ${(minute?.net ?? 0) - (minute?.lots ?? 0)} por minuto`,
    );
    expect(await page.locator('.curve-drawing text[data-kind="valid"]').textContent()).toContain(
      String(TICKETS),
    );
    expect(await page.locator('.curve-drawing [data-kind="usual"]').textContent()).toBe('média de 12 jogos');
    await page.getByRole('button', { name: 'ver o estádio todo' }).click();
    await page.getByRole('img', { name: 'acessos ao longo do tempo · estádio' }).waitFor();
  });
});
