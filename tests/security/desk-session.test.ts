import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase, newEventId } from '../../testing/database/database.ts';
import { DESK_KEY, deskSettings } from '../../testing/desk/desk-app.ts';
import {
  DESK_READS,
  DESK_WRITES,
  type DeskClient,
  deskClient,
  openDesk,
  postDesk,
} from '../../testing/desk/desk-client.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { LIVE_PATH, postSignIn, signIn } from '../../testing/browser/page-client.ts';
import { EMAIL, KEY } from '../../testing/server/server.ts';
import { startTestServer } from '../../testing/server/test-server.ts';

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database, deskSettings(database)));

const signInToDesk = (): Promise<DeskClient> => openDesk(server.url, { name: 'Ana', key: DESK_KEY });

/** Makes every request of a desk with this cookie, and returns the status codes. */
async function statusesOf(cookie: string): Promise<number[]> {
  const desk = deskClient(server.url, cookie);
  const answers = [
    ...DESK_READS.map((path) => desk.get(path)),
    ...DESK_WRITES.map(([path, body]) => desk.post(path, body)),
  ];
  return (await Promise.all(answers)).map(({ status }) => status);
}

const ALL_401 = Array<number>(DESK_READS.length + DESK_WRITES.length).fill(401);

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

  test('is not the account that every screen receives', async () => {
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
    const other = await startTestServer(database, { ...deskSettings(database), ...env });
    const again = await startTestServer(database, deskSettings(database));
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

describe('a guesser', () => {
  const GUESS = 'nobody-may-log-this-guess';

  test('of keys and invitations has to wait, whatever address it claims; the right key is let in', async () => {
    const guessed = await startTestServer(database, deskSettings(database));
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

test('nothing secret was logged by all this', () => {
  const log = JSON.stringify(server.logged);
  for (const secret of [DESK_KEY, KEY, 'triagem_desk', 'triagem_session']) expect(log).not.toContain(secret);
  expect(log).not.toContain('request failed');
});
