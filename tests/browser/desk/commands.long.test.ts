import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { MINUTE_MS, minuteOf } from '../../../desk/model/series/minute.ts';
import { openBrowser, processIdsOf } from '../../../testing/browser/browser.ts';
import { type DeskMatch, startDeskMatch } from '../../../testing/desk/desk-match.ts';
import { openDeskPage, signInToDesk } from '../../../testing/browser/desk-page.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { newPage } from '../../../testing/browser/test-page.ts';
import { until } from '../../../testing/until.ts';
import { caveatsOf, INCOMPLETE, matching, SUSPENDED, WITHOUT_CAVEATS } from './read-caveats.ts';
import { clockOf, replayMinute } from './replayed-page.ts';

const SEEN_WITHIN_MS = 2_000;
const STOPPED = 'LESTE SUPERIOR LATERAL';

/** The rules are applied at each multiple of this time. */
const RULES_MS = 10_000;

const browser = openForAll(openBrowser);
/** A sector has stopped, which is an alarm, and there is a range. The clock stands still until a test advances it. */
const match: DeskMatch = openForAll(() =>
  startDeskMatch({ minutesToKickOff: 20, earlierMatches: 3, incidents: ['stop:2@-34+60'], speed: 0 }),
);
let ana: Page;
let bia: Page;
let pids: readonly (number | undefined)[];

/** Each test takes back its entries for the next one. */
beforeAll(async () => {
  // The markers of later entries stand apart from that of the alarm, which is raised at once, also where the curve is of three
  // hours: it begins and ends at a quarter of an hour.
  for (let minute = 0; minute < 8; minute += 1) await match.playMinute(4, ['2']);
  ana = (await openDeskPage(browser, match.server.url, { name: 'Ana' })).page;
  bia = (await openDeskPage(browser, match.server.url, { name: 'Bia' })).page;
  pids = [match.server.pid, ...(await processIdsOf(browser))];
  for (const page of [ana, bia]) await page.locator('.curve-drawing').waitFor();
});

/** The button of the actions, in contrast to that of a card. */
const markSector = (page: Page) =>
  page.locator('.actions-panel').getByRole('button', { name: 'marcar setor' });
const logOf = (page: Page) => page.locator('.log').innerText();
const inForce = async (page: Page) => (await page.locator('.in-force').allInnerTexts()).join();

/** Measures the time from a press on one desk until the other one displays it. */
async function expectSeen(press: () => Promise<void>, check: () => Promise<void>): Promise<void> {
  const stopwatch = startStopwatch({ pids: () => pids });
  await press();
  await until(check);
  expect(await stopwatch.elapsedMs()).toBeLessThan(SEEN_WITHIN_MS);
}

async function takeBack(page: Page, button: string): Promise<void> {
  await page.locator('.in-force').getByRole('button', { name: button }).click();
  await page.getByRole('dialog').getByRole('button', { name: button }).click();
}

/** The caveats of each mark, and those after its end. A full run sets each mark. */
const MARKS = [
  ['entrada liberada sem leitura', INCOMPLETE, INCOMPLETE],
  ['entrada suspensa', SUSPENDED, WITHOUT_CAVEATS],
  ['leitura em outro sistema', INCOMPLETE, INCOMPLETE],
] as const;

