import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { type DeskMatch, startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll, openForEach } from '../../../testing/open-for-tests.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { until } from '../../../testing/until.ts';

const SEEN_WITHIN_MS = 2_000;

const browser = openForAll(launchBrowser);
const match: DeskMatch = openForEach(() => startDeskMatch());

async function openTwoDesks(): Promise<{ readonly ana: Page; readonly bia: Page }> {
  const ana = await openDeskPage(browser, match.server.url, { name: 'Ana' });
  const bia = await openDeskPage(browser, match.server.url, { name: 'Bia' });
  return { ana: ana.page, bia: bia.page };
}

const logOf = (page: Page) => page.locator('.log').innerText();
const inForce = async (page: Page) => (await page.locator('.in-force').allInnerTexts()).join();

/** From the press on one desk to what the other one shows. */
async function expectSeen(press: () => Promise<void>, check: () => Promise<void>): Promise<void> {
  const stopwatch = startStopwatch({ pids: () => [match.server.pid] });
  await press();
  await until(check);
  expect(await stopwatch.elapsedMs()).toBeLessThan(SEEN_WITHIN_MS);
}

/** What says of a figure that people pass who are not counted, by the place of the figure. */
const taintsOf = (page: Page) =>
  page.evaluate(() => {
    const words = (selector: string): string[] =>
      [...document.querySelectorAll<HTMLElement>(selector)].map((element) => element.innerText);
    const rows = [...document.querySelectorAll('.rows tbody tr')].flatMap((row) => {
      const said = [...row.querySelectorAll<HTMLElement>('.row-at-least, .taint')];
      return said.map((element) => `${row.querySelector('.row-name')?.textContent}: ${element.innerText}`);
    });
    return {
      total: words('.total :is(.doubt, .taint)'),
      facts: words('.total-facts').flatMap((facts) => facts.match(/no (?:mínimo|máximo)/g) ?? []),
      rows,
      answer: words('.answer-note').filter((note) => note.includes('contagem incompleta')),
      needed: words('.answer-figures').filter((figures) => figures.includes('ritmo necessário')).length,
      curve: words('.curve .taint'),
      markers: document.querySelectorAll('.curve-drawing .curve-marker[data-kind="taint"]').length,
    };
  });

const UNTAINTED = { total: [], facts: [], rows: [], answer: [], needed: 1, curve: [], markers: 0 };

async function takeBack(page: Page, button: string): Promise<void> {
  await page.locator('.in-force').getByRole('button', { name: button }).click();
  await page.getByRole('dialog').getByRole('button', { name: button }).click();
}

test('a mark is on the other desk within two seconds, with who set it and on every figure that it taints, and is taken back there', async () => {
  const { ana, bia } = await openTwoDesks();
  for (const page of [ana, bia]) await page.locator('.curve-drawing').waitFor();
  expect(await taintsOf(bia)).toEqual(UNTAINTED);
  await ana.getByRole('button', { name: 'marcar setor' }).click();
  await ana.getByRole('combobox').selectOption({ label: 'SUL DORIL' });
  await ana.getByLabel(/^entrada liberada sem leitura/).check();
  await expectSeen(
    () => ana.getByRole('button', { name: 'marcar', exact: true }).click(),
    async () => {
      expect(await inForce(bia)).toMatch(/entrada liberada sem leitura · SUL DORIL.*\(Ana\)/);
      const since = expect.stringMatching(/^contagem incompleta: SUL DORIL desde \d\d:\d\d$/) as string;
      expect(await taintsOf(bia)).toEqual({
        total: ['no mínimo', since],
        // Of the valid tickets, and of the seats; who is still to come.
        facts: ['no mínimo', 'no máximo'],
        rows: [
          'SUL DORIL: no mínimo',
          expect.stringMatching(/^SUL DORIL: contagem incompleta desde \d\d:\d\d$/),
        ],
        answer: [expect.stringMatching(/^previsão retirada: contagem incompleta: SUL DORIL desde/)],
        needed: 0,
        curve: [since],
        markers: 1,
      });
    },
  );
  expect(await ana.getByRole('dialog').count()).toBe(0);
  await bia.locator('.in-force').getByRole('button', { name: 'retirar' }).click();
  const dialog = bia.getByRole('dialog', { name: 'Retirar?' });
  await expectSeen(
    () => dialog.getByRole('button', { name: 'retirar' }).click(),
    async () => expect([await inForce(ana), await taintsOf(ana)]).toEqual(['', UNTAINTED]),
  );
  await until(async () => expect(await logOf(ana)).toMatch(/Bia:\s+desfeito: entrada liberada sem leitura/));
});

