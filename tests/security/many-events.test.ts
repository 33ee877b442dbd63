import { describe, expect, test } from 'vitest';
import { deriveEventKey } from '../../fleet/events/event-keys.ts';
import { type Answer, askAs, type Asking } from '../../testing/server/ask-as.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { namedEvent, startEventsApp } from '../../testing/fleet/events-app.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { EMAIL, KEY } from '../../testing/server/server.ts';

// Two events of one process, each under its name: whoever may see one may see nothing of the other.

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

/** A POST as a page of the event makes it. */
const post = (event: Event, path: string, body?: unknown, cookie = ''): Promise<Answer> =>
  ask(event, `/fluxo/api${path}`, {
    method: 'POST',
    body,
    headers: { cookie, origin: `http://${event.host}` },
  });
const signInToDesk = (event: Event, secret: Record<string, string>): Promise<Answer> =>
  post(event, '/sign-in', { name: 'Ana', ...secret });

/** What all that a session opens is answered, under the name of `event`. */
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

const all = (status: number): number[] => Array<number>(10).fill(status);

describe('invariant 7: a session of one event', () => {
  test('opens nothing of another, under whatever name and path it is shown', async () => {
    const { status, cookie } = await signIn(ONE, wallKey(ONE));
    expect(status).toBe(204);
    const desk = await signInToDesk(ONE, { key: deskKey(ONE) });
    expect(desk.status).toBe(204);
    const both = `${cookie}; ${desk.cookie}`;
    // It is good where it was given: no counts yet, so 503 for their number.
    expect((await statusesOf(ONE, both)).slice(0, 5)).toEqual([200, 503, 200, 200, 404]);

    expect(await statusesOf(OTHER, both)).toEqual(all(401));
    expect(await statusesOf(OTHER, both, ONE.eventId)).toEqual(all(404));
    expect(await statusesOf(ONE, both, OTHER.eventId)).toEqual(all(404));
    expect((await ask(OTHER, '/fluxo/api/session', { headers: { cookie: both } })).status).toBe(401);
    expect((await post(OTHER, '/operator', { name: 'Eve' }, both)).status).toBe(401);
    expect((await post(OTHER, '/invitations', undefined, both)).status).toBe(401);
    expect(app.desks.get(OTHER.eventId)?.rows).toEqual([]);
  });

  test('lets nobody into another by an invitation', async () => {
    const { cookie } = await signInToDesk(ONE, { key: deskKey(ONE) });
    const { text } = await post(ONE, '/invitations', undefined, cookie);
    const { invitation } = JSON.parse(text) as { invitation: string };
    expect((await signInToDesk(OTHER, { invitation })).status).toBe(401);
    // Nor was it used up there.
    expect((await signInToDesk(ONE, { invitation })).status).toBe(204);
  });
});

describe('a key', () => {
  test('is of one event: no other takes it, and none takes those that are set', async () => {
    for (const key of [wallKey(OTHER), deskKey(ONE), deskKey(OTHER), KEY, DESK_KEY]) {
      expect((await signIn(ONE, key)).status).toBe(401);
    }
    for (const key of [deskKey(OTHER), wallKey(ONE), KEY]) {
      expect((await signInToDesk(ONE, { key })).status).toBe(401);
    }
    expect((await signInToDesk(ONE, { key: DESK_KEY })).status).toBe(401);
  });

  test('of a dashboard is what its page receives, and leads to no other', async () => {
    const told = JSON.parse((await ask(ONE, '/config.json')).text) as { key: string };
    expect(told.key).toBe(wallKey(ONE));
    const everything = await Promise.all(['/', '/config.json', '/fluxo'].map((path) => ask(ONE, path)));
    const texts = everything.map(({ text }) => text).join('\n');
    for (const secret of [KEY, DESK_KEY, deskKey(ONE), wallKey(OTHER), OTHER.eventId, OTHER.host]) {
      expect(texts).not.toContain(secret);
    }
  });
});

test('a page of one event cannot write to another, with the session of a browser that has both', async () => {
  const { cookie } = await signInToDesk(OTHER, { key: deskKey(OTHER) });
  const path = `/fluxo/api/events/${OTHER.eventId}/commands`;
  const body = { id: crypto.randomUUID(), kind: 'evacuation' };
  const headers = { cookie, origin: `http://${ONE.host}` };
  expect((await ask(OTHER, path, { method: 'POST', body, headers })).status).toBe(403);
  expect(app.desks.get(OTHER.eventId)?.rows).toEqual([]);
});

test('a guesser who goes from event to event has to wait like one who stays', async () => {
  const guessed = await startEventsApp([ONE, OTHER].map(({ eventId, host }) => namedEvent(eventId, host)));
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1) {
    const { host } = guess % 2 === 0 ? ONE : OTHER;
    const body = { email: EMAIL, key: `guess ${guess}` };
    statuses.push((await askAs(guessed.url, host, '/api/sign-in', { method: 'POST', body })).status);
  }
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
});

test('viewers of all events share the process: one address cannot take all of it through many names', async () => {
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

test('nothing secret was logged by all this', () => {
  const log = JSON.stringify(app.logged);
  for (const secret of [KEY, DESK_KEY, wallKey(ONE), deskKey(ONE), 'triagem_desk', 'triagem_session']) {
    expect(log).not.toContain(secret);
  }
  expect(log).not.toContain('request failed');
});