test.each(MARKS.slice(0, IS_FULL ? 3 : 1))(
  'the mark "%s" is on the other desk within two seconds, with its operator and its caveats; there it is ended, and taken back as a mistake',
  async (mark, withCaveats, left) => {
    await until(async () => expect(await caveatsOf(bia)).toEqual(WITHOUT_CAVEATS));
    await markSector(ana).click();
    await ana.getByRole('combobox').selectOption({ label: 'SUL DORIL' });
    await ana.getByLabel(new RegExp(`^${mark}`)).check();
    await expectSeen(
      () => ana.getByRole('button', { name: 'marcar', exact: true }).click(),
      async () => {
        expect(await inForce(bia)).toMatch(new RegExp(`${mark} · SUL DORIL.*\\(Ana\\)`));
        expect(await caveatsOf(bia)).toEqual(withCaveats);
      },
    );
    expect(await ana.getByRole('dialog').count()).toBe(0);
    await ana.locator('.in-force').getByRole('button', { name: 'foi engano' }).click();
    await bia.locator('.in-force').getByRole('button', { name: 'acabou' }).click();
    const dialog = bia.getByRole('dialog', { name: 'Acabou?' });
    await expectSeen(
      () => dialog.getByRole('button', { name: 'acabou' }).click(),
      async () => expect(await caveatsOf(ana)).toEqual(left),
    );
    await until(async () => expect(await logOf(ana)).toMatch(new RegExp(`Bia:\\s+acabou: ${mark}`)));
    const open = ana.getByRole('dialog', { name: 'Foi engano?' });
    await open.getByText(/^Já acabou: Bia, \d\d:\d\d$/).waitFor();
    expect(await open.getByRole('button', { name: 'foi engano' }).isEnabled()).toBe(true);
    await ana.keyboard.press('Escape');
    const ended = await inForce(ana);
    expect(ended).toMatch(left === WITHOUT_CAVEATS ? /^$/ : /desde \d\d:\d\d até \d\d:\d\d \(Ana\)/);
    // The log does not strike through a mark that has ended.
    const row = bia.locator('.log-row[data-kind="mark"]').first();
    await until(async () => expect(await row.getByRole('button').allInnerTexts()).not.toContain('acabou'));
    expect(await row.locator('s').count()).toBe(0);
    await row.getByRole('button', { name: 'foi engano' }).click();
    const mistaken = bia.getByRole('dialog', { name: 'Foi engano?' });
    await expectSeen(
      () => mistaken.getByRole('button', { name: 'foi engano' }).click(),
      async () => expect([await inForce(ana), await caveatsOf(ana)]).toEqual(['', WITHOUT_CAVEATS]),
    );
    await until(async () => expect(await logOf(ana)).toMatch(new RegExp(`Bia:\\s+foi engano: ${mark}`)));
    await until(async () => expect(await row.locator('s').count()).toBe(1));
  },
);

test('a mark begins at the last reading, or at a typed time, and an estimate stands beside the count with its operator and method', async () => {
  await markSector(ana).click();
  const dialog = ana.getByRole('dialog', { name: 'marcar setor' });
  await dialog.getByRole('combobox').selectOption({ label: 'NORTE' });
  await dialog.getByLabel(/^leitura em outro sistema/).check();
  const since = dialog.getByLabel(/^desde/);
  const proposed = await since.inputValue();
  await dialog.getByText(`A última leitura foi às ${proposed}.`).waitFor();
  // A mark needs a past time, and a complete estimate.
  const mark = dialog.getByRole('button', { name: 'marcar' });
  await since.fill(clockOf(match.clock.nowMs() + 60 * MINUTE_MS));
  await dialog.getByText('Isto ainda não passou').waitFor();
  expect(await mark.isDisabled()).toBe(true);
  const earlierMs = match.clock.nowMs() - 10 * MINUTE_MS;
  await since.fill(clockOf(earlierMs));
  const passed = dialog.getByLabel(/^passaram sem leitura/);
  await passed.fill('60');
  // Another sector begins without it, and with its own time.
  await dialog.getByRole('combobox').selectOption({ label: 'SUL DORIL' });
  expect(await passed.inputValue()).toBe('');
  expect(await since.inputValue()).not.toBe(clockOf(earlierMs));
  await dialog.getByRole('combobox').selectOption({ label: 'NORTE' });
  await since.fill(clockOf(earlierMs));
  await match.permit('4', () => 4_000);
  await passed.fill('4.001');
  await dialog.getByText('Confira o número: a lotação permitida aqui são 4.000.').waitFor();
  await passed.fill('1.150');
  expect(await mark.isDisabled()).toBe(true);
  await dialog.getByLabel('como foi estimado').fill('contagem manual');
  await mark.click();
  const total = async (page: Page) => ({
    admitted: await page.locator('.total-admitted').innerText(),
    estimate: await page.locator('.total-estimate').allInnerTexts(),
  });
  const { admitted } = await total(bia);
  await until(async () => {
    expect(await inForce(bia)).toMatch(
      new RegExp(
        `NORTE, desde ${clockOf(earlierMs)} \\(Ana\\); ~1\\.150 sem leitura \\(Ana: “contagem manual”\\)`,
      ),
    );
    expect(await total(bia)).toEqual({ admitted, estimate: [`${admitted} lidos + ~1.150 sem leitura`] });
    expect((await caveatsOf(bia)).hasRange).toBe(true);
  });
  await bia.locator('.in-force').getByRole('button', { name: 'estimativa' }).click();
  const estimate = bia.getByRole('dialog', { name: 'estimativa' });
  await estimate.getByText(/^Agora vale ~1\.150 sem leitura \(Ana: “contagem manual”\), das/).waitFor();
  await estimate.getByLabel(/^passaram sem leitura/).fill('90');
  await estimate.getByLabel('como foi estimado').fill('catraca 3');
  await estimate.getByRole('button', { name: 'registrar' }).click();
  await until(async () =>
    expect((await total(ana)).estimate).toEqual([`${admitted} lidos + ~90 sem leitura`]),
  );
  expect(await inForce(ana)).toMatch(/~90 sem leitura \(Bia: “catraca 3”\)/);
  const rows = await match.database.admin<{ data: { sinceMs: number } }[]>`
    select data from triagem.log where kind = 'mark' and sector = '4' order by seq`;
  expect(minuteOf(rows.at(-1)?.data.sinceMs ?? 0)).toBe(minuteOf(earlierMs));
  await ana.locator('.in-force').getByRole('button', { name: 'foi engano' }).click();
  const mistaken = ana.getByRole('dialog', { name: 'Foi engano?' });
  await mistaken.getByText('Uma estimativa diz o contrário: ~90 sem leitura (Bia: “catraca 3”).').waitFor();
  await mistaken.getByRole('button', { name: 'foi engano' }).click();
  await until(async () => expect(await total(bia)).toEqual({ admitted, estimate: [] }));
  await until(async () => expect(await inForce(bia)).toBe(''));
});

