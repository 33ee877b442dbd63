import { expect, test } from 'vitest';
import { openAlarmMatch } from '../../../testing/alarm-match.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

const browser = openForAll(launchBrowser);

test('while the record is away buttons say so and do nothing; what was written stays, and is recorded once it is back', async () => {
  const match = await openAlarmMatch({ hasRecordOfItsOwn: true });
  const { recordDatabase } = match;
  const server = await match.startServer();
  const { page } = await openDeskPage(browser, server.url);
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('chuva forte');
  await recordDatabase.allowConnections(false);
  await recordDatabase.admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${recordDatabase.name} and pid <> pg_backend_pid()`;
  await page.getByText('Registro indisponível').waitFor();

  // They say why, can be reached, and neither a click nor Enter does anything.
  const actions = page.locator('.actions-panel');
  await actions.getByText(/^nada pode ser lançado agora/).waitFor();
  const closing = actions.getByRole('button', { name: 'encerrar entrada' });
  const record = page.getByRole('button', { name: 'registrar', exact: true });
  for (const button of [closing, record]) {
    await until(async () => expect(await button.getAttribute('aria-disabled')).toBe('true'));
    const notice = await button.getAttribute('aria-describedby');
    expect(await page.locator(`#${notice}`).innerText()).toMatch(/^Registro indisponível/);
    await button.focus();
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
  }
  await page.getByLabel('o que houve').press('Enter');
  expect(await page.getByRole('dialog').innerText()).toMatch('nada pode ser lançado agora');
  expect(await page.getByText('registrando…').count()).toBe(0);
  expect(await page.getByRole('dialog').count()).toBe(1);
  expect(await page.getByLabel('o que houve').inputValue()).toBe('chuva forte');

  await recordDatabase.allowConnections(true);
  await until(async () => expect(await page.getByText('Registro indisponível').count()).toBe(0));
  expect(await closing.getAttribute('aria-disabled')).toBeNull();
  expect(await page.getByText(/^nada pode ser lançado agora/).count()).toBe(0);
  await page.getByLabel('o que houve').press('Enter');
  await page.getByText('ocorrência registrada').waitFor();
  const rows = await recordDatabase.admin`select id from triagem.log where kind = 'occurrence'`;
  expect(rows).toHaveLength(1);
}, 120_000);

test('what no record answers is not told as recorded; it stays, is sent again, and is recorded once', async () => {
  const match = await openAlarmMatch();
  const server = await match.startServer();
  const { page } = await openDeskPage(browser, server.url);
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('chuva forte');
  await page.context().setOffline(true);
  await page.keyboard.press('Enter');
  await page.getByText('registrando…').waitFor();
  await page.getByText('Não se sabe se foi registrado').waitFor({ timeout: 60_000 });
  expect(await page.getByLabel('o que houve').inputValue()).toBe('chuva forte');
  expect(await page.getByLabel('o que houve').isEditable()).toBe(false);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'tentar de novo' }).click();
  await page.getByText('ocorrência registrada').waitFor();
  const rows = await match.recordDatabase.admin`select id from triagem.log where kind = 'occurrence'`;
  expect(rows).toHaveLength(1);
}, 120_000);
