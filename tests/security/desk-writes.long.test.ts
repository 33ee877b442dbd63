import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { LogRow } from '../../desk/model/log/flow-log.ts';
import { sha256 } from '../../desk/http/record-files.ts';
import { verifyChain } from '../../desk/model/log/log-chain.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { DESK_KEY, deskSettings } from '../../testing/desk/desk-app.ts';
import {
  commandUntilAccepted,
  DESK_EVENT_PATH,
  DESK_WRITES,
  type DeskClient,
  openDesk,
} from '../../testing/desk/desk-client.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { openRawClient } from '../../testing/server/raw-client.ts';
import { KEY } from '../../testing/server/server.ts';
import { startTestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(() => createTestDatabase({ inside: { a: '4' }, outside: { b: '4' } }));
const server = openForAll(() => startTestServer(database, deskSettings(database)));

const signInToDesk = (name = 'Ana'): Promise<DeskClient> => openDesk(server.url, { name, key: DESK_KEY });

beforeAll(async () => {
  await untilReady(server);
  // The record is loaded, and this server writes it.
  const ana = await signInToDesk();
  await commandUntilAccepted(ana, { text: 'the record is open' });
});

/** As a desk that has just been opened. */
async function readWholeLog(): Promise<readonly LogRow[]> {
  const reader = await signInToDesk('a reader');
  const rows: LogRow[] = [];
  for (let hasMore = true; hasMore;) {
    const response = await reader.get(`${DESK_EVENT_PATH}/log?after=${rows.length}`);
    const read = (await response.json()) as { rows: LogRow[]; hasMore: boolean };
    rows.push(...read.rows);
    ({ hasMore } = read);
  }
  return rows;
}

/** The rows that operators have added. */
async function readLog(): Promise<readonly LogRow[]> {
  return (await readWholeLog()).filter(({ by }) => by !== null);
}

describe('another site', () => {
  const FOREIGN = [
    undefined,
    'null',
    '',
    'https://evil.test',
    'http://127.0.0.1',
    'http://127.0.0.1:1',
    'http://localhost',
  ];

  test.each(FOREIGN)(
    'of the origin %s writes nothing, though the browser sent the session along',
    async (origin) => {
      const { cookie } = await signInToDesk();
      const before = await readLog();
      const port = new URL(server.url).port;
      const own = [
        `https://127.0.0.1:${port}`,
        `${server.url}/`,
        `${server.url}.evil.test`,
        server.url.toUpperCase(),
      ];
      for (const sent of [origin, ...own]) {
        for (const [path, body] of [...DESK_WRITES, ['/fluxo/api/sign-out', undefined] as const]) {
          const client = await openRawClient(server.url);
          const json = JSON.stringify(body ?? {});
          client.write(
            [
              `POST ${path} HTTP/1.1`,
              `host: 127.0.0.1:${port}`,
              `cookie: ${cookie}`,
              ...(sent === undefined ? [] : [`origin: ${sent}`]),
              // Whoever is not trusted names no other host.
              'x-forwarded-host: evil.test',
              'x-forwarded-proto: https',
              'content-type: application/json',
              `content-length: ${json.length}`,
              '',
              json,
            ].join('\r\n'),
          );
          await until(() => expect([sent, path, client.statuses()]).toEqual([sent, path, [403]]));
          client.leave();
        }
      }
      expect(await readLog()).toEqual(before);
    },
  );

  test('cannot send what a form sends, even where it could name its origin', async () => {
    const ana = await signInToDesk();
    const before = await readLog();
    const command = JSON.stringify({ id: crypto.randomUUID(), kind: 'evacuation' });
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const response = await ana.post(`${DESK_EVENT_PATH}/commands`, command, { 'content-type': type });
      expect([type, response.status]).toEqual([type, 415]);
    }
    expect(await readLog()).toEqual(before);
  });

  test('is not told that it may ask, and reads nothing', async () => {
    const { cookie } = await signInToDesk();
    const preflight = await fetch(`${server.url}${DESK_EVENT_PATH}/commands`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.test', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(404);
    const read = await fetch(`${server.url}/fluxo/api/session`, {
      headers: { cookie, origin: 'https://evil.test' },
    });
    for (const { headers } of [preflight, read]) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });

  test('writes nothing by a link: no GET changes anything', async () => {
    const ana = await signInToDesk();
    for (const path of [`${DESK_EVENT_PATH}/commands`, '/fluxo/api/sign-in', '/fluxo/api/operator']) {
      expect((await ana.get(path)).status).toBe(404);
    }
  });
});

describe('a hostile text', () => {
  const TEXTS = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'; drop table triagem.log; --",
    '=HYPERLINK("http://evil.test";"x")',
    '@SUM(1+1)|cmd',
    '{"__proto__":{"isAdmin":true}}',
    '${7*7}{{7*7}}',
    'event: desk',
    '%0d%0aSet-Cookie: a=b',
    '\\u202e',
    '👨‍👩‍👧‍👦'.repeat(71),
    'ﷺ'.repeat(500),
  ];

  test.each(TEXTS)('is kept as it was written, and is text: %s', async (text) => {
    const name = Array.from(text).slice(0, 60).join('').trim();
    const desk = await signInToDesk(name);
    expect(await (await desk.get('/fluxo/api/session')).json()).toMatchObject({ name });
    const response = await desk.command({ text });
    expect(response.status).toBe(200);
    const { seq } = (await response.json()) as { seq: number };
    const row = (await readLog()).find((other) => other.seq === seq);
    expect(row).toMatchObject({ by: name, data: { text } });
  });

  test('is never answered as anything but JSON, which no browser takes for a page', async () => {
    const ana = await signInToDesk();
    const log = await ana.get(`${DESK_EVENT_PATH}/log`);
    expect(log.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(log.headers.get('x-content-type-options')).toBe('nosniff');
    expect(log.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(log.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    'one\ntwo',
    'event: desk\ndata: {}',
    'abc\r\nset-cookie: a=b',
    'Ana\u202Edrowssap',
    'Ana\u2066x',
    'A\u200Bna',
    '\u001B[2J',
    'Ana\0',
    'Ana\uD800',
    'a\u0335\u0336\u0337\u0338\u0334\u0335',
    'x'.repeat(501),
    'x'.repeat(3_000),
    '   ',
  ])('that shows otherwise than it is written, or is too long, is refused: %j', async (text) => {
    const ana = await signInToDesk();
    const before = await readLog();
    const command = await ana.command({ text });
    expect(command.status).toBe(422);
    expect(await command.json()).toMatchObject({ field: 'text' });
    const named = await ana.post('/fluxo/api/operator', { name: text });
    expect([422, 413]).toContain(named.status);
    expect(named.headers.get('set-cookie')).toBeNull();
    expect(await readLog()).toEqual(before);
  });

  test.each([
    ['no JSON', '{"id":'],
    ['a polluted prototype', '{"kind":"evacuation","__proto__":{"isAdmin":true}}'],
    ['a polluted constructor', '{"kind":"evacuation","constructor":{"prototype":{"isAdmin":true}}}'],
  ])('%s is a problem that repeats nothing and pollutes nothing', async (_what, body) => {
    const ana = await signInToDesk();
    const response = await ana.post(`${DESK_EVENT_PATH}/commands`, body, {
      'content-type': 'application/json',
    });
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('isAdmin');
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  });

  test('of more than eight kilobytes is not read', async () => {
    const ana = await signInToDesk();
    expect((await ana.command({ text: 'x'.repeat(9_000) })).status).toBe(413);
    const named = await ana.post('/fluxo/api/operator', { name: 'x'.repeat(3_000) });
    expect(named.status).toBe(413);
  });
});

describe('a crowd', () => {
  test('of thousands of commands records sixty of a session, and the wall stays live', async () => {
    const wall = await openPageClient(server.url);
    await until(() => expect(wall.live).toBe(true));
    const mad = await signInToDesk('a script');
    const statuses = new Map<number, number>();
    const send = async (): Promise<void> => {
      for (let index = 0; index < 150; index += 1) {
        const { status } = await mad.command({ text: `occurrence ${index}` });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const flood = Promise.all(Array.from({ length: 20 }, send));
    await setEntered(database.gates, 'b', true);
    await until(() => expect(wall.counts?.total).toBe(2));
    await flood;
    expect(wall.live).toBe(true);
    // A minute may have ended on the way.
    const taken = statuses.get(200) ?? 0;
    expect(taken % 60).toBe(0);
    expect(taken).toBeGreaterThan(0);
    expect(taken + (statuses.get(429) ?? 0)).toBe(3_000);
    expect((await readLog()).filter(({ by }) => by === 'a script')).toHaveLength(taken);
    // Another session is not held up.
    expect((await (await signInToDesk('Bruno')).command({ text: 'chuva' })).status).toBe(200);
    wall.leave();
  });

  test('of a hundred desks takes no place of a wall, and has no more', async () => {
    const small = await startTestServer(database, { ...deskSettings(database), MAX_VIEWERS: '1' });
    await untilReady(small);
    const { cookie } = await openDesk(small.url, { name: 'Ana', key: DESK_KEY });
    const streams = await Promise.all(
      Array.from({ length: 101 }, async () => {
        const client = await openRawClient(small.url);
        client.get(`${DESK_EVENT_PATH}/live`, { cookie });
        return client;
      }),
    );
    await until(() => expect(streams.flatMap((client) => client.statuses())).toHaveLength(101));
    expect(streams.flatMap((client) => client.statuses()).filter((status) => status === 503)).toHaveLength(1);
    const wall = await openPageClient(small.url);
    await until(() => expect(wall.live).toBe(true));
    await expect(openPageClient(small.url)).rejects.toThrow('503');
    for (const client of streams) client.leave();
  });
});

test('invariant 11: the log is whole after all this, with each command that was taken once, and its chain unbroken', async () => {
  const rows = await readWholeLog();
  expect(verifyChain(DEFAULT_EVENT_ID, rows, sha256)).toMatchObject({ rows: rows.length, broken: undefined });
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const [recorded] = await database.admin<[{ rows: number }]>`
    select count(*)::int as rows from triagem.log where event_id = ${DEFAULT_EVENT_ID}`;
  expect(recorded.rows).toBe(rows.length);
});

test('nothing secret was logged by all this', () => {
  const log = JSON.stringify(server.logged);
  for (const secret of [DESK_KEY, KEY, 'triagem_desk', 'triagem_session']) expect(log).not.toContain(secret);
  expect(log).not.toContain('request failed');
});
