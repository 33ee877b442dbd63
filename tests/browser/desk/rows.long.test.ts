import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { MINUTE_MS, minuteOf } from '../../../domain/flow/minute.ts';
import { DEFAULT_VENUE, type Sector } from '../../../domain/venue.ts';
import { formatCount } from '../../../web/design/number-format.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { createTestDatabase } from '../../../testing/database.ts';
import { deskSettings } from '../../../testing/desk-app.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { PROJECT_ROOT } from '../../../testing/project-root.ts';
import { startTestServer, untilReady } from '../../../testing/test-server.ts';
import { until } from '../../../testing/until.ts';

const browser = openForAll(launchBrowser);

/** Of each row of the desk: name, admitted, share, rate of the last minute, mean of five. */
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

test(
  'thirteen rows in the wall’s order, whose rates are those of a recount of the record',
  async () => {
    const { server, database } = await startDeskMatch({ earlierMatches: 3, beginsEarly: true });
    const { page } = await openDeskPage(browser, server.url);
    expect((await readRows(page)).map(([name]) => name)).toEqual(await namesOfWall(server.url));
    await until(async () => {
      const shown = await readRows(page);
      const minutes = await database.admin<
        { sector: string; last: number; five: number; admitted: number }[]
      >`
      select sector, sum(net - lots) filter (where minute = newest)::int as last,
        case when count(*) = 5 then (sum(net - lots) / 5.0)::float8 end as five,
        max(admitted) filter (where minute = newest)::int as admitted
      from triagem.minutes, (select to_timestamp(${minuteOf(Date.now()) / 1_000}) - interval '1 minute') as last (newest)
      where event_id = ${DEFAULT_EVENT_ID} and minute between newest - interval '4 minutes' and newest
      group by sector`;
      const counted = DEFAULT_VENUE.sectors.map(({ code }) => minutes.find(({ sector }) => sector === code));
      expect(counted).not.toContain(undefined);
      expect(shown.map(([, admitted, , last, five]) => [admitted, last, five])).toEqual(
        counted.map((row) => [
          String(row?.admitted),
          String(row?.last),
          String(Math.round(row?.five ?? NaN)),
        ]),
      );
    }, 2 * MINUTE_MS);

    const button = page.getByRole('button', { name: 'SUL DORIL' });
    await button.press('Enter');
    const panel = page.getByRole('region', { name: 'SUL DORIL' });
    await panel.getByRole('img', { name: 'acessos ao longo do tempo · SUL DORIL' }).waitFor();
    const [, , admitted] = (await readRows(page)).find(([name]) => name === 'SUL DORIL') ?? [];
    expect(await panel.locator('dl').innerText()).toContain(`válidos\n${admitted?.split(' de ')[1]}`);
    // Esc leaves a minute of the curve first, then the sector; whoever opened it is back at its row.
    await panel.getByRole('slider').press('ArrowLeft');
    await page.keyboard.press('Escape');
    expect(await panel.count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('img', { name: 'acessos ao longo do tempo · estádio' }).waitFor();
    expect(await button.evaluate((row) => row === document.activeElement)).toBe(true);

    await server.stop();
    await page.locator('.rows').getByText('sem dados desde').waitFor();
    expect((await readRows(page)).map(([, , , ...rates]) => rates)).toEqual(
      DEFAULT_VENUE.sectors.map(() => ['–', '–']),
    );
  },
  3 * MINUTE_MS,
);

test.each(['campo-pequeno', 'arena-grande'])(
  'the rows of venues/%s.json, with who is in no sector behind them',
  async (name) => {
    const file = join(PROJECT_ROOT, 'venues', `${name}.json`);
    const { sectors } = JSON.parse(readFileSync(file, 'utf8')) as { readonly sectors: readonly Sector[] };
    const database = await createTestDatabase();
    for (const [place, { code }] of sectors.entries()) {
      await database.gates`
        insert into public.tickets (event_id, id, setor, entrou, is_valid_ticket)
        select ${DEFAULT_EVENT_ID}, ${`${code}-`} || seat, ${code}, seat <= ${place}, true
        from generate_series(1, 100) seat`;
    }
    await database.gates`
      insert into public.tickets (event_id, id, setor, entrou, is_valid_ticket)
      values (${DEFAULT_EVENT_ID}, 'elsewhere', 'no such sector', true, false)`;
    const server = await startTestServer(database, { ...deskSettings(database), VENUE_FILE: file });
    await untilReady(server);
    const { page } = await openDeskPage(browser, server.url);
    const rows = await readRows(page);
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ...sectors.map(({ name: shown, capacity = 100 }, place) => [
        shown,
        String(place),
        `${Math.floor((100 * place) / capacity)}% de ${formatCount(capacity)}`,
      ]),
      ['fora destes setores', '1', undefined],
    ]);
    const permitted = sectors.filter(({ capacity }) => capacity !== undefined).length;
    expect(await page.locator('.rows-legend').innerText()).toMatch(
      permitted > 0 ? /^barra e %: da lotação permitida/ : /^barra e %: dos ingressos válidos/,
    );
    const widths = await page
      .locator('.row-bar-in')
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('width'))));
    const expected = sectors.map(({ capacity }, place) => (100 * place) / (capacity ?? 100));
    expect(widths.map((width) => width.toFixed(6))).toEqual(expected.map((width) => width.toFixed(6)));

    await page.setViewportSize({ width: 390, height: 844 });
    const heights = await page
      .locator('.row-name')
      .evaluateAll((names) => names.map((button) => button.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);

    // What is opened comes to whoever opened it, far above in the one column.
    await page.locator('.row-name').first().click();
    const panel = page.getByRole('region', { name: sectors[0]?.name ?? '', exact: true });
    await until(async () => {
      const box = await panel.boundingBox();
      expect(box?.y).toBeGreaterThan(-1);
      expect(box?.y).toBeLessThan(100);
    });
  },
);

/** As they stand on the wall of that server. */
async function namesOfWall(url: string): Promise<string[]> {
  const page = await browser.newPage();
  await page.goto(url);
  const names = page.locator('.sectors tbody th');
  await names.first().waitFor();
  const texts = await names.allTextContents();
  await page.close();
  return texts;
}
