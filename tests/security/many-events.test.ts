import { describe, expect, test } from 'vitest';
import { deriveEventKey } from '../../fleet/events/event-keys.ts';
import { type Answer, askAs, type Asking } from '../../testing/server/ask-as.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { namedEvent, startEventsApp } from '../../testing/fleet/events-app.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { EMAIL, KEY } from '../../testing/server/server.ts';

// One process serves two events, each under a host name of its own. Access to one gives no access to the other.

const ONE = { eventId: 'a'.repeat(32), host: 'one.test' };
const OTHER = { eventId: 'b'.repeat(32), host: 'other.test' };
type Event = typeof ONE;

const app = openForAll(() =>
  startEventsApp([ONE, OTHER].map(({ eventId, host }) => namedEvent(eventId, host))),
);

const ask = ({ host }: Event, path: string, asking?: Asking): Promise<Answer> =>
  askAs(app.url, host, path, asking);

const wallKey = ({ eventId }: Event): string => deriveEventKey(KEY, 'dashboard', eventId);
const deskKey = ({ eventId }: Event): string => deriveEventKey(DESK_KEY, 'desk', eventId);

const signIn = (event: Event, key: string): Promise<Answer> =>
  ask(event, '/api/sign-in', { method: 'POST', body: { email: EMAIL, key } });

/** Sends a POST with the origin of a page of the event. */
const post = (event: Event, path: string, body?: unknown, cookie = ''): Promise<Answer> =>
  ask(event, `/fluxo/api${path}`, {
    method: 'POST',
    body,
    headers: { cookie, origin: `http://${event.host}` },
  });
const signInToDesk = (event: Event, secret: Record<string, string>): Promise<Answer> =>
  post(event, '/sign-in', { name: 'Ana', ...secret });

/** Requests everything that needs a session, under the host name of `event`. Returns the status codes. */
async function statusesOf(event: Event, cookie: string, eventId = event.eventId): Promise<number[]> {
  const wall = [`/api/events/${eventId}/live`, `/api/events/${eventId}/tickets/count?isValidTicket=true`];
  const desk = ['history?from=0&to=1', 'usual', 'state?at=1', 'log', 'live', 'record', 'record/log.csv'];
  const paths = [...wall, ...desk.map((path) => `/fluxo/api/events/${eventId}/${path}`)];
  const command = { id: crypto.randomUUID(), kind: 'evacuation' };
  const answers = [
    ...paths.map((path) => ask(event, path, { headers: { cookie } })),
    post(event, `/events/${eventId}/commands`, command, cookie),
  ];
  return (await Promise.all(answers)).map(({ status }) => status);
}

const tenTimes = (status: number): number[] => Array<number>(10).fill(status);

describe('invariant 7: a session of one event', () => {
  test('gives no access to another event, under either host name and either path', async () => {
    const { status, cookie } = await signIn(ONE, wallKey(ONE));
    expect(status).toBe(204);
    const desk = await signInToDesk(ONE, { key: deskKey(ONE) });
    expect(desk.status).toBe(204);
    const both = `${cookie}; ${desk.cookie}`;
    // It is valid for its own event. The count answers 503, as there are no counts yet.
    expect((await statusesOf(ONE, both)).slice(0, 5)).toEqual([200, 503, 200, 200, 404]);

    expect(await statusesOf(OTHER, both)).toEqual(tenTimes(401));
    expect(await statusesOf(OTHER, both, ONE.eventId)).toEqual(tenTimes(404));
    expect(await statusesOf(ONE, both, OTHER.eventId)).toEqual(tenTimes(404));
    expect((await ask(OTHER, '/fluxo/api/session', { headers: { cookie: both } })).status).toBe(401);
    expect((await post(OTHER, '/operator', { name: 'Eve' }, both)).status).toBe(401);
    expect((await post(OTHER, '/invitations', undefined, both)).status).toBe(401);
    expect(app.desks.get(OTHER.eventId)?.rows).toEqual([]);
  });

  test('creates invitations to its own event only', async () => {
    const { cookie } = await signInToDesk(ONE, { key: deskKey(ONE) });
    const { text } = await post(ONE, '/invitations', undefined, cookie);
    const { invitation } = JSON.parse(text) as { invitation: string };
    expect((await signInToDesk(OTHER, { invitation })).status).toBe(401);
    // The refused sign-in has not used up the invitation.
    expect((await signInToDesk(ONE, { invitation })).status).toBe(204);
  });
});

