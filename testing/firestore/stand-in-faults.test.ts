import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { startNetwork } from '../server/network.ts';
import { openForEach } from '../open-for-tests.ts';
import { until } from '../until.ts';
import { openRawListener, type RawListener, ticketsTarget } from './raw-listener.ts';
import { openServerClient } from './server-client.ts';
import { startFirestoreStandIn } from './stand-in.ts';

const PROJECT = 'triagem-test';
const ALL = { targetId: 2, ...ticketsTarget(PROJECT, 'e') };
const ADMITTED = { targetId: 4, ...ticketsTarget(PROJECT, 'e', { entrou: { booleanValue: true } }) };
const PROBE = { targetId: 6, ...ticketsTarget(PROJECT, 'e', { setor: { stringValue: 'probe' } }) };
const [OUTSIDE, INSIDE] = [
  { entrou: false, setor: '4' },
  { entrou: true, setor: '4' },
];
const SNAPSHOT = 'NO_CHANGE at a time';

const standIn = openForEach(() => startFirestoreStandIn());

function commit(tickets: Readonly<Record<string, typeof OUTSIDE | undefined>>): void {
  const documents = Object.entries(tickets).map(([id, data]) => [`events/e/tickets/${id}`, data] as const);
  standIn.commit(PROJECT, new Map(documents));
}

/** What a listener is sent until this message, since the last time. */
async function untilSent(listener: RawListener, last: string): Promise<readonly string[]> {
  const sent: string[] = [];
  await until(() => {
    sent.push(...listener.take());
    expect(sent).toContain(last);
  });
  return sent;
}

async function listen(...targets: readonly (typeof ALL)[]): Promise<RawListener> {
  const listener = openRawListener(standIn.host, PROJECT);
  for (const target of targets) {
    listener.add(target);
    await untilSent(listener, SNAPSHOT);
  }
  return listener;
}

