import { createServer } from 'node:http';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort } from '../../testing/server/free-port.ts';
import { openBrowser } from '../../testing/browser/browser.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { prepareNginx } from '../../testing/server/nginx.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { startTestServer } from '../../testing/server/test-server.ts';

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database, { DESK_KEY, TRUST_PROXY: '127.0.0.1' }));
const browser = openForAll(openBrowser);

/** Posts from the page, and returns the status or the error. */
function post(page: Page, url: string, body: unknown): Promise<number | string> {
  return page.evaluate(
    ([address, text]) =>
      fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text }).then(
        ({ status }) => status,
        (error: unknown) => String(error),
      ),
    [url, JSON.stringify(body)] as const,
  );
}

async function openPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function expectDesk(context: BrowserContext, url: string, isSecure: boolean): Promise<void> {
  const page = await openPage(context, url);
  expect(await post(page, '/fluxo/api/sign-in', { name: 'Ana', key: DESK_KEY })).toBe(204);
  const session = await page.evaluate(async () => (await fetch('/fluxo/api/session')).json());
  expect(session).toMatchObject({ name: 'Ana' });
  expect(await post(page, '/fluxo/api/operator', { name: 'Bruno' })).toBe(204);
  const cookies = (await context.cookies()).filter(({ name }) => name === 'triagem_desk');
  expect(cookies).toMatchObject([{ path: '/fluxo', httpOnly: true, sameSite: 'Strict', secure: isSecure }]);
  expect(await page.evaluate(() => document.cookie)).toBe('');
}

test('a page of the board, which sends no referrer, writes to the desk of its own address', async () => {
  await expectDesk(await browser.newContext(), server.url, false);
});

test('so it does behind the documented nginx, over TLS, on any port', async () => {
  const nginx = await prepareNginx(Number(new URL(server.url).port));
  await nginx.start();
  await expectDesk(await browser.newContext({ ignoreHTTPSErrors: true }), nginx.url, true);
});

test('a page of the same host on another port, whose calls the browser sends the cookie with, writes nothing', async () => {
  const context = await browser.newContext();
  await expectDesk(context, server.url, false);
  const evil = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<p>'),
  );
  closeOnce(() => evil.close());
  const port = await freePort();
  evil.listen(port, '127.0.0.1');
  const page = await openPage(context, `http://127.0.0.1:${port}`);
  const address = `${server.url}/fluxo/api/invitations`;
  const answered = page.waitForResponse(address);
  await page.evaluate((action) => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action });
    document.body.append(form);
    form.submit();
  }, address);
  const response = await answered;
  expect((await response.request().allHeaders())['cookie']).toContain('triagem_desk=');
  expect(response.status()).toBe(403);
});