/** Opens the dialog of that button. A second Enter records nothing, as the focus is on "voltar". */
async function openAsking(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Enter');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: button }).click();
}

test('closing the entry, after a question, ends the alarm, the forecast and the rules of flow on the other desk, which reopens it', async () => {
  const row = (page: Page) => page.locator('.rows tbody tr', { hasText: STOPPED });
  const shown = async (page: Page) => ({
    total: await page.locator('.total .caveat').allInnerTexts(),
    isAlarm: (await row(page).getAttribute('data-alarm')) !== null,
    row: await row(page).locator('.row-state').innerText(),
    calling: await page.locator('.alarm[data-state=calling]', { hasText: STOPPED }).count(),
    answer: (await page.locator('.answer-note').allInnerTexts()).join('\n'),
    needed: (await page.locator('.answer-figures').innerText()).includes('ritmo necessário'),
    ranges: await page.locator('.ranges').count(),
    watch: await page.locator('.alarm-watch').innerText(),
  });
  const open = {
    total: [],
    isAlarm: true,
    row: matching(/^sem acessos há \d+ min$/),
    calling: 1,
    answer: matching(new RegExp(`^a previsão conta com a volta dos acessos: ${STOPPED}`, 'm')),
    needed: true,
    ranges: 1,
    watch: matching(/12 de 13 setores com acessos · conferido/),
  };
  for (const page of [ana, bia]) await until(async () => expect(await shown(page)).toEqual(open), 60_000);

  await openAsking(ana, 'encerrar entrada');
  await expectSeen(
    () => ana.getByRole('button', { name: 'encerrar a entrada' }).click(),
    async () => {
      expect(await inForce(bia)).toMatch(/entrada encerrada desde/);
      expect(await shown(bia)).toMatchObject({
        total: [matching(/^entrada encerrada às \d\d:\d\d$/)],
        answer: matching(/^entrada encerrada às \d\d:\d\d: não há mais previsão$/),
        needed: false,
        ranges: 0,
        row: matching(/^último acesso há \d+ min$/),
        watch: matching(/fluxo não verificado: entrada encerrada/),
      });
    },
  );
  // The rules end the alarm when they are next applied.
  match.clock.advance(RULES_MS);
  await until(async () => expect(await shown(bia)).toMatchObject({ isAlarm: false, calling: 0 }));
  await takeBack(bia, 'reabrir');
  await until(async () => expect(await inForce(ana)).toBe(''));
  match.clock.advance(RULES_MS);
  await until(async () =>
    expect(await shown(ana)).toMatchObject({
      total: [],
      needed: true,
      ranges: 1,
      watch: matching(/contagem conferida .*com acessos|com acessos · conferido/),
    }),
  );
});