describe('the stand-in for Firestore', () => {
  test('sends of each commit what has changed in which targets, and one snapshot', async () => {
    commit({ a: OUTSIDE, b: INSIDE });
    const listener = await listen(ALL, ADMITTED);
    commit({ a: INSIDE });
    expect(await untilSent(listener, SNAPSHOT)).toEqual(['change a: 2 4', SNAPSHOT]);
    commit({ a: OUTSIDE, c: INSIDE });
    expect(await untilSent(listener, SNAPSHOT)).toEqual(['change a: 2 -4', 'change c: 2 4', SNAPSHOT]);
    commit({ a: OUTSIDE });
    commit({ b: undefined, c: undefined });
    expect(await untilSent(listener, SNAPSHOT)).toEqual(['delete b: -2 -4', 'delete c: -2 -4', SNAPSHOT]);
    listener.remove(2);
    expect(await untilSent(listener, 'REMOVE 2')).toEqual(['REMOVE 2']);
    commit({ a: INSIDE });
    await untilSent(listener, SNAPSHOT);
    commit({ a: OUTSIDE });
    expect(await untilSent(listener, SNAPSHOT)).toEqual(['remove a: -4', SNAPSHOT]);
  });

  test('resumes a target with what has changed and a count, or resets it where the token is too old', async () => {
    commit({ a: OUTSIDE, b: INSIDE, c: INSIDE });
    const { resumeToken = new Uint8Array() } = await listen(ADMITTED);
    commit({ a: INSIDE, b: undefined });
    commit({ c: OUTSIDE });
    const target = { ...ADMITTED, resumeToken };
    const again = openRawListener(standIn.host, PROJECT);
    again.add(target);
    const current = ['CURRENT 4 at a time', SNAPSHOT];
    const changes = ['change a: 4', 'delete b: -4', 'remove c: -4', 'filter 4: 1'];
    expect(await untilSent(again, SNAPSHOT)).toEqual(['ADD 4', ...changes, ...current]);
    const reset = ['ADD 4', 'RESET 4 at a time', 'change a: 4', ...current];
    const [garbage, expired] = [
      openRawListener(standIn.host, PROJECT),
      openRawListener(standIn.host, PROJECT),
    ];
    garbage.add({ ...target, resumeToken: Buffer.from('none') });
    expect(await untilSent(garbage, SNAPSHOT)).toEqual(reset);
    standIn.faults.expireResumeTokens();
    expired.add(target);
    expect(await untilSent(expired, SNAPSHOT)).toEqual(reset);
  });

  test('counts what is read', async () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `t${n}`);
    commit(Object.fromEntries(ids.map((id) => [id, OUTSIDE])));
    const listener = await listen(ALL, ADMITTED);
    expect(listener.messages).toHaveLength(ids.length + 6);
    expect(standIn.reads).toBe(ids.length + 1);
    for (const id of ids.slice(0, 1_000)) commit({ [id]: INSIDE });
    await until(() => expect(listener.messages).toHaveLength(ids.length + 6 + 2_000));
    expect(standIn.reads).toBe(ids.length + 1 + 2_000);
  });

  test('is silent and stays open: every stream until it is restored, or those that are open for ever', async () => {
    const [first, second] = [await listen(ALL), await listen(ALL)];
    standIn.faults.silence();
    commit({ a: OUTSIDE });
    commit({ a: INSIDE, b: INSIDE });
    first.add(PROBE);
    const third = openRawListener(standIn.host, PROJECT);
    third.add(ALL);
    await until(() => expect(standIn.streams).toBe(3));
    expect([...first.take(), ...second.take(), ...third.take()]).toEqual([]);
    standIn.faults.restore();
    const both = ['change a: 2', 'change b: 2', SNAPSHOT];
    expect(await untilSent(second, SNAPSHOT)).toEqual(both);
    expect((await untilSent(first, 'CURRENT 6 at a time')).slice(0, 4)).toEqual([...both, 'ADD 6']);
    expect(await untilSent(third, SNAPSHOT)).toContain('change b: 2');
    first.take();
    standIn.faults.silence('open-for-ever');
    const fourth = await listen(ALL);
    commit({ a: OUTSIDE });
    expect(await untilSent(fourth, SNAPSHOT)).toEqual(['change a: 2', SNAPSHOT]);
    standIn.faults.restore();
    commit({ a: INSIDE });
    await untilSent(fourth, SNAPSHOT);
    expect(first.take()).toEqual([]);
  });

  test('leaves probes unanswered, or changes, while the other goes on', async () => {
    const listener = await listen(ALL);
    standIn.faults.holdTargets();
    listener.add(PROBE);
    commit({ a: OUTSIDE });
    expect(await untilSent(listener, SNAPSHOT)).toEqual(['change a: 2', SNAPSHOT]);
    standIn.faults.restore();
    expect(await untilSent(listener, SNAPSHOT)).toEqual(['ADD 6', 'CURRENT 6 at a time', SNAPSHOT]);
    standIn.faults.holdSnapshots();
    commit({ a: INSIDE });
    commit({ b: INSIDE, c: INSIDE });
    commit({ a: undefined, c: undefined });
    standIn.faults.restore();
    expect(await untilSent(listener, SNAPSHOT)).toEqual(['delete a: -2', 'change b: 2', SNAPSHOT]);
  });

  test.each([status.PERMISSION_DENIED, status.RESOURCE_EXHAUSTED, status.NOT_FOUND, status.ABORTED])(
    'removes targets with code %i and leaves the stream open, and ends streams with it',
    async (code) => {
      const listener = await listen(ALL, ADMITTED);
      standIn.faults.removeTargets(code);
      expect(await untilSent(listener, `REMOVE 4 code ${code}`)).toEqual([
        `REMOVE 2 code ${code}`,
        `REMOVE 4 code ${code}`,
      ]);
      standIn.faults.refuseTargets(code);
      listener.add(ALL);
      expect(await untilSent(listener, `REMOVE 2 code ${code}`)).toEqual(['ADD 2', `REMOVE 2 code ${code}`]);
      standIn.faults.restore();
      listener.add(ALL);
      await untilSent(listener, SNAPSHOT);
      standIn.faults.endStreams(code);
      await until(() => expect(listener.error?.code).toBe(code));
    },
  );

  test('refuses calls, or leaves them unanswered', async () => {
    const { faults } = standIn;
    const client = openServerClient(standIn.host, PROJECT);
    const count = () => client.collection('events/e/tickets').count().get();
    const write = (id: string) => client.doc(`events/e/tickets/${id}`).set(OUTSIDE);
    await write('a');
    faults.failCalls(status.PERMISSION_DENIED, 'Commit');
    await expect(write('b')).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    expect((await count()).data()).toEqual({ count: 1 });
    faults.restore();
    faults.holdCalls('RunAggregationQuery');
    const held = count();
    await write('b');
    faults.restore();
    expect((await held).data()).toEqual({ count: 2 });
    faults.failCalls(status.UNAUTHENTICATED);
    const listener = openRawListener(standIn.host, PROJECT);
    await until(() => expect(listener.error?.code).toBe(status.UNAUTHENTICATED));
  });

  test('sends half a message, documents after their snapshot, and earlier read times', async () => {
    const { faults } = standIn;
    const [listener, other] = [await listen(ALL), await listen(ALL)];
    faults.disorder('snapshot-before-documents');
    commit({ a: OUTSIDE });
    expect(await untilSent(listener, 'change a: 2')).toEqual([SNAPSHOT, 'change a: 2']);
    faults.disorder('earlier-read-time');
    const timeOf = ({ messages }: RawListener): number =>
      Number(messages.at(-1)?.targetChange?.readTime?.seconds);
    await untilSent(other, 'change a: 2');
    const before = Number(
      other.messages.findLast(({ targetChange }) => targetChange)?.targetChange?.readTime?.seconds,
    );
    commit({ a: INSIDE });
    await untilSent(other, SNAPSHOT);
    expect(timeOf(other)).toBeLessThan(before);
    faults.sendHalfMessage();
    commit({ a: OUTSIDE });
    await until(() => expect(listener.error?.code).toBe(status.INTERNAL));
  });

  test('sends one message of more than 4 MB', async () => {
    const listener = await listen(ALL);
    standIn.commit(PROJECT, new Map([['events/e/tickets/a', { ...OUTSIDE, texto: 'x'.repeat(2 ** 22) }]]));
    await until(() => expect(listener.error?.code).toBe(status.RESOURCE_EXHAUSTED));
    const client = openServerClient(standIn.host, PROJECT);
    expect((await client.doc('events/e/tickets/a').get()).get('texto')).toHaveLength(2 ** 22);
  });

  test('sends a snapshot to streams on which nothing happens', async () => {
    const { host } = await startFirestoreStandIn({ heartbeatMs: 20 });
    const listener = openRawListener(host, PROJECT);
    listener.add(ALL);
    await untilSent(listener, 'CURRENT 2 at a time');
    await until(() => expect(listener.messages.length).toBeGreaterThan(6));
    expect(new Set(listener.take())).toEqual(new Set([SNAPSHOT]));
  });

  test.each([
    ['a wrong filter', () => standIn.faults.mismatchFilters(1, true)],
    ['a reset', () => standIn.faults.resetTargets()],
    ['ABORTED', () => standIn.faults.endStreams(status.ABORTED)],
    ['UNAVAILABLE', () => standIn.faults.endStreams(status.UNAVAILABLE)],
  ])("leaves Google's server library with what is there after %s", async (_, inflict) => {
    const network = await startNetwork(`http://${standIn.host}`);
    const client = openServerClient(`127.0.0.1:${network.port}`, PROJECT);
    const ids = new Set<string>();
    const stop = client.collection('events/e/tickets').onSnapshot((snapshot) => {
      ids.clear();
      for (const { id } of snapshot.docs) ids.add(id);
    });
    commit({ a: OUTSIDE, b: OUTSIDE });
    await until(() => expect([...ids]).toEqual(['a', 'b']));
    inflict();
    standIn.faults.restore();
    commit({ a: undefined, c: OUTSIDE });
    await until(() => expect([...ids]).toEqual(['b', 'c']));
    stop();
  });
});
