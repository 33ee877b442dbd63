import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { launchBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

const RAISED_WITHIN_MS = 120_000;

const browser = openForAll(launchBrowser);

const cardOf = (page: Page, sector: string) => page.locator('.alarm', { hasText: sector });
const press = (page: Page, sector: string, button: RegExp) =>
  cardOf(page, sector).getByRole('button', { name: button }).press('Enter');
const focusedValue = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.value);

test('an evacuation whose dialog was closed before it is recorded says so, and is not lost in silence', async () => {
  const { server } = await startDeskMatch();
  const { page } = await openDeskPage(browser, server.url);
  await page.getByRole('button', { name: 'evacuação' }).click();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'registrar evacuação' }).click();
  await page.getByText('registrando… Fechar não cancela.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('enviando: EVACUAÇÃO').waitFor();
  // It is given back after half a minute.
  await page.getByText('não se sabe se foi registrado: EVACUAÇÃO').waitFor({ timeout: 60_000 });
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'ver' }).click();
  await page.getByRole('button', { name: 'tentar de novo' }).click();
  await page.getByText('EVACUAÇÃO EM VIGOR').first().waitFor();
  await until(async () => expect(await page.locator('.unanswered').innerText()).toBe(''));
});

async function acknowledge(page: Page, sector: string): Promise<void> {
  await press(page, sector, /^ciente/);
  await page.keyboard.press('Enter');
}

test('what is typed about an alarm stays when another desk is faster, to be sent as an occurrence or thrown away', async () => {
  const match = await startDeskMatch();
  const { database, server } = match;
  const { page: ana } = await openDeskPage(browser, server.url, { name: 'Ana' });
  const { page: bia } = await openDeskPage(browser, server.url, { name: 'Bia' });
  for (const sector of ['7', '4', '11']) await match.permit(sector, () => 1);
  for (const page of [ana, bia]) {
    await until(
      async () => expect(await page.locator('.alarm[data-state=calling]').count()).toBe(3),
      RAISED_WITHIN_MS,
    );
  }

  // Suspended elsewhere.
  await press(ana, 'NORTE', /^suspender/);
  await ana.keyboard.type('troca de catraca');
  await press(bia, 'NORTE', /^suspender/);
  await bia.keyboard.type('revista lenta');
  await bia.keyboard.press('Enter');
  await cardOf(ana, 'NORTE')
    .getByText(/^Já está suspenso por Bia até \d\d:\d\d/)
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
  await ana.keyboard.press('Enter');
  await until(async () =>
    expect(await bia.locator('.log').innerText()).toMatch(
      /Ana:\s+“nota ao alarme das \d\d:\d\d \(ACIMA DA CAPACIDADE\): esvaziando o setor” · SUL DORIL/,
    ),
  );
  await until(async () => expect(await cardOf(ana, 'SUL DORIL').getByLabel('nota').count()).toBe(0));
  await cardOf(ana, 'SUL DORIL').waitFor();

  // Acknowledged elsewhere while nobody hears this desk.
  const central = 'LESTE INFERIOR CENTRAL';
  await press(ana, central, /^ciente/);
  await ana.keyboard.type('fila dupla');
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

  // Returned, and gone with the other desk's acknowledgement.
  await match.permit('4', () => 4_000);
  await cardOf(ana, 'NORTE')
    .getByText(/falta o ciente/)
    .waitFor({ timeout: RAISED_WITHIN_MS });
  await press(ana, 'NORTE', /^ciente/);
  await ana.keyboard.type('portão 4');
  await acknowledge(bia, 'NORTE');
  await until(async () => expect(await cardOf(bia, 'NORTE').count()).toBe(0));
  await cardOf(ana, 'NORTE')
    .getByText(/^Já está ciente: Bia, \d\d:\d\d/)
    .waitFor();
  expect(await focusedValue(ana)).toBe('portão 4');
  const asked = ana.waitForEvent('dialog');
  const left = ana.reload().catch(() => {});
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
  await left;
  await ana.locator('.operator summary').click();
  await ana.getByRole('button', { name: 'sair' }).click();
  await ana.getByRole('button', { name: 'sair mesmo assim' }).waitFor();
  await ana.keyboard.press('Escape');
  expect(await cardOf(ana, 'NORTE').getByLabel('nota').inputValue()).toBe('portão 4');
  await cardOf(ana, 'NORTE').getByRole('button', { name: 'descartar' }).press('Enter');
  await until(async () => expect(await cardOf(ana, 'NORTE').count()).toBe(0));
  expect(await ana.evaluate(() => document.activeElement?.id)).toBe('alarms-heading');

  const occurrences = await database.admin<{ by: string; sector: string }[]>`
    select by_name as by, sector from triagem.log where kind = 'occurrence' order by seq`;
  expect(occurrences.map(({ by, sector }) => [by, sector])).toEqual([
    ['Ana', '7'],
    ['Ana', '11'],
  ]);
  const acknowledged = await database.admin<{ by: string; sector: string }[]>`
    select said.by_name as by, alarm.sector from triagem.log said
    join triagem.log alarm on alarm.id = said.data->>'alarm'
    where said.kind = 'acknowledge' order by said.seq`;
  expect(acknowledged.map(({ by, sector }) => [by, sector])).toEqual([
    ['Bia', '7'],
    ['Bia', '11'],
    ['Bia', '4'],
  ]);
}, 240_000);
