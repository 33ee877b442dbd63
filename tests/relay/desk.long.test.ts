import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogRow } from '../../desk/model/log/flow-log.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { productVersion } from '../../server/product-version.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import {
  commandUntilAccepted,
  DESK_EVENT_PATH,
  type DeskClient,
  openDesk,
  openDeskStream,
} from '../../testing/desk/desk-client.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { type Nats, startNats } from '../../testing/fleet/nats-server.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { isRecording } from '../../testing/desk/recorded-flow.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { until } from '../../testing/until.ts';
import { writeVenueFile } from '../../testing/server/venues.ts';
import { testInFull } from '../../testing/test-in-full.ts';

/** The record is another's after 3 s, and a desk sends a command again every quarter of a second or so. */
const TAKEN_OVER_WITHIN_MS = 6_000;

/** The limit for a counter that no edge reaches. */
const YIELDED_WITHIN_MS = 3_000;

const id = (): string => crypto.randomUUID();

async function logOf(desk: DeskClient): Promise<readonly LogRow[]> {
  const { rows } = (await (await desk.get(`${DESK_EVENT_PATH}/log`)).json()) as {
    rows: readonly LogRow[];
  };
  return rows;
}

/** The texts of its occurrences. */
async function textsOf(desk: DeskClient): Promise<string[]> {
  return (await logOf(desk)).flatMap((row) => (row.kind === 'occurrence' ? [row.data.text] : []));
}

test('desks at edges: one log, whichever counter writes it, no command lost when that one is killed, and none recorded after its deadline', async () => {
  const [nats, database] = await Promise.all([
    startNats(),
    createTestDatabase({ inside: { a: '4' }, outside: { b: '4' } }),
  ]);
  const env = (name: string) => ({ NODE_NAME: name, RECORD_DATABASE_URL: database.recordUrl });
  const counters = await Promise.all([
    startCounter(nats, database.observerUrl, { env: env('c1') }),
    startCounter(nats, database.observerUrl, { env: env('c2') }),
  ]);
  const edges = await Promise.all(
    ['e1', 'e2'].map((name) => startEdge(nats, { env: { NODE_NAME: name, DESK_KEY } })),
  );
  for (const edge of edges) await untilFollowing(edge, 'c1', 'c2');
  const [ana, rui] = (await Promise.all(
    edges.map(({ url }, index) => openDesk(url, { name: ['Ana', 'Rui'][index], key: DESK_KEY })),
  )) as [DeskClient, DeskClient];
  const stream = await openDeskStream(edges[0]?.url ?? '', ana.cookie);
  await until(() =>
    expect(stream.state).toMatchObject({ total: { admitted: 1 }, record: { state: { kind: 'writer' } } }),
  );

  // Before the first minute is over, too.
  for (const file of ['', '/minutes.csv', '/log.csv'])
    expect([file, (await ana.get(`${DESK_EVENT_PATH}/record${file}`)).status]).toEqual([file, 200]);

  // An entry from one edge is on the other one's desk.
  expect((await rui.command({ id: id(), text: 'fila no portão 4', sector: '4' })).status).toBe(200);
  await until(async () =>
    expect(await logOf(ana)).toContainEqual(
      expect.objectContaining({ kind: 'occurrence', by: 'Rui', sector: '4' }),
    ),
  );

  // A phone that is invited at one edge may meet the other one.
  const { invitation } = (await (await ana.post('/fluxo/api/invitations')).json()) as { invitation: string };
  const phone = await openDesk(edges[1]?.url ?? '', { name: 'Telefone', invitation });
  expect((await phone.get('/fluxo/api/session')).status).toBe(200);
  await expect(openDesk(edges[1]?.url ?? '', { name: 'Outro', invitation })).rejects.toThrow('401');

  // The counter that writes does so no more: the other one takes over, and nobody waits for the first for long.
  const [writer, other] = isRecording(counters[0]) ? counters : counters.toReversed();
  writer?.child.kill('SIGSTOP');
  const stopwatch = startStopwatch({ pids: () => [...counters, ...edges].map(({ pid }) => pid) });
  const command = { id: id(), text: 'chuva' };
  await commandUntilAccepted(ana, command);
  expect(await stopwatch.elapsedMs()).toBeLessThan(TAKEN_OVER_WITHIN_MS);
  writer?.child.kill('SIGKILL');
  other?.child.kill('SIGSTOP');
  await until(() => expect(stream.state?.source).toMatchObject({ live: false }));
  // No counter records now: the desk learns it, and the same command is recorded once later.
  const late = { id: id(), text: 'sem contador' };
  expect((await ana.command(late)).status).toBe(503);
  other?.child.kill('SIGCONT');
  await commandUntilAccepted(ana, late);
  await setEntered(database.gates, 'b', true);
  await until(() => expect(stream.state).toMatchObject({ source: { live: true }, total: { admitted: 2 } }));
  // Of one build, whichever counter has written them.
  const version = productVersion(join(PROJECT_ROOT, 'build/web'));
  await until(async () => {
    const started = (await logOf(rui)).flatMap((row) => (row.kind === 'started' ? [row.data.version] : []));
    expect(new Set(started)).toEqual(new Set([version]));
  });
  const texts = await textsOf(rui);
  expect(texts).toEqual(['fila no portão 4', 'chuva', 'sem contador']);

  // One that is held up on its way is not recorded after its deadline.
  const heldUp = { id: id(), text: 'tarde' };
  other?.child.kill('SIGSTOP');
  const untilMs = Date.now() + 500;
  const answer = ana.command({ ...heldUp, untilMs });
  await until(() => expect(Date.now()).toBeGreaterThan(untilMs));
  other?.child.kill('SIGCONT');
  expect([409, 503]).toContain((await answer).status);
  await commandUntilAccepted(ana, { text: 'depois' });
  const refused = await ana.command({ ...heldUp, untilMs });
  expect([refused.status, await refused.json()]).toEqual([
    409,
    expect.objectContaining({ reason: 'too-late' }),
  ]);
  expect(await textsOf(ana)).toEqual([...texts, 'depois']);
  // It may be repeated without the deadline; once recorded, it is answered at any time.
  await commandUntilAccepted(ana, heldUp);
  expect((await ana.command({ ...heldUp, untilMs })).status).toBe(200);
  expect(await textsOf(ana)).toEqual([...texts, 'depois', 'tarde']);
});

