import type { Page } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';
import { expect, test } from 'vitest';
import type { LogRow } from '../../../domain/flow/flow-log.ts';
import { launchBrowser } from '../../../testing/browser.ts';
import { createTestDatabase } from '../../../testing/database.ts';
import { DESK_KEY, deskSettings } from '../../../testing/desk-app.ts';
import { DESK_EVENT_PATH, openDesk } from '../../../testing/desk-client.ts';
import { openDeskPage, signInToDesk } from '../../../testing/desk-page.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { newPage, type TestPage } from '../../../testing/test-page.ts';
import { startTestServer, untilReady } from '../../../testing/test-server.ts';
import { until } from '../../../testing/until.ts';

const database = openForAll(() => createTestDatabase({ inside: { a: '4' } }));
const server = openForAll(async () => {
  const started = await startTestServer(database, deskSettings(database));
  await untilReady(started);
  return started;
});
const browser = openForAll(launchBrowser);

async function openForm(hash = ''): Promise<TestPage> {
  const opened = await newPage(browser);
  await opened.page.goto(`${server.url}/fluxo${hash}`);
  return opened;
}

async function log(): Promise<readonly LogRow[]> {
  const desk = await openDesk(server.url, { name: 'Prova', key: DESK_KEY });
  return ((await (await desk.get(`${DESK_EVENT_PATH}/log`)).json()) as { rows: LogRow[] }).rows;
}

async function note({ page }: TestPage, text: string): Promise<void> {
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill(text);
  await page.getByRole('button', { name: 'registrar' }).click();
}

test('nothing of the desk is shown before somebody has signed in, and a wrong key says so', async () => {
  const opened = await openForm();
  const { page } = opened;
  await page.getByRole('dialog', { name: 'Mesa de fluxo' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByLabel('Nome').fill('Ana');
  await page.getByLabel('Chave').fill('errada');
  await page.keyboard.press('Enter');
  await until(async () => expect(await page.getByRole('alert').innerText()).toBe('A chave não confere.'));
  expect(await page.locator('.desk').count()).toBe(0);
  expect(await opened.status()).toBe('conectando');
  expect(await page.getByLabel('Nome').inputValue()).toBe('Ana');
  await signInToDesk(opened, 'Ana');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.locator('.total-admitted').innerText()).toBe('1');
});

test('what is not filled in is asked for in Portuguese, and nothing is sent', async () => {
  const { page } = await openForm();
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.method()));
  const submit = page.getByRole('button', { name: 'entrar', exact: true });
  await submit.click();
  await until(async () => expect(await page.getByRole('alert').innerText()).toMatch(/^Escreva o nome/));
  expect(await page.getByLabel('Nome').evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByLabel('Nome').fill('Ana');
  await submit.click();
  await until(async () => expect(await page.getByRole('alert').innerText()).toMatch(/^Escreva a chave/));
  expect(await page.getByLabel('Chave').evaluate((field) => field === document.activeElement)).toBe(true);
  expect(sent).not.toContain('POST');
});

test('a name that cannot be taken is explained', async () => {
  const { page } = await openForm();
  await page.getByLabel('Nome').fill('Ana\u202Ealves');
  await page.getByLabel('Chave').fill(DESK_KEY);
  await page.keyboard.press('Enter');
  await until(async () => expect(await page.getByRole('alert').innerText()).toMatch(/até 60 letras/));
});

test('two operators work on two pages, each by name, and a desk is taken over by another', async () => {
  const [ana, bia] = await Promise.all([
    openDeskPage(browser, server.url, { name: 'Ana' }),
    openDeskPage(browser, server.url, { name: 'Bia' }),
  ]);
  await note(ana, 'chuva forte');
  await until(async () => expect(await bia.page.locator('.log').innerText()).toMatch(/Ana:\s+.*chuva forte/));
  await bia.page.locator('.operator summary').click();
  await bia.page.getByRole('button', { name: 'trocar operador' }).click();
  await bia.page.getByLabel('Nome de quem assume').fill('Caio');
  await bia.page.getByRole('button', { name: 'assumir' }).click();
  await until(async () => expect(await bia.page.locator('.operator summary').innerText()).toBe('Caio'));
  await note(bia, 'portão 4 reaberto');
  await until(async () =>
    expect((await log()).flatMap(({ kind, by }) => (kind === 'occurrence' ? [by] : []))).toEqual([
      'Ana',
      'Caio',
    ]),
  );
});

