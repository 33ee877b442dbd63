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
const match: DeskMatch = openForEach(() => startDeskMatch({ earlierMatches: 3 }));

async function openTwoDesks({ server } = match): Promise<{ readonly ana: Page; readonly bia: Page }> {
  const ana = await openDeskPage(browser, server.url, { name: 'Ana' });
  const bia = await openDeskPage(browser, server.url, { name: 'Bia' });
  return { ana: ana.page, bia: bia.page };
}

const logOf = (page: Page) => page.locator('.log').innerText();
const inForce = async (page: Page) => (await page.locator('.in-force').allInnerTexts()).join();

/** From the press on one desk to what the other one shows. */
async function expectSeen(
  press: () => Promise<void>,
  check: () => Promise<void>,
  { server } = match,
): Promise<void> {
  const stopwatch = startStopwatch({ pids: () => [server.pid] });
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
      answer: words(':is(.answer-note, .ranges caption)').filter((note) =>
        /contagem incompleta|sem faixa/.test(note),
      ),
      needed: words('.answer-figures').filter((figures) => figures.includes('ritmo necessário')).length,
      hasRange: words('.ranges [data-row="range"] td').some((range) => /\d – \d/.test(range)),
      curve: words('.curve .taint'),
      markers: document.querySelectorAll('.curve-drawing .curve-marker[data-kind="taint"]').length,
    };
  });

const UNTAINTED = {
  total: [],
  facts: [],
  rows: [],
  answer: [],
  needed: 1,
  hasRange: true,
  curve: [],
  markers: 0,
};

const matching = (words: RegExp): unknown => expect.stringMatching(words);

/** What a mark on SUL DORIL does where people pass who are not counted. */
const SINCE = matching(/^contagem incompleta: SUL DORIL desde \d\d:\d\d$/);
const INCOMPLETE = {
  total: ['no mínimo', SINCE],
  // Of the valid tickets, and of the seats; who is still to come.
  facts: ['no mínimo', 'no máximo'],
  rows: ['SUL DORIL: no mínimo', matching(/^SUL DORIL: contagem incompleta desde \d\d:\d\d$/)],
  answer: [matching(/^previsão retirada: contagem incompleta: SUL DORIL desde/)],
  needed: 0,
  hasRange: false,
  curve: [SINCE],
  markers: 1,
};
/** The count is right: what is needed stays, and there is no range. */
const SUSPENDED = {
  ...UNTAINTED,
  rows: [matching(/^SUL DORIL: entrada suspensa desde \d\d:\d\d$/)],
  answer: [matching(/sem faixa: entrada suspensa: SUL DORIL desde \d\d:\d\d/)],
  hasRange: false,
};

async function takeBack(page: Page, button: string): Promise<void> {
  await page.locator('.in-force').getByRole('button', { name: button }).click();
  await page.getByRole('dialog').getByRole('button', { name: button }).click();
}

test.each([
  ['entrada liberada sem leitura', INCOMPLETE],
  ['leitura em outro sistema', INCOMPLETE],
  ['entrada suspensa', SUSPENDED],
])(
  'the mark "%s" is on the other desk within two seconds, with who set it and on every figure that it taints, and is taken back there',
  async (mark, tainted) => {
    const { ana, bia } = await openTwoDesks();
    for (const page of [ana, bia]) await page.locator('.curve-drawing').waitFor();
    await until(async () => expect(await taintsOf(bia)).toEqual(UNTAINTED));
    await ana.getByRole('button', { name: 'marcar setor' }).click();
    await ana.getByRole('combobox').selectOption({ label: 'SUL DORIL' });
    await ana.getByLabel(new RegExp(`^${mark}`)).check();
    await expectSeen(
      () => ana.getByRole('button', { name: 'marcar', exact: true }).click(),
      async () => {
        expect(await inForce(bia)).toMatch(new RegExp(`${mark} · SUL DORIL.*\\(Ana\\)`));
        expect(await taintsOf(bia)).toEqual(tainted);
      },
    );
    expect(await ana.getByRole('dialog').count()).toBe(0);
    await bia.locator('.in-force').getByRole('button', { name: 'retirar' }).click();
    const dialog = bia.getByRole('dialog', { name: 'Retirar?' });
    await expectSeen(
      () => dialog.getByRole('button', { name: 'retirar' }).click(),
      async () => expect([await inForce(ana), await taintsOf(ana)]).toEqual(['', UNTAINTED]),
    );
    await until(async () => expect(await logOf(ana)).toMatch(new RegExp(`Bia:\\s+desfeito: ${mark}`)));
  },
);

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

test('an entry that is closed ends the alarm, the forecast and the watch of the flow on the other desk, and reopens there', async () => {
  const stopped = await startDeskMatch({
    minutesToKickOff: 14,
    earlierMatches: 3,
    incidents: ['stop:7@-30+60'],
    beginsEarly: true,
  });
  const { ana, bia } = await openTwoDesks(stopped);
  const row = (page: Page) => page.locator('.rows tbody tr', { hasText: 'SUL DORIL' });
  const shown = async (page: Page) => ({
    total: await page.locator('.total .taint').allInnerTexts(),
    isAlarm: (await row(page).getAttribute('data-alarm')) !== null,
    row: await row(page).locator('.row-state').innerText(),
    calling: await page.locator('.alarm[data-state=calling]', { hasText: 'SUL DORIL' }).count(),
    answer: (await page.locator('.answer-note').allInnerTexts())[0] ?? '',
    needed: (await page.locator('.answer-figures').innerText()).includes('ritmo necessário'),
    ranges: await page.locator('.ranges').count(),
    watch: await page.locator('.alarm-watch').innerText(),
  });
  const open = {
    total: [],
    isAlarm: true,
    row: matching(/^sem acessos há \d+ min$/),
    calling: 1,
    answer: matching(/^a previsão conta com a volta dos acessos: SUL DORIL/),
    needed: true,
    ranges: 1,
    watch: matching(/12 de 13 setores com acessos · verificado/),
  };
  for (const page of [ana, bia]) await until(async () => expect(await shown(page)).toEqual(open), 60_000);

  await ana.getByRole('button', { name: 'encerrar entrada' }).click();
  await expectSeen(
    () => ana.getByRole('button', { name: 'encerrar a entrada' }).click(),
    async () =>
      expect(await shown(bia)).toMatchObject({
        total: [matching(/^entrada encerrada às \d\d:\d\d$/)],
        answer: matching(/^entrada encerrada às \d\d:\d\d: não há mais previsão$/),
        needed: false,
        ranges: 0,
        row: matching(/^último acesso há \d+ min$/),
        watch: matching(/fluxo não verificado: entrada encerrada/),
      }),
    stopped,
  );
  // The rules look every ten seconds: what called is over then.
  await until(
    async () =>
      expect(await shown(bia)).toMatchObject({
        isAlarm: false,
        calling: 0,
      }),
    30_000,
  );
  await takeBack(bia, 'reabrir');
  await until(async () => expect(await shown(ana)).toMatchObject({ total: [], needed: true, ranges: 1 }));
  await until(async () => expect((await shown(ana)).watch).toMatch(/com acessos · verificado/), 30_000);
}, 240_000);

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
