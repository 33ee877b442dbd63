import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { DEFAULT_VENUE } from '../../../domain/venue.ts';
import { VIEWS } from '../../../testing/gallery/views.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { sizes } from '../../../testing/browser/layout.ts';
import { changeStandIn, openGallery } from '../../../testing/browser/open-gallery.ts';
import { until } from '../../../testing/until.ts';
import { formatCount } from '../../../page/design/number-format.ts';

const gallery = openForAll(openGallery);

/** Reads name, admissions, share, rate of the last minute and mean of five of each row. */
function readRows(page: Page): Promise<(string | undefined)[][]> {
  return page
    .locator('.rows tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        ['.row-name', '.row-admitted span', '.row-admitted small', '.row-rate', '.row-rate + .row-rate'].map(
          (part) => row.querySelector(part)?.textContent ?? undefined,
        ),
      ),
    );
}

test('thirteen rows in the wall’s order have the rates of the minutes', async () => {
  const page = await gallery.show('match');
  const lastFive = VIEWS.match.open().view().minutes.slice(-5);
  expect(await readRows(page)).toEqual(
    DEFAULT_VENUE.sectors.map(({ name }, place) => {
      const rates = lastFive.map(
        ({ sectors }) => (sectors[place]?.net ?? NaN) - (sectors[place]?.lots ?? NaN),
      );
      const admitted = lastFive.at(-1)?.sectors[place]?.admitted ?? NaN;
      return [
        name,
        formatCount(admitted),
        `${Math.floor((100 * admitted) / 400)}% de 400`,
        String(rates.at(-1)),
        String(Math.round(rates.reduce((sum, rate) => sum + rate, 0) / 5)),
      ];
    }),
  );

  const button = page.getByRole('button', { name: 'SUL DORIL' });
  await button.press('Enter');
  const panel = page.getByRole('region', { name: 'SUL DORIL' });
  await panel.getByRole('img', { name: 'acessos ao longo do tempo · SUL DORIL' }).waitFor();
  expect(await panel.locator('dl').innerText()).toContain('válidos\n400\n');
  // Esc first clears the selected minute, then closes the sector, and the focus returns to its row.
  await panel.getByRole('slider').press('ArrowLeft');
  await page.keyboard.press('Escape');
  expect(await panel.count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.getByRole('img', { name: 'acessos ao longo do tempo · estádio' }).waitFor();
  expect(await button.evaluate((row) => row === document.activeElement)).toBe(true);
});

test('readings that were taken back are named in a word that is not broken', async () => {
  for (const [width, height] of sizes('390×844 900×1200 1366×768 1920×1080')) {
    const page = await gallery.show('match', { viewport: { width, height } });
    await changeStandIn(page, (standIn) => {
      const { state, ...view } = standIn.view();
      const rows = state.rows.map((row) => ({ ...row, lastMinute: -2, lastFive: -3 }));
      standIn.view = () => ({ ...view, state: { ...state, rows } });
    });
    const units = page.locator('.row-rate small');
    await until(async () => expect(await units.count()).toBe(26));
    const lines = await units.evaluateAll((words) =>
      words.map((word) => {
        const letters = document.createRange();
        letters.selectNodeContents(word);
        return letters.getClientRects().length;
      }),
    );
    expect([width, Math.max(...lines)]).toEqual([width, 1]);
  }
});

test('a rate of three digits that is at least so many stands on one line, beside nothing that it touches', async () => {
  for (const [width, height] of sizes('390×844 900×1200 1200×800 1366×768 1536×864 1880×900 1920×1080')) {
    const page = await gallery.show('unread-sectors', { viewport: { width, height } });
    const heights = () =>
      page
        .locator('.rows tbody tr')
        .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)));
    await page.locator('.row-rate-doubt').first().waitFor();
    const before = await heights();
    await changeStandIn(page, (standIn) => {
      const { state, ...view } = standIn.view();
      const rows = state.rows.map((row) => ({ ...row, lastMinute: 107, lastFive: 888 }));
      standIn.view = () => ({ ...view, state: { ...state, rows } });
    });
    await until(async () => expect(await page.locator('.row-rate', { hasText: '107' }).count()).toBe(13));
    expect([width, await heights()]).toEqual([width, before]);
    const rooms = await page.locator('.rows td:has(.row-rate-doubt)').evaluateAll((cells) =>
      cells.map((cell) => {
        const end = (element: Element | null) =>
          Math.max(
            ...[...(element?.childNodes ?? [])]
              .filter((node) => !(node instanceof Element && node.matches('.row-rate-doubt')))
              .map((node) => {
                const words = document.createRange();
                words.selectNodeContents(node);
                return words.getBoundingClientRect().right;
              }),
          );
        const { left = NaN } = cell.querySelector('.row-rate-doubt')?.getBoundingClientRect() ?? {};
        const { right } = cell.getBoundingClientRect();
        return [Math.round(left - end(cell.previousElementSibling)), Math.round(right - end(cell))];
      }),
    );
    expect([width, rooms.length]).toEqual([width, 4]);
    for (const room of rooms) expect([width, Math.min(...room) >= 1]).toEqual([width, true]);
  }
});

