import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { MINUTE_MS, minuteOf } from '../../../domain/flow/minute.ts';
import { openBrowser } from '../../../testing/browser.ts';
import { startDeskMatch } from '../../../testing/desk-match.ts';
import { signInToDesk } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { newPage } from '../../../testing/test-page.ts';
import { until } from '../../../testing/until.ts';
import { clockOf, replayMinute } from './replayed-page.ts';

const browser = openForAll(openBrowser);
const match = openForAll(() => startDeskMatch({ speed: 0 }));

test('a desk asks its own origin only, for its minutes and its log once, and writes at the documented addresses alone, whatever is done there', async () => {
  const { server, database, kickOffMs, clock } = match;
  const opened = await newPage(browser, { viewport: { width: 1920, height: 1080 } });
  const { page } = opened;
  // Of all its pages: the record opens in one of its own.
  const requests: string[] = [];
  page.context().on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  const askedFor = (path: string): number => requests.filter((line) => line.includes(path)).length;
  await page.goto(`${server.url}/fluxo`);
  await signInToDesk(opened, 'Ana');

  // In mid-match: its minutes and its log, and what comes then.
  await page.locator('.log-row').first().waitFor();
  const rows = await database.admin<{ id: string }[]>`
    select id from triagem.log where event_id = ${DEFAULT_EVENT_ID}`;
  await until(async () => expect(await page.locator('.log-row').count()).toBe(rows.length));
  await page.getByText('minutos em tabela').click();
  const newest = page.locator('.curve-table tbody tr th').first();
  expect(await newest.innerText()).toBe(clockOf(minuteOf(clock.nowMs()) - MINUTE_MS));
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
  for (const name of ['Minutos (CSV)', 'Registro (CSV)']) {
    const [file] = await Promise.all([
      record.waitForEvent('download'),
      record.getByRole('link', { name }).click(),
    ]);
    expect(await file.failure()).toBeNull();
    // What is saved is told as a download only.
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
    `${eventUrl}record/minutes.csv?to=`,
    `${eventUrl}record/log.csv?to=`,
  ])
    expect(requests).toContainEqual(expect.stringContaining(`GET ${asked}`));
  // The questions whether there is a session, before somebody signs in and after, are answered with no.
  expect(opened.console.filter((line) => !line.includes('401'))).toEqual([]);
});