describe('a key', () => {
  test('signs in to its own event only, and a key from the settings signs in to none', async () => {
    for (const key of [wallKey(OTHER), deskKey(ONE), deskKey(OTHER), KEY, DESK_KEY]) {
      expect((await signIn(ONE, key)).status).toBe(401);
    }
    for (const key of [deskKey(OTHER), wallKey(ONE), KEY]) {
      expect((await signInToDesk(ONE, { key })).status).toBe(401);
    }
    expect((await signInToDesk(ONE, { key: DESK_KEY })).status).toBe(401);
  });

  test('of a wall is in its config.json, and no page contains another key or the name of another event', async () => {
    const config = JSON.parse((await ask(ONE, '/config.json')).text) as { key: string };
    expect(config.key).toBe(wallKey(ONE));
    const answers = await Promise.all(['/', '/config.json', '/fluxo'].map((path) => ask(ONE, path)));
    const texts = answers.map(({ text }) => text).join('\n');
    for (const secret of [KEY, DESK_KEY, deskKey(ONE), wallKey(OTHER), OTHER.eventId, OTHER.host]) {
      expect(texts).not.toContain(secret);
    }
  });
});

test('a page of one event cannot send commands to another, though its browser has a session there', async () => {
  const { cookie } = await signInToDesk(OTHER, { key: deskKey(OTHER) });
  const path = `/fluxo/api/events/${OTHER.eventId}/commands`;
  const body = { id: crypto.randomUUID(), kind: 'evacuation' };
  const headers = { cookie, origin: `http://${ONE.host}` };
  expect((await ask(OTHER, path, { method: 'POST', body, headers })).status).toBe(403);
  expect(app.desks.get(OTHER.eventId)?.rows).toEqual([]);
});

test('failed sign-ins of one address are limited across all events', async () => {
  const guessed = await startEventsApp([ONE, OTHER].map(({ eventId, host }) => namedEvent(eventId, host)));
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1) {
    const { host } = guess % 2 === 0 ? ONE : OTHER;
    const body = { email: EMAIL, key: `guess ${guess}` };
    statuses.push((await askAs(guessed.url, host, '/api/sign-in', { method: 'POST', body })).status);
  }
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
});

test('the viewers of one address are limited across all events', async () => {
  const small = await startEventsApp(
    [ONE, OTHER].map(({ eventId, host }) => namedEvent(eventId, host)),
    { viewerLimits: { maxViewers: 10, maxViewersPerAddress: 1 } },
  );
  const open = async (event: Event): Promise<number> => {
    const body = { email: EMAIL, key: wallKey(event) };
    const { cookie } = await askAs(small.url, event.host, '/api/sign-in', { method: 'POST', body });
    const path = `/api/events/${event.eventId}/live`;
    return (await askAs(small.url, event.host, path, { headers: { cookie }, staysOpen: true })).status;
  };
  expect([await open(ONE), await open(OTHER)]).toEqual([200, 429]);
});

test('the tests above have logged no secret and no failed request', () => {
  const log = JSON.stringify(app.logged);
  for (const secret of [KEY, DESK_KEY, wallKey(ONE), deskKey(ONE), 'triagem_desk', 'triagem_session']) {
    expect(log).not.toContain(secret);
  }
  expect(log).not.toContain('request failed');
});