test('a desk requests its own origin only, its minutes and its log once, and writes to the documented addresses alone', async () => {
  const { server, database, kickOffMs, clock } = match;
  const opened = await newPage(browser, { viewport: { width: 1920, height: 1080 } });
  const { page } = opened;
  // The record opens in a page of its own.
  const requests: string[] = [];
  page.context().on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  const askedFor = (path: string): number => requests.filter((line) => line.includes(path)).length;
  await page.goto(`${server.url}/fluxo`);
  await signInToDesk(opened, 'Ana');

  // During the match the desk has the minutes and the log, and receives new ones.
  await page.locator('.log-row').first().waitFor();
  const rows = await database.admin<{ id: string }[]>`
    select id from triagem.log where event_id = ${DEFAULT_EVENT_ID}`;
  await until(async () => expect(await page.locator('.log-row').count()).toBe(rows.length));
  await page.getByText('minutos em tabela').click();
  const newest = page.locator('.curve-table tbody tr th').first();
  const lastMinute = clockOf(minuteOf(clock.nowMs()) - MINUTE_MS);
  await until(async () => expect(await newest.innerText()).toBe(lastMinute));
  await match.enter('4', 5);
  clock.advance(MINUTE_MS);
  const ended = clockOf(minuteOf(clock.nowMs()) - MINUTE_MS);
  await until(async () => expect(await newest.innerText()).toBe(ended));
  expect(askedFor('/history?')).toBe(1);
  expect(askedFor('/log?')).toBeLessThanOrEqual(2);

  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('chuva forte');
  await page.getByRole('button', { name: 'registrar' }).click();
  await until(async () => expect(await page.locator('.log').innerText()).toMatch(/chuva forte/));

  const choose = async (role: 'button' | 'link', name: string): Promise<void> => {
    await page.locator('.operator summary').click();
    await page.getByRole(role, { name }).click();
  };
  await choose('button', 'trocar operador');
  await page.getByLabel('Nome de quem assume').fill('Bia');
  await page.getByRole('button', { name: 'assumir' }).click();
  await until(async () => expect(await page.locator('.operator summary').innerText()).toBe('Bia'));
  await choose('button', 'entrar com o telefone');
  await page.getByRole('img', { name: 'código do convite' }).waitFor();
  await page.keyboard.press('Escape');
  await replayMinute(page, clockOf(kickOffMs - 40 * MINUTE_MS));
  await page.keyboard.press('Escape');

  const [record] = await Promise.all([page.waitForEvent('popup'), choose('link', 'imprimir o registro')]);
  for (const name of ['Minutos (Excel)', 'Registro (Excel)']) {
    const [file] = await Promise.all([
      record.waitForEvent('download'),
      record.getByRole('link', { name }).click(),
    ]);
    expect(await file.failure()).toBeNull();
    // The browser reports a saved file as a download only.
    requests.push(`GET ${file.url()}`);
  }
  await choose('button', 'sair');
  await page.getByRole('dialog', { name: 'Mesa de fluxo' }).waitFor();

  const { origin } = new URL(page.url());
  const { href: eventUrl } = new URL(`/fluxo/api/events/${DEFAULT_EVENT_ID}/`, origin);
  expect(requests.filter((line) => !line.includes(` ${origin}/`))).toEqual([]);
  const writes = ['sign-in', `events/${DEFAULT_EVENT_ID}/commands`, 'operator', 'invitations', 'sign-out'];
  expect(requests.filter((line) => !line.startsWith('GET '))).toEqual(
    writes.map((path) => `POST ${origin}/fluxo/api/${path}`),
  );
  const ofEvents = requests.filter((line) => line.includes('/api/events/'));
  expect(ofEvents.filter((line) => !line.includes('/fluxo/'))).toEqual([]);
  for (const asked of [
    `${eventUrl}state?at=`,
    `${origin}/fluxo/registro`,
    `${eventUrl}record/minutes-excel.csv?to=`,
    `${eventUrl}record/log-excel.csv?to=`,
  ])
    expect(requests).toContainEqual(expect.stringContaining(`GET ${asked}`));
  // Without a session its request is answered with 401.
  expect(opened.console.filter((line) => !line.includes('401'))).toEqual([]);
});

test('an occurrence is on the other desk as plain text, and is struck through once it is taken back', async () => {
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
  await until(async () => expect(await ana.locator('.log s', { hasText: 'ônibus' }).count()).toBe(1));
});