test('whoever signs out leaves nothing of the desk on the screen', async () => {
  const opened = await openDeskPage(browser, server.url);
  const { page } = opened;
  await page.locator('.operator summary').click();
  await page.getByRole('button', { name: 'sair' }).click();
  await page.getByRole('dialog', { name: 'Mesa de fluxo' }).waitFor();
  expect(await page.locator('.desk').count()).toBe(0);
  const answers = await page.evaluate(async () => (await fetch('/fluxo/api/session')).status);
  expect(answers).toBe(401);
});

test('a phone enters by the code that a desk shows, with a name alone, once', async () => {
  const { page } = await openDeskPage(browser, server.url);
  const asked = page.waitForResponse('**/invitations');
  await page.locator('.operator summary').click();
  await page.getByRole('button', { name: 'entrar com o telefone' }).click();
  const { invitation } = (await (await asked).json()) as { invitation: string };
  const link = await readCode(page);
  expect(link).toBe(`${server.url}/fluxo#convite=${encodeURIComponent(invitation)}`);
  await until(async () => expect(await page.getByRole('dialog').innerText()).toMatch(/por mais 1:\d\d/));

  const phone = await newPage(browser);
  await phone.page.goto(link);
  await phone.page.getByLabel('Nome').fill('Rui');
  expect(await phone.page.getByLabel('Chave').count()).toBe(0);
  expect(phone.page.url()).toBe(`${server.url}/fluxo`);
  await phone.page.getByRole('button', { name: 'entrar', exact: true }).click();
  await phone.expectStatus('ao vivo');

  const late = await openForm(`#convite=${invitation}`);
  await late.page.getByLabel('Nome').fill('Eva');
  await late.page.getByRole('button', { name: 'entrar', exact: true }).click();
  await until(async () => expect(await late.page.getByRole('alert').innerText()).toMatch(/já foi usado/));
  await signInToDesk(late, 'Eva');
});

/** What a camera reads from the screen. */
async function readCode(page: Page): Promise<string> {
  const picture = await page.getByRole('img', { name: 'código do convite' }).screenshot();
  const { page: reader } = await newPage(browser);
  const { data, ...size } = await reader.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const { width, height } = image;
    const drawn = new OffscreenCanvas(width, height).getContext('2d');
    drawn?.drawImage(image, 0, 0);
    return { width, height, data: [...(drawn?.getImageData(0, 0, width, height).data ?? [])] };
  }, picture.toString('base64'));
  return decodeQR({ ...size, data: Uint8Array.from(data) });
}

test('the link of a demonstration signs in whoever opens it, and leaves no key in the address', async () => {
  const opened = await openForm(`#${new URLSearchParams({ chave: DESK_KEY, nome: 'Demo' }).toString()}`);
  await opened.expectStatus('ao vivo');
  expect(await opened.page.locator('.operator summary').innerText()).toBe('Demo');
  expect(opened.page.url()).toBe(`${server.url}/fluxo`);
});

test('after ten wrong keys in a minute it says how long to wait', async () => {
  const own = await startTestServer(database, { ...deskSettings(database), RECORD_DATABASE_URL: '' });
  const { page } = await newPage(browser);
  await page.goto(`${own.url}/fluxo`);
  await page.getByLabel('Nome').fill('Ana');
  await page.getByLabel('Chave').fill('errada');
  for (let attempt = 0; attempt < 11; attempt += 1) {
    const answered = page.waitForResponse('**/sign-in');
    await page.getByRole('button', { name: /^entrar/ }).click();
    await answered;
    await page.getByRole('button', { name: 'entrar', exact: true }).waitFor();
  }
  await until(async () =>
    expect(await page.getByRole('alert').innerText()).toMatch(/^Muitas tentativas\. Espere \d+ s/),
  );
});
