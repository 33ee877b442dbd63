import type { Page } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';
import { expect, test } from 'vitest';
import type { LogRow } from '../../../desk/model/log/flow-log.ts';
import { MINUTE_MS } from '../../../desk/model/series/minute.ts';
import { openBrowser } from '../../../testing/browser/browser.ts';
import { DESK_KEY } from '../../../testing/desk/desk-app.ts';
import { DESK_EVENT_PATH, openDesk } from '../../../testing/desk/desk-client.ts';
import { startDeskMatch } from '../../../testing/desk/desk-match.ts';
import { openDeskPage, signInToDesk } from '../../../testing/browser/desk-page.ts';
import { makeNextBuild } from '../../../testing/browser/next-build.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { newPage, type TestPage } from '../../../testing/browser/test-page.ts';
import { until } from '../../../testing/until.ts';
import { testInFull } from '../../../testing/test-in-full.ts';

const EARLY_MIN = 240;
/** This is longer than a stream must live to count as stable. */
const LIFETIME_MS = 9_000;
/** Several times the shortest wait of a page for a new version. */
const LONG_MS = 2_000;
/** The wrong keys that are answered in a minute. */
const WRONG_KEYS = 10;

const browser = openForAll(openBrowser);
/** The match is hours away, and its clock stands still. */
const match = openForAll(() => startDeskMatch({ minutesToKickOff: EARLY_MIN, speed: 0 }));
/** Tests share these desks. */
const ana: TestPage = openForAll(() => newPage(browser));
const bia: TestPage = openForAll(() => openDeskPage(browser, match.server.url, { name: 'Bia' }));

async function openForm(hash = '', opened?: TestPage): Promise<TestPage> {
  const form = opened ?? (await newPage(browser));
  await form.page.goto(`${match.server.url}/fluxo${hash}`);
  return form;
}

async function log(): Promise<readonly LogRow[]> {
  const desk = await openDesk(match.server.url, { name: 'Prova', key: DESK_KEY });
  return ((await (await desk.get(`${DESK_EVENT_PATH}/log`)).json()) as { rows: LogRow[] }).rows;
}

async function note({ page }: TestPage, text: string): Promise<void> {
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill(text);
  await page.getByRole('button', { name: 'registrar' }).click();
}

const expectRefused = ({ page }: TestPage, words: RegExp): Promise<void> =>
  until(async () => expect(await page.getByRole('alert').innerText()).toMatch(words));