testInFull(
  'a mark from one edge is on the walls of all edges with a desk, whichever counter they follow, also on those that are opened after a counter is gone',
  async () => {
    const [nats, database] = await Promise.all([startNats(), createTestDatabase({ inside: { a: '4' } })]);
    const env = (name: string) => ({ NODE_NAME: name, RECORD_DATABASE_URL: database.recordUrl });
    const counters = [];
    for (const name of ['c1', 'c2'])
      counters.push(await startCounter(nats, database.observerUrl, { env: env(name) }));
    const VENUE_FILE = writeVenueFile({ ...DEFAULT_VENUE, evacuation: { wallText: 'Siga as saídas' } });
    // One that watches no flow, and an edge without a desk.
    await startCounter(nats, database.observerUrl, { env: { NODE_NAME: 'c3' } });
    const edges = await Promise.all([
      startEdge(nats, { env: { NODE_NAME: 'e1', DESK_KEY, VENUE_FILE } }),
      startEdge(nats, { env: { NODE_NAME: 'e2', DESK_KEY } }),
      startEdge(nats, { env: { NODE_NAME: 'e3' } }),
    ]);
    for (const edge of edges) await untilFollowing(edge, 'c1', 'c2', 'c3');
    const open = ({ url }: { readonly url: string }) => openPageClient(url);
    const screens = await Promise.all(edges.map(open));
    const incompleteAt = ({ messages }: (typeof screens)[number]) =>
      messages.flatMap((message) => (message.event === 'incomplete' ? [message.data] : [])).at(-1);
    const row = { row: '4', from: expect.stringMatching(/^\d\d:\d\d$/) as string, to: null };
    const ana = await openDesk(edges[0].url, { name: 'Ana', key: DESK_KEY });
    const mark = { id: id(), kind: 'mark', sector: '4', mark: 'unscanned', text: undefined };
    await commandUntilAccepted(ana, mark);
    await until(() => expect(screens.map(incompleteAt)).toEqual([[row], [row], undefined]));
    expect(screens[2]?.messages.map(({ event }) => event)).not.toContain('incomplete');

    const writer = counters.find((counter) => isRecording(counter));
    writer?.child.kill('SIGKILL');
    const later = await open(edges[1]);
    await until(() => expect(incompleteAt(later)).toEqual([row]));
    await commandUntilAccepted(ana, {
      kind: 'take-back',
      entryId: mark.id,
      why: 'ended',
      text: undefined,
    });
    const ended = { ...row, to: row.from };
    await until(() =>
      expect([...screens.slice(0, 2), later].map(incompleteAt)).toEqual([[ended], [ended], [ended]]),
    );

    // The venue of the first edge has a text for its walls.
    const evacuation = { id: id(), kind: 'evacuation', text: undefined };
    await commandUntilAccepted(ana, evacuation);
    const evacuated = { row: null, from: row.from, to: null, kind: 'evacuation' };
    await until(() => expect(screens.slice(0, 2).map(incompleteAt)).toEqual([[ended, evacuated], [ended]]));
    await commandUntilAccepted(ana, { kind: 'take-back', entryId: evacuation.id, text: undefined });
    await until(() => expect(screens.slice(0, 2).map(incompleteAt)).toEqual([[ended], [ended]]));
    expect(JSON.stringify([later, ...screens.slice(1)].map(({ messages }) => messages))).not.toContain(
      'evacuation',
    );
  },
);

