import { expect, test } from 'vitest';
import { openAlarmMatch } from '../../../testing/alarm-match.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { openDeskPage } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

const browser = openForAll(launchBrowser);

test('while the record is away nothing is told as recorded; what was written stays, is sent again, and is recorded once', async () => {
  const match = await openAlarmMatch({ hasRecordOfItsOwn: true });
  const { recordDatabase } = match;
  const server = await match.startServer();
  const { page } = await openDeskPage(browser, server.url);
  await recordDatabase.allowConnections(false);
  await recordDatabase.admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${recordDatabase.name} and pid <> pg_backend_pid()`;
  await page.getByText('Registro indisponível').waitFor();
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('chuva forte');
  await page.keyboard.press('Enter');
  await page.getByText('registrando…').waitFor();
  await page.getByText('Não se sabe se foi registrado').waitFor({ timeout: 60_000 });
  expect(await page.getByLabel('o que houve').inputValue()).toBe('chuva forte');
  expect(await page.getByLabel('o que houve').isEditable()).toBe(false);
  await recordDatabase.allowConnections(true);
  await until(async () => expect(await page.getByText('Registro indisponível').count()).toBe(0));
  await page.getByRole('button', { name: 'tentar de novo' }).click();
  await page.getByText('ocorrência registrada').waitFor();
  const rows = await recordDatabase.admin`select id from triagem.log where kind = 'occurrence'`;
  expect(rows).toHaveLength(1);
}, 120_000);