test('nothing of the desk is displayed before a sign-in; an empty field, an invalid name and a wrong key are each refused in Portuguese', async () => {
  const { page } = await openForm('', ana);
  await page.getByRole('dialog', { name: 'Mesa de fluxo' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  const isFocused = (label: string): Promise<boolean> =>
    page.getByLabel(label).evaluate((field) => field === document.activeElement);
  const submit = page.getByRole('button', { name: 'entrar', exact: true });
  await submit.click();
  await expectRefused(ana, /^Escreva o nome/);
  expect(await isFocused('Nome')).toBe(true);
  await page.getByLabel('Nome').fill('Ana');
  await submit.click();
  await expectRefused(ana, /^Escreva a chave/);
  expect(await isFocused('Chave')).toBe(true);
  expect(ana.requests.filter((line) => line.startsWith('POST'))).toEqual([]);

  await page.getByLabel('Nome').fill('Ana\u202Ealves');
  await page.getByLabel('Chave').fill(DESK_KEY);
  await page.keyboard.press('Enter');
  await expectRefused(ana, /até 60 letras/);

  await page.getByLabel('Nome').fill('Ana');
  await page.getByLabel('Chave').fill('errada');
  await page.keyboard.press('Enter');
  await expectRefused(
    ana,
    /^A chave não confere\. Pode ter mudado: peça a chave a quem administra o sistema\.$/,
  );
  expect(await page.locator('.desk').count()).toBe(0);
  expect(await ana.status()).toBe('');
  expect(await page.getByLabel('Nome').inputValue()).toBe('Ana');
  await signInToDesk(ana, 'Ana');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.locator('.total-admitted').innerText()).toMatch(/^[\d.]+$/);
});

test('two operators work on two pages, each by name, and a desk is taken over by another', async () => {
  await note(ana, 'chuva forte');
  await until(async () => expect(await bia.page.locator('.log').innerText()).toMatch(/Ana:\s+.*chuva forte/));
  const occurrence = () => bia.page.getByRole('button', { name: 'ocorrência' }).click();
  await occurrence();
  await bia.page.getByLabel('o que houve').fill('portão 4');
  await bia.page.keyboard.press('Escape');
  await bia.page.locator('.operator summary').click();
  await bia.page.getByRole('button', { name: 'trocar operador' }).click();
  await bia.page.getByLabel('Nome de quem assume').fill('Caio');
  await bia.page.getByRole('button', { name: 'assumir' }).click();
  await until(async () => expect(await bia.page.locator('.operator summary').innerText()).toBe('Caio'));
  await occurrence();
  expect(await bia.page.getByLabel('o que houve').inputValue()).toBe('Bia: portão 4');
  await bia.page.keyboard.press('Escape');
  await note(bia, 'portão 4 reaberto');
  await until(async () =>
    expect((await log()).flatMap(({ kind, by }) => (kind === 'occurrence' ? [by] : []))).toEqual([
      'Ana',
      'Caio',
    ]),
  );
});

test('a phone enters by the code that a desk shows, with a name alone, once', async () => {
  const { page } = bia;
  const { url } = match.server;
  const choose = async (): Promise<void> => {
    await page.locator('.operator summary').click();
    await page.getByRole('button', { name: 'entrar com o telefone' }).click();
  };
  // Given up before it has loaded, it does not open by itself.
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  await page.route('**/*.js', async (route) => {
    await held;
    await route.continue();
  });
  await choose();
  await page.getByRole('dialog').getByText('Carregando…').waitFor();
  await page.keyboard.press('Escape');
  const loaded = page.waitForResponse('**/*.js');
  goOn();
  await (await loaded).finished();
  await page.unroute('**/*.js');
  expect(await page.getByRole('dialog').count()).toBe(0);

  const asked = page.waitForResponse('**/invitations');
  await choose();
  const { invitation } = (await (await asked).json()) as { invitation: string };
  await until(async () => expect(await page.getByRole('dialog').innerText()).toMatch(/por mais 1:\d\d/));
  const phone = await newPage(browser);
  const link = await readCode(page, phone.page);
  expect(link).toBe(`${url}/fluxo#convite=${encodeURIComponent(invitation)}`);
  await page.keyboard.press('Escape');

  // Where the page already asks for the key, the link only changes the fragment.
  await phone.page.goto(`${url}/fluxo`);
  await phone.page.getByLabel('Chave').waitFor();
  await phone.page.goto(link);
  await phone.page.getByLabel('Chave').waitFor({ state: 'detached' });
  await phone.page.getByLabel('Nome').fill('Rui');
  expect(await phone.page.getByLabel('Chave').count()).toBe(0);
  expect(phone.page.url()).toBe(`${url}/fluxo`);
  await phone.page.getByRole('button', { name: 'entrar', exact: true }).click();
  await phone.expectStatus('ao vivo');

  const late = await openForm(`#convite=${invitation}`);
  await late.page.getByLabel('Nome').fill('Eva');
  await late.page.getByRole('button', { name: 'entrar', exact: true }).click();
  await expectRefused(late, /já foi usado/);
  await signInToDesk(late, 'Eva');
});

/** Reads the code on the screen, like a camera; `reader` is an empty page. */
async function readCode(page: Page, reader: Page): Promise<string> {
  const picture = await page.getByRole('img', { name: 'código do convite' }).screenshot();
  const { data, ...size } = await reader.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const { width, height } = image;
    const drawn = new OffscreenCanvas(width, height).getContext('2d');
    drawn?.drawImage(image, 0, 0);
    const bytes = drawn?.getImageData(0, 0, width, height).data ?? [];
    return { width, height, data: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) };
  }, picture.toString('base64'));
  return decodeQR({ ...size, data: Uint8Array.from(Buffer.from(data, 'base64')) });
}

test('a sign-out leaves nothing of the desk on the screen; the link of a demonstration signs in, and leaves no key in the address', async () => {
  const { page } = bia;
  await page.locator('.operator summary').click();
  await page.getByRole('button', { name: 'sair' }).click();
  await page.getByRole('dialog', { name: 'Mesa de fluxo' }).waitFor();
  expect(await page.locator('.desk').count()).toBe(0);
  const answers = await page.evaluate(async () => (await fetch('/fluxo/api/session')).status);
  expect(answers).toBe(401);

  await page.goto('about:blank');
  await openForm(`#${new URLSearchParams({ chave: DESK_KEY, nome: 'Demo' }).toString()}`, bia);
  await bia.expectStatus('ao vivo');
  expect(await page.locator('.operator summary').innerText()).toBe('Demo');
  expect(page.url()).toBe(`${match.server.url}/fluxo`);
});