test('a wall of a counter that has not read its record does not take the count for whole, until it has', async () => {
  const [nats, database] = await Promise.all([startNats(), createTestDatabase({ inside: { a: '4' } })]);
  const network = await startNetwork(database.recordUrl);
  network.cut();
  await startCounter(nats, database.observerUrl, {
    env: { NODE_NAME: 'c1', RECORD_DATABASE_URL: network.url },
  });
  const edge = await startEdge(nats, { env: { NODE_NAME: 'e1', DESK_KEY } });
  await untilFollowing(edge, 'c1');
  const { messages } = await openPageClient(edge.url);
  const incomplete = () =>
    messages.flatMap((message) => (message.event === 'incomplete' ? [message.data] : [])).at(-1);
  await until(() => expect(incomplete()).toEqual([{ row: null, from: '', to: null }]));
  network.restore();
  await until(() => expect(incomplete()).toEqual([]));
});

/** How the leader of the record is cut off from the edges, and how it reaches NATS until then. */
type Part = (nats: Nats) => Promise<{ readonly url: string; readonly part: () => void }>;

const PARTS: [string, Part][] = [
  [
    'whose NATS server is parted from the edges',
    async (nats) => ({ url: nats.servers[0].url, part: () => nats.part() }),
  ],
  [
    'that is parted from NATS',
    async (nats) => {
      const link = await startNetwork(nats.servers[0].url);
      return { url: link.url, part: () => link.swallow() };
    },
  ],
];

test.each(PARTS.slice(0, IS_FULL ? 2 : 1))(
  'a leader of the record %s lets another counter write within 3 s',
  async (_what, open) => {
    const [nats, database] = await Promise.all([
      startNats({ servers: 2, isPartable: true }),
      createTestDatabase({ outside: { a: '4' } }),
    ]);
    const { url, part } = await open(nats);
    const other = { url: nats.servers[1]?.url ?? '' };
    const env = (name: string) => ({ NODE_NAME: name, RECORD_DATABASE_URL: database.recordUrl });
    const edge = await startEdge(other, { env: { NODE_NAME: 'e1', DESK_KEY } });
    const leader = await startCounter({ url }, database.observerUrl, { env: env('c1') });
    await until(() => expect(isRecording(leader)).toBe(true));
    let second = await startCounter(other, database.observerUrl, { env: env('c2') });
    await untilFollowing(edge, 'c1', 'c2');
    const ana = await openDesk(edge.url, { name: 'Ana', key: DESK_KEY });
    await commandUntilAccepted(ana, { text: 'antes' });
    // On a busy machine the record may have gone to the other one.
    while (isRecording(second)) {
      await second.stop();
      await until(() => expect(isRecording(leader)).toBe(true));
      second = await startCounter(other, database.observerUrl, { env: env('c2') });
      await untilFollowing(edge, 'c1', 'c2');
    }
    expect(isRecording(leader)).toBe(true);
    part();
    const stopwatch = startStopwatch({ pids: () => [leader.pid, second.pid, edge.pid] });
    await until(() => expect(isRecording(second)).toBe(true));
    expect(await stopwatch.elapsedMs()).toBeLessThan(YIELDED_WITHIN_MS);
    expect(isRecording(leader)).toBe(false);
    await commandUntilAccepted(ana, { text: 'depois' });
    expect(await textsOf(ana)).toEqual(['antes', 'depois']);
  },
);