test('a row of many is no higher with two states and five digits than without', async () => {
  const page = await gallery.show('arena-grande');
  const rows = page.locator('.rows tbody tr');
  await until(async () => expect(await rows.count()).toBe(33));
  const heights = () =>
    rows.evaluateAll((all) => all.map((row) => Math.ceil(row.getBoundingClientRect().height)));
  const before = await heights();
  await changeStandIn(page, (standIn) => {
    const [first, second, third] = standIn.view().sectors.map(({ code }) => code);
    const sinceMs = standIn.view().state.nowMs - 60_000;
    const mark = { kind: 'mark', sinceMs } as const;
    standIn.command({ ...mark, id: 'a', sector: first ?? '', mark: 'suspended' }, 'Bia');
    standIn.command({ ...mark, id: 'b', sector: first ?? '', mark: 'unscanned' }, 'Bia');
    standIn.command({ ...mark, id: 'c', sector: second ?? '', mark: 'suspended' }, 'Bia');
    standIn.permit(second ?? '', (admitted) => admitted);
    standIn.permit(third ?? '', (admitted) => admitted);
    const { state, ...view } = standIn.view();
    const large = state.rows.map((row) => ({ ...row, admitted: 12_345, capacity: 12_345 }));
    standIn.view = () => ({ ...view, state: { ...state, rows: large } });
  });
  await until(async () => expect(await rows.locator('.caveat').count()).toBe(3));
  expect(await heights()).toEqual(before);
});

test.each(['campo-pequeno', 'arena-grande'] as const)(
  'the rows of venues/%s.json, and the others behind them',
  async (view) => {
    const page = await gallery.show(view);
    const { state, sectors } = VIEWS[view].open().view();
    const shown = state.rows.slice(0, -1);
    const names = sectors.map(({ name }) => name);
    expect((await readRows(page)).map((row) => row.slice(0, 3))).toEqual([
      ...shown.map(({ admitted, capacity, valid }, place) => [
        names[place],
        formatCount(admitted),
        `${Math.floor((100 * admitted) / (capacity ?? valid))}% de ${formatCount(capacity ?? valid)}`,
      ]),
      ['fora destes setores', '1', undefined],
    ]);
    expect(await page.locator('.rows-legend').innerText()).toMatch(
      shown.some(({ capacity }) => capacity !== null)
        ? /^barra e %: da lotação permitida/
        : /^barra e %: dos ingressos válidos/,
    );
    const widths = await page
      .locator('.row-bar-in')
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('width'))));
    const expected = shown.map(({ admitted, capacity, valid }) => (100 * admitted) / (capacity ?? valid));
    expect(widths.map((width) => width.toFixed(6))).toEqual(expected.map((width) => width.toFixed(6)));

    await page.setViewportSize({ width: 390, height: 844 });
    const heights = await page
      .locator('.row-name')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);

    // The opened panel scrolls into view, far above in the single column.
    await page.locator('.row-name').first().click();
    const panel = page.getByRole('region', { name: names[0] ?? '', exact: true });
    await until(async () => {
      const box = await panel.boundingBox();
      expect(box?.y).toBeGreaterThan(-1);
      expect(box?.y).toBeLessThan(100);
    });
  },
);
