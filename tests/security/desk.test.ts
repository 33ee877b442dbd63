import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase, newEventId, setEntered } from '../../testing/database.ts';
import { DESK_KEY } from '../../testing/desk-app.ts';
import {
  cookieOf,
  DESK_EVENT_PATH,
  type DeskClient,
  deskClient,
  openDesk,
  postDesk,
} from '../../testing/desk-client.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { LIVE_PATH, openPageClient, postSignIn, signIn } from '../../testing/page-client.ts';
import { openRawClient } from '../../testing/raw-client.ts';
import { EMAIL, KEY } from '../../testing/server.ts';
import { startTestServer, untilReady } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const WITH_DESK = { DESK_KEY };

const database = openForAll(() => createTestDatabase({ inside: { a: '4' }, outside: { b: '4' } }));
const server = openForAll(() => startTestServer(database, WITH_DESK));

beforeAll(async () => {
  await untilReady(server);
  await untilWritable();
});

const signInToDesk = (name = 'Ana'): Promise<DeskClient> => openDesk(server.url, { name, key: DESK_KEY });

interface Row {
  readonly seq: number;
  readonly kind: string;
  readonly by: string | null;
  readonly data: Record<string, unknown>;
}

/** The rows that operators have added. */
async function readLog(): Promise<readonly Row[]> {
  const response = await (await signInToDesk('a reader')).get(`${DESK_EVENT_PATH}/log`);
  const { rows } = (await response.json()) as { rows: readonly Row[] };
  return rows.filter(({ by }) => by !== null);
}

/** The record is loaded, and this server writes it. */
async function untilWritable(): Promise<void> {
  const ana = await signInToDesk('the first');
  await until(async () => expect((await ana.command({ text: 'the record is open' })).status).toBe(200));
}

const READS = [
  '/fluxo/api/session',
  `${DESK_EVENT_PATH}/history?from=0&to=1`,
  `${DESK_EVENT_PATH}/log`,
  `${DESK_EVENT_PATH}/live`,
];
const WRITES: [path: string, body: unknown][] = [
  ['/fluxo/api/operator', { name: 'Eve' }],
  ['/fluxo/api/invitations', undefined],
  [`${DESK_EVENT_PATH}/commands`, { id: crypto.randomUUID(), kind: 'evacuation' }],
];

/** What all calls of a desk are answered with this cookie. */
async function statusesOf(cookie: string): Promise<number[]> {
  const desk = deskClient(server.url, cookie);
  const answers = [
    ...READS.map((path) => desk.get(path)),
    ...WRITES.map(([path, body]) => desk.post(path, body)),
  ];
  return (await Promise.all(answers)).map(({ status }) => status);
}

const ALL_401 = Array<number>(READS.length + WRITES.length).fill(401);