test('a postponed kick-off is checked, displayed on the other desk, and taken back', async () => {
  await ana.getByRole('button', { name: 'mudar início' }).click();
  const dialog = ana.getByRole('dialog');
  await dialog.getByRole('button', { name: '+30 min' }).click();
  expect(await dialog.innerText()).toMatch(/30 min mais tarde que o de agora/);
  await expectSeen(
    () => dialog.getByRole('button', { name: /^início às/ }).click(),
    async () => expect(await bia.locator('.strip-kick-off').innerText()).toMatch(/^(·\s*)?4\d min/),
  );
  await until(async () => expect(await logOf(bia)).toMatch(/Ana:\s+início às/));
  await bia.getByRole('button', { name: 'mudar início' }).click();
  await bia.getByRole('dialog').getByRole('button', { name: 'desfazer' }).click();
  await bia.getByRole('dialog', { name: 'Desfazer?' }).getByRole('button', { name: 'desfazer' }).click();
  await until(async () =>
    expect(await ana.locator('.strip-kick-off').innerText()).toMatch(/^(·\s*)?1\d min/),
  );
});

test('of two desks that mark the same sector at once, one is recorded, and the other learns it and loses nothing', async () => {
  for (const page of [ana, bia]) {
    await markSector(page).click();
    await page.getByRole('combobox').selectOption({ label: 'NORTE' });
    await page.getByLabel(/^entrada suspensa/).check();
  }
  await ana.getByRole('button', { name: 'marcar', exact: true }).click();
  await until(async () => expect(await inForce(bia)).toMatch(/entrada suspensa · NORTE/));
  await bia.getByText(/^Já está marcado: Ana, \d\d:\d\d$/).waitFor();
  expect(await bia.getByRole('button', { name: 'marcar', exact: true }).isDisabled()).toBe(true);
  expect(await bia.getByRole('combobox').inputValue()).toBe('4');
  const rows = await match.database.admin`
    select id from triagem.log where kind = 'mark' and data->>'mark' = 'suspended' and sector = '4'`;
  expect(rows).toHaveLength(1);
  await bia.keyboard.press('Escape');
  await bia.locator('.in-force').getByRole('button', { name: 'acabou' }).click();
  await takeBack(ana, 'foi engano');
  const question = bia.getByRole('dialog', { name: 'Acabou?' });
  await question.getByText(/^Já foi anulada: Ana, \d\d:\d\d$/).waitFor();
  expect(await question.innerText()).not.toContain('Alarmes');
  expect(await question.getByRole('button', { name: 'acabou' }).isDisabled()).toBe(true);
  await bia.keyboard.press('Escape');
  await until(async () => expect(await inForce(bia)).toBe(''));
});

const cardOf = (page: Page, sector: string) => page.locator('.alarm', { hasText: sector });
const press = (page: Page, sector: string, button: RegExp) =>
  cardOf(page, sector).getByRole('button', { name: button }).press('Enter');
const focusedValue = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.value);

async function acknowledge(page: Page, sector: string): Promise<void> {
  await press(page, sector, /^ciente/);
  await page.keyboard.press('Enter');
}