test('an occurrence is on the other desk, as text, and is struck through once it is taken back', async () => {
  const { ana, bia } = await openTwoDesks();
  await ana.getByRole('button', { name: 'ocorrência' }).press('Enter');
  const limit = ana.getByRole('dialog').getByText('500 caracteres, o máximo');
  await ana.keyboard.insertText('x'.repeat(600));
  await limit.waitFor();
  expect(await ana.getByLabel('o que houve').inputValue()).toHaveLength(500);
  await ana.getByLabel('o que houve').fill('');
  expect(await limit.count()).toBe(0);
  await ana.keyboard.type('ônibus <b>da visitante</b> às 18:20');
  await expectSeen(
    () => ana.keyboard.press('Enter'),
    async () => expect(await logOf(bia)).toMatch(/Ana:\s+“ônibus <b>da visitante<\/b> às 18:20”/),
  );
  const row = bia.locator('.log-row', { hasText: 'ônibus' }).first();
  await row.getByRole('button', { name: /^desfazer/ }).click();
  await bia.getByRole('dialog').getByRole('button', { name: 'desfazer' }).click();
  await until(async () => expect(await ana.locator('.log s').innerText()).toMatch(/ônibus/));
});

test('a kick-off that is put off is checked, on the other desk, and taken back', async () => {
  const { ana, bia } = await openTwoDesks();
  await ana.getByRole('button', { name: 'início adiado' }).click();
  const dialog = ana.getByRole('dialog');
  await dialog.getByRole('button', { name: '+30 min' }).click();
  expect(await dialog.innerText()).toMatch(/30 min mais tarde que o de agora/);
  await expectSeen(
    () => dialog.getByRole('button', { name: /^início às/ }).click(),
    async () => expect(await bia.locator('.strip-kick-off').innerText()).toMatch(/^(·\s*)?5\d min/),
  );
  await until(async () => expect(await logOf(bia)).toMatch(/Ana:\s+início às/));
  await bia.getByRole('button', { name: 'início adiado' }).click();
  await bia.getByRole('dialog').getByRole('button', { name: 'desfazer' }).click();
  await bia.getByRole('dialog', { name: 'Desfazer?' }).getByRole('button', { name: 'desfazer' }).click();
  await until(async () =>
    expect(await ana.locator('.strip-kick-off').innerText()).toMatch(/^(·\s*)?2\d min/),
  );
});

test.each([
  ['encerrar entrada', 'encerrar a entrada', /entrada encerrada desde/, 'reabrir', /entrada encerrada · /],
  ['evacuação', 'registrar evacuação', /EVACUAÇÃO desde/, 'retirar', /evacuação · /],
])('%s asks before it is said, stops what it says on the other desk, and is taken back', async (...words) => {
  const [open, confirm, words_, undo, waits] = words;
  const { ana, bia } = await openTwoDesks();
  // Enter twice says nothing: the focus is on the way back.
  await ana.getByRole('button', { name: open }).press('Enter');
  await ana.getByRole('dialog').waitFor();
  await ana.keyboard.press('Enter');
  expect(await ana.getByRole('dialog').count()).toBe(0);
  await ana.getByRole('button', { name: open }).click();
  await expectSeen(
    () => ana.getByRole('button', { name: confirm }).click(),
    async () => expect(await inForce(bia)).toMatch(words_),
  );
  await until(async () => expect(await bia.locator('.alarm-watch').innerText()).toMatch(waits));
  await takeBack(bia, undo);
  await until(async () => expect(await inForce(ana)).toBe(''));
});

test('two desks that say the same at once: one is recorded, the other is told, and loses nothing', async () => {
  const { ana, bia } = await openTwoDesks();
  for (const page of [ana, bia]) {
    await page.getByRole('button', { name: 'marcar setor' }).click();
    await page.getByRole('combobox').selectOption({ label: 'NORTE' });
    await page.getByLabel(/^entrada suspensa/).check();
  }
  await ana.getByRole('button', { name: 'marcar', exact: true }).click();
  await until(async () => expect(await inForce(bia)).toMatch(/entrada suspensa · NORTE/));
  await bia.getByText(/^Já está marcado: Ana, \d\d:\d\d$/).waitFor();
  expect(await bia.getByRole('button', { name: 'marcar', exact: true }).isDisabled()).toBe(true);
  expect(await bia.getByRole('combobox').inputValue()).toBe('4');
  const rows = await match.database.admin`select id from triagem.log where kind = 'mark'`;
  expect(rows).toHaveLength(1);
});

test('what is said without a connection is not told as said, and is recorded once when it is back', async () => {
  const { ana, bia } = await openTwoDesks();
  await ana.getByRole('button', { name: 'ocorrência' }).click();
  await ana.getByLabel('o que houve').fill('chuva forte');
  await ana.context().setOffline(true);
  await ana.keyboard.press('Enter');
  await ana.getByText('registrando…').waitFor();
  await ana.locator('#status', { hasText: 'sem conexão' }).waitFor();
  expect(await ana.getByLabel('o que houve').inputValue()).toBe('chuva forte');
  expect(await ana.getByRole('button', { name: 'registrar', exact: true }).isDisabled()).toBe(true);
  await ana.context().setOffline(false);
  await ana.getByText('ocorrência registrada').waitFor();
  await until(async () => expect(await logOf(bia)).toMatch(/Ana:\s+“chuva forte”/));
  const rows = await match.database.admin`select id from triagem.log where kind = 'occurrence'`;
  expect(rows).toHaveLength(1);
});