testInFull(
  'hours before the match the desk loads a new version by itself, but not with unsent text; during the match it offers the version',
  async () => {
    const { page } = ana;
    const readBuild = (): Promise<string | null> => page.locator('html').getAttribute('data-build');
    await page.addInitScript(() => {
      Math.random = () => 0.02;
    });
    await page.reload();
    await ana.expectStatus('ao vivo');
    const build = await readBuild();
    await page.getByRole('button', { name: 'ocorrência' }).click();
    await page.getByLabel('o que houve').fill('chuva');
    await match.restart({ overrides: makeNextBuild() });
    await ana.expectStatus('ao vivo', 30_000);
    // The dialog is closed, but its text stays.
    await page.getByRole('button', { name: 'voltar' }).click();
    await page.waitForTimeout(LONG_MS);
    expect(await readBuild()).toBe(build);
    await page.getByRole('button', { name: 'ocorrência' }).click();
    expect(await page.getByLabel('o que houve').inputValue()).toBe('chuva');
    await page.getByLabel('o que houve').fill('');
    await page.getByRole('button', { name: 'voltar' }).click();
    await until(async () => expect(await readBuild()).not.toBe(build));
    await ana.expectStatus('ao vivo');

    match.clock.advance((EARLY_MIN - 24) * MINUTE_MS);
    await until(async () => expect(await page.locator('.strip-kick-off').innerText()).toMatch(/2\d min/));
    const next = await readBuild();
    await match.restart();
    const notice = page.locator('.notices');
    await until(async () => expect(await notice.innerText()).toMatch('Há uma versão nova desta página'));
    await ana.expectStatus('ao vivo', 30_000);
    await page.waitForTimeout(LONG_MS);
    expect(await readBuild()).toBe(next);
    await page.getByRole('button', { name: 'carregar agora' }).click();
    await until(async () => expect(await readBuild()).toBe(build));
    await ana.expectStatus('ao vivo');
    expect(await notice.innerText()).toBe('');
  },
);

test('a session that ends in mid-work asks for the key over the page: what is being written survives, and is sent by the new one', async () => {
  await match.restart({ overrides: { deskSessionLifetimeMs: LIFETIME_MS } });
  const { page } = bia;
  await page.context().clearCookies();
  await openForm('', bia);
  await signInToDesk(bia, 'Bia');
  await page.getByRole('button', { name: 'ocorrência' }).click();
  await page.getByLabel('o que houve').fill('fila longa');
  const form = page.getByRole('dialog', { name: 'A sessão terminou' });
  await form.waitFor({ timeout: 30_000 });
  expect(await form.getByLabel('Nome').inputValue()).toBe('Bia');
  expect(await page.getByLabel('o que houve').inputValue()).toBe('fila longa');
  await bia.expectStatus(/^sem conexão/);
  await form.getByLabel('Chave').fill(` ${DESK_KEY} `);
  await page.keyboard.press('Enter');
  await bia.expectStatus('ao vivo');
  await page.getByRole('button', { name: 'registrar' }).click();
  await until(async () => expect(await page.locator('.log').innerText()).toMatch(/Bia:\s+.*fila longa/));
});

test('after ten wrong keys in a minute the form states that the key is wrong, and a right one opens the desk', async () => {
  const { page } = bia;
  await page.context().clearCookies();
  await openForm('', bia);
  await page.getByLabel('Nome').fill('Bia');
  await page.getByLabel('Chave').fill('errada');
  const answers = await page.evaluate((tries) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Bia', key: 'errada' });
    const signIn = () => fetch('/fluxo/api/sign-in', { method: 'POST', headers, body });
    return Promise.all(Array.from({ length: tries }, async () => (await signIn()).status));
  }, WRONG_KEYS);
  expect(answers).toEqual(answers.map(() => 401));
  await page.getByRole('button', { name: 'entrar', exact: true }).click();
  await expectRefused(bia, /^A chave não confere/);
  await page.getByLabel('Chave').fill(DESK_KEY);
  await page.getByRole('button', { name: 'entrar', exact: true }).click();
  await bia.expectStatus('ao vivo');
});