test('text about an alarm stays when another desk is faster, to be sent as an occurrence or discarded', async () => {
  const { database, clock } = match;
  for (const sector of ['7', '4', '11']) await match.permit(sector, () => 1);
  clock.advance(RULES_MS);
  for (const page of [ana, bia])
    for (const sector of ['SUL DORIL', 'NORTE', 'LESTE INFERIOR CENTRAL'])
      await page.locator('.alarm[data-state="calling"]', { hasText: sector }).waitFor();

  // Suspended elsewhere.
  await press(ana, 'NORTE', /^suspender/);
  await ana.keyboard.type('troca de catraca');
  await press(bia, 'NORTE', /^suspender/);
  await bia.keyboard.type('revista lenta');
  await bia.keyboard.press('Enter');
  await cardOf(ana, 'NORTE')
    .getByText(/^O alarme já está suspenso por Bia até \d\d:\d\d/)
    .waitFor();
  expect(await focusedValue(ana)).toBe('troca de catraca');
  await ana.keyboard.press('Escape');
  await cardOf(ana, 'NORTE').getByRole('button', { name: 'descartar' }).press('Enter');
  await until(async () => expect(await cardOf(ana, 'NORTE').getByLabel('motivo').count()).toBe(0));

  // Acknowledged elsewhere, and still there.
  await press(ana, 'SUL DORIL', /^ciente/);
  await ana.keyboard.type('esvaziando');
  await acknowledge(bia, 'SUL DORIL');
  await cardOf(ana, 'SUL DORIL')
    .getByText(/^Já está ciente: Bia, \d\d:\d\d/)
    .waitFor();
  expect(await focusedValue(ana)).toBe('esvaziando');
  await ana.keyboard.type(' o setor');
  // The second of two presses falls on no button that discards.
  await cardOf(ana, 'SUL DORIL').getByRole('button', { name: 'equipe enviada' }).dblclick();
  await cardOf(ana, 'SUL DORIL').getByLabel('nota').press('Enter');
  await until(async () =>
    expect(await bia.locator('.log').innerText()).toMatch(
      /Ana:\s+“nota ao alarme das \d\d:\d\d \(ACIMA DA CAPACIDADE\): equipe enviada: esvaziando o setor” · SUL DORIL/,
    ),
  );
  await until(async () => expect(await cardOf(ana, 'SUL DORIL').getByLabel('nota').count()).toBe(0));
  await cardOf(ana, 'SUL DORIL').waitFor();

  // Acknowledged elsewhere while this desk is offline.
  const central = 'LESTE INFERIOR CENTRAL';
  await press(ana, central, /^ciente/);
  await ana.keyboard.type('fila dupla');
  await until(async () => expect(await focusedValue(ana)).toBe('fila dupla'), 2_000);
  await ana.context().setOffline(true);
  await ana.keyboard.press('Enter');
  await cardOf(ana, central).getByText('registrando…').waitFor();
  await acknowledge(bia, central);
  await cardOf(bia, central)
    .getByText(/^ciente: Bia/)
    .waitFor();
  expect(await cardOf(ana, central).getByLabel('nota').inputValue()).toBe('fila dupla');
  await ana.context().setOffline(false);
  await cardOf(ana, central)
    .getByText(/^Já está ciente: Bia, \d\d:\d\d/)
    .waitFor();
  expect(await cardOf(ana, central).innerText()).toMatch('O que você escreveu não foi registrado.');
  expect(await focusedValue(ana)).toBe('fila dupla');
  await ana.keyboard.press('Enter');
  await until(async () => expect(await cardOf(ana, central).getByLabel('nota').count()).toBe(0));

  // Returned, and gone with the other desk's acknowledgement: also where a refusal was answered by an occurrence.
  for (const sector of ['4', '11']) await match.permit(sector, () => 4_000);
  clock.advance(RULES_MS);
  for (const page of [ana, bia]) await until(async () => expect(await cardOf(page, central).count()).toBe(0));
  await cardOf(ana, 'NORTE')
    .getByText(/falta o ciente/)
    .waitFor();
  await press(ana, 'NORTE', /^ciente/);
  await ana.keyboard.type('portão 4');
  await acknowledge(bia, 'NORTE');
  await until(async () => expect(await cardOf(bia, 'NORTE').count()).toBe(0));
  await cardOf(ana, 'NORTE')
    .getByText(/^Já está ciente: Bia, \d\d:\d\d/)
    .waitFor();
  expect(await focusedValue(ana)).toBe('portão 4');
  const asked = ana.waitForEvent('dialog');
  await ana.evaluate(() => void setTimeout(() => window.location.reload()));
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
  await ana.locator('.operator summary').click();
  await ana.getByRole('button', { name: 'sair' }).click();
  await ana.getByRole('button', { name: 'sair mesmo assim' }).waitFor();
  await ana.keyboard.press('Escape');
  expect(await cardOf(ana, 'NORTE').getByLabel('nota').inputValue()).toBe('portão 4');
  await cardOf(ana, 'NORTE').getByRole('button', { name: 'descartar' }).press('Enter');
  await until(async () => expect(await cardOf(ana, 'NORTE').count()).toBe(0));
  expect(await ana.evaluate(() => document.activeElement?.id)).toBe('alarms-heading');

  const occurrences = await database.admin<{ by: string; sector: string }[]>`
    select by_name as by, sector from triagem.log where kind = 'occurrence' and data->>'text' like 'nota ao alarme%' order by seq`;
  expect(occurrences.map(({ by, sector }) => [by, sector])).toEqual([
    ['Ana', '7'],
    ['Ana', '11'],
  ]);
  const acknowledged = await database.admin<{ by: string; sector: string }[]>`
    select entry.by_name as by, alarm.sector from triagem.log entry
    join triagem.log alarm on alarm.id = entry.data->>'alarm'
    where entry.kind = 'acknowledge' order by entry.seq`;
  expect(acknowledged.map(({ by, sector }) => [by, sector])).toEqual([
    ['Bia', '7'],
    ['Bia', '11'],
    ['Bia', '4'],
  ]);
});