describe('a session of the desk', () => {
  test.each([
    ['none', ''],
    ['an empty one', 'triagem_desk='],
    ['text', 'triagem_desk=admin'],
    ['JSON', 'triagem_desk={"name":"Eve","endsAtMs":9999999999999}'],
    ['an unsigned one', `triagem_desk=${Buffer.from('["x","Eve",9999999999999]').toString('base64url')}`],
    ['a signature of nothing', `triagem_desk=.${'A'.repeat(43)}`],
    ['a long one', `triagem_desk=${'x'.repeat(4_000)}`],
  ])('is needed for all: %s opens nothing', async (_what, cookie) => {
    expect(await statusesOf(cookie)).toEqual(ALL_401);
  });

  test('is not that of the wall, whatever its name, and opens nothing of the wall', async () => {
    const ofWall = await signIn(server.url);
    const token = ofWall.slice(ofWall.indexOf('=') + 1);
    expect(await statusesOf(ofWall)).toEqual(ALL_401);
    expect(await statusesOf(`triagem_desk=${token}`)).toEqual(ALL_401);

    const { cookie } = await signInToDesk();
    const deskToken = cookie.slice(cookie.indexOf('=') + 1);
    for (const path of [LIVE_PATH, LIVE_PATH.replace('live', 'tickets/count?isValidTicket=true')]) {
      for (const sent of [cookie, `triagem_session=${deskToken}`]) {
        expect((await fetch(`${server.url}${path}`, { headers: { cookie: sent } })).status).toBe(401);
      }
    }
    const key = JSON.stringify({ email: EMAIL, key: DESK_KEY });
    expect((await postSignIn(server.url, key)).status).toBe(401);
  });

  test('is not the account that every screen is told', async () => {
    expect((await postDesk(server.url, '/fluxo/api/sign-in', { name: 'Eve', key: KEY })).status).toBe(401);
  });

  test('cannot be changed: not its name, not its end, not its signature', async () => {
    const { cookie } = await signInToDesk();
    const [text = '', signature = ''] = cookie.slice(cookie.indexOf('=') + 1).split('.');
    const [id, name, endsAtMs] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [
      string,
      string,
      number,
    ];
    const encode = (...parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
    for (const forged of [
      `${encode(id, 'Eve', endsAtMs)}.${signature}`,
      `${encode(id, name, endsAtMs + 1)}.${signature}`,
      `${text}.${signature.slice(0, -1)}`,
      `${text}.${signature.toLowerCase()}`,
      `${text}.${signature}.${signature}`,
      text,
    ]) {
      expect(await statusesOf(`triagem_desk=${forged}`)).toEqual(ALL_401);
    }
    expect((await deskClient(server.url, cookie).get('/fluxo/api/session')).status).toBe(200);
  });

  test.each([
    ['another key', { DESK_KEY: 'outra-chave-da-mesa-com-letras' }],
    ['another secret', { SESSION_SECRET: 'outro-segredo-com-muitas-letras' }],
    ['another event', { EVENT_ID: newEventId() }],
  ])('is foreign under %s, and survives a restart under the same', async (_what, env) => {
    const other = await startTestServer(database, { ...WITH_DESK, ...env });
    const again = await startTestServer(database, WITH_DESK);
    const { cookie } = await signInToDesk();
    expect((await deskClient(other.url, cookie).get('/fluxo/api/session')).status).toBe(401);
    expect((await deskClient(again.url, cookie).get('/fluxo/api/session')).status).toBe(200);
  });

  test('is of one event: another is not there, with a good session, a forged one and none', async () => {
    const { cookie } = await signInToDesk();
    const ours = DEFAULT_EVENT_ID;
    for (const other of [newEventId(), ours.toUpperCase(), 'x', 'a'.repeat(65), `${ours}%00`]) {
      for (const sent of [cookie, `${cookie}x`, '']) {
        const desk = deskClient(server.url, sent);
        const path = `/fluxo/api/events/${other}`;
        const answers = [
          desk.get(`${path}/live`),
          desk.get(`${path}/log`),
          desk.post(`${path}/commands`, { id: crypto.randomUUID(), kind: 'evacuation' }),
        ];
        expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 404]);
      }
    }
  });
});

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
        for (const [path, body] of [...WRITES, ['/fluxo/api/sign-out', undefined] as const]) {
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
  test('of thousands of commands records sixty of a session, and the wall goes on', async () => {
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
    const small = await startTestServer(database, { ...WITH_DESK, MAX_VIEWERS: '1' });
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

describe('a guesser', () => {
  const GUESS = 'nobody-may-log-this-guess';

  test('of keys and invitations is told to wait, whatever it says of its address; the right key is let in', async () => {
    const guessed = await startTestServer(database, WITH_DESK);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 14; attempt += 1) {
      const secret = attempt % 2 === 0 ? { key: GUESS } : { invitation: GUESS };
      const forged = { 'x-forwarded-for': `203.0.113.${attempt}`, forwarded: `for=203.0.113.${attempt}` };
      const response = await postDesk(guessed.url, '/fluxo/api/sign-in', { name: 'Eve', ...secret }, forged);
      statuses.push(response.status);
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(await response.text()).not.toContain(GUESS);
    }
    expect(statuses.slice(0, 10)).not.toContain(429);
    expect(statuses.slice(-3)).toEqual([429, 429, 429]);
    await expect(openDesk(guessed.url, { name: 'Ana', key: DESK_KEY })).resolves.toBeDefined();
    // Nor is the wall's sign-in used up.
    expect((await postSignIn(guessed.url, { email: EMAIL, key: GUESS })).status).toBe(401);
    expect((await postSignIn(guessed.url)).status).toBe(204);
    const log = JSON.stringify(guessed.logged);
    expect(log).not.toContain(GUESS);
    expect(log.split('sign-in to the desk failed').length - 1).toBe(10);
  });
});

describe('without its key', () => {
  test('nothing of the desk is there: each path is as any other that is not', async () => {
    const wall = await startTestServer(database);
    const cookies = [await signIn(wall.url), (await signInToDesk()).cookie];
    const unknown = await answerOf(wall.url, '/nothing');
    for (const cookie of cookies) {
      for (const path of ['/fluxo', '/fluxo/', '/fluxo/api', ...READS]) {
        expect([path, await answerOf(wall.url, path, { headers: { cookie } })]).toEqual([path, unknown]);
      }
      for (const path of [
        '/fluxo/api/sign-in',
        '/fluxo/api/sign-out',
        ...WRITES.map(([written]) => written),
      ]) {
        expect([path, (await deskClient(wall.url, cookie).post(path)).status]).toEqual([path, 404]);
      }
    }
  });

  test('the wall is answered the same, byte for byte, as with it', async () => {
    const wall = await startTestServer(database);
    await untilReady(wall);
    const cookie = await signIn(wall.url);
    const calls: [path: string, init?: RequestInit][] = [
      ['/'],
      ['/config.json'],
      ['/healthz'],
      ['/nothing'],
      [LIVE_PATH],
      [LIVE_PATH.replace('live', 'tickets/count?isValidTicket=true'), { headers: { cookie } }],
      [LIVE_PATH.replace('live', 'tickets/count'), { headers: { cookie } }],
      ['/api/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
      ['/api/sign-in', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }],
      ['/api/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body: GUESSED }],
    ];
    for (const [path, init] of calls) {
      const without = await answerOf(wall.url, path, init);
      expect([path, await answerOf(server.url, path, init)]).toEqual([path, without]);
    }
    const withDesk = await postSignIn(server.url);
    const without = await postSignIn(wall.url);
    const attributes = (response: Response): string =>
      (response.headers.get('set-cookie') ?? '').replace(cookieOf(response), '');
    expect(attributes(withDesk)).toBe(attributes(without));
  });

  const GUESSED = JSON.stringify({ email: EMAIL, key: 'wrong' });

  /** All of it but the time. */
  async function answerOf(url: string, path: string, init?: RequestInit): Promise<unknown> {
    const response = await fetch(`${url}${path}`, init);
    const headers = [...response.headers].filter(([name]) => name !== 'date');
    return { status: response.status, headers, body: await response.text() };
  }
});

test('nothing secret was logged by all this', () => {
  const log = JSON.stringify(server.logged);
  for (const secret of [DESK_KEY, KEY, 'triagem_desk', 'triagem_session']) expect(log).not.toContain(secret);
  expect(log).not.toContain('request failed');
});
