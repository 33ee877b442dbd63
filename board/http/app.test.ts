import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { InProcessFanOut } from '../fan-out/in-process.ts';
import { createVenueClock } from '../venue/venue-clock.ts';
import { buildApp } from './app.ts';
import { loadPages, type PageDefinition } from './page.ts';
import { onlyEvent } from './served-event.ts';

const BOARD: PageDefinition = { file: 'index.html', route: '/', title: 'Palestra × Atlético', values: {} };
const SECOND: PageDefinition = {
  file: 'second.html',
  route: '/second',
  title: 'Another <page>',
  values: { word: 'its own' },
  policy: { 'img-src': ["'self'", 'data:'], 'form-action': ["'self'"] },
};

/** Serves a build of two pages, and returns the answers at `paths`. */
async function serve(definitions: readonly PageDefinition[], paths: readonly string[]) {
  const webRoot = mkdtempSync(join(tmpdir(), 'triagem-pages-'));
  mkdirSync(join(webRoot, 'static'));
  writeFileSync(join(webRoot, 'index.html'), '<p data-build="{{build}}">{{title}}<script>one()</script>');
  writeFileSync(join(webRoot, 'second.html'), '<p data-build="{{build}}">{{title}}, {{word}}');
  const readClock = createVenueClock('UTC');
  const fanOut = new InProcessFanOut({ rows: [], readClock });
  const pages = loadPages(webRoot, definitions);
  const app = await buildApp({
    events: onlyEvent({
      eventId: 'event',
      account: { email: 'a@b', key: 'k'.repeat(32) },
      pages,
      fanOut,
      readClock,
    }),
    sessionSecret: 's'.repeat(32),
    trustProxy: true,
    viewerLimits: { maxViewers: 1, maxViewersPerAddress: 1 },
    webRoot,
    notReadyReason: () => undefined,
    warning: () => undefined,
    log: pino({ level: 'silent' }),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const answers = await Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${url}${path}`);
      const policy = response.headers.get('content-security-policy');
      return { status: response.status, text: await response.text(), policy };
    }),
  );
  const overTls = await fetch(`${url}${paths[0]}`, { headers: { 'x-forwarded-proto': 'https' } });
  await app.close();
  fanOut.close();
  rmSync(webRoot, { recursive: true });
  return { answers, buildId: pages.buildId, policyOverTls: overTls.headers.get('content-security-policy') };
}

const BOARD_POLICY =
  "default-src 'none';script-src 'self' 'sha256-HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4=';style-src 'self';font-src 'self';" +
  "img-src 'self';connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'";
const SECOND_POLICY =
  "default-src 'none';script-src 'self';style-src 'self';font-src 'self';" +
  "img-src 'self' data:;connect-src 'self';base-uri 'none';form-action 'self';frame-ancestors 'none'";

test('two pages are served at their own routes, with their own titles and policies, from one build', async () => {
  const { answers, buildId } = await serve([BOARD, SECOND], ['/', '/second', '/second?query', '/third']);
  const [board, second, withQuery, third] = answers;
  expect(board).toEqual({
    status: 200,
    text: `<p data-build="${buildId}">Palestra × Atlético<script>one()</script>`,
    policy: BOARD_POLICY,
  });
  expect(second).toEqual({
    status: 200,
    text: `<p data-build="${buildId}">Another &lt;page&gt;, its own`,
    policy: SECOND_POLICY,
  });
  expect(withQuery).toEqual(second);
  expect(third).toMatchObject({ status: 404, policy: BOARD_POLICY });
});

test('a second page changes only the build ID of the first', async () => {
  const alone = await serve([BOARD], ['/', '/second']);
  const both = await serve([BOARD, SECOND], ['/']);
  expect(alone.answers[1]?.status).toBe(404);
  expect(both.buildId).not.toBe(alone.buildId);
  expect(both.answers[0]?.text.replace(both.buildId, alone.buildId)).toBe(alone.answers[0]?.text);
  expect(both.answers[0]?.policy).toBe(alone.answers[0]?.policy);
});

test('over TLS, the policy of each page upgrades insecure requests', async () => {
  const { policyOverTls } = await serve([BOARD, SECOND], ['/second']);
  expect(policyOverTls).toBe(`${SECOND_POLICY};upgrade-insecure-requests`);
});
