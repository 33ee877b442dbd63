import { status } from '@grpc/grpc-js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encode } from '../../../testing/firestore/stand-in/protocol.ts';
import type { Plain } from '../../../testing/firestore/stand-in/values.ts';
import { startFirestoreStandIn } from '../../../testing/firestore/stand-in.ts';
import { PATIENT_LIMITS } from '../../../testing/firestore/source-limits.ts';
import { INSIDE, openWatchedProject, OUTSIDE } from '../../../testing/firestore/watched-project.ts';
import { IS_FULL } from '../../../testing/durations.ts';
import { makeTestFolder } from '../../../testing/folder.ts';
import { openForEach } from '../../../testing/open-for-tests.ts';
import { until } from '../../../testing/until.ts';

const standIn = openForEach(() => startFirestoreStandIn());
const project = openForEach(() => openWatchedProject(standIn));

async function watch(limits?: Parameters<typeof project.watch>[0]) {
  await project.commit({ a: OUTSIDE, b: INSIDE });
  const watched = project.watch(limits);
  await watched.expectExact();
  return watched;
}

test('a stream that falls silent, and its service with it, is stale until both are back', async () => {
  const { expectStale, expectExact } = await watch();
  standIn.faults.silence();
  standIn.faults.holdCalls('RunAggregationQuery');
  await project.commit({ a: INSIDE });
  await expectStale(/^No answer comes from 127\.0\.0\.1:\d+: /);
  standIn.faults.restore();
  await expectExact();
});

test('a stream that is dead while the service is not is replaced', async () => {
  const { observer, expectExact } = await watch();
  standIn.faults.silence('open-for-ever');
  await project.commit({ a: INSIDE });
  await expectExact();
  expect(observer.stales.length).toBeGreaterThan(0);
});

test('a stream that is dead is replaced also where nothing is written, though counts are equal all the while', async () => {
  const { source, observer, expectExact } = await watch();
  const { network } = project.driver;
  const { opened } = network;
  // It has answered probes.
  await until(() => expect(observer.caughtUp.length).toBeGreaterThan(3));
  standIn.faults.silence('open-for-ever');
  await until(() => expect(network.opened).toBeGreaterThan(opened));
  await expectExact();
  await until(() => expect(source.warning).toBeUndefined());
});

test('where probes are not answered in time, counts are asked for, with a warning until they are', async () => {
  const { source, observer, expectExact } = await watch();
  standIn.faults.holdTargets();
  await until(() => expect(source.warning).toMatch(/does not answer probes in time/));
  await expectExact();
  await project.commit({ a: INSIDE });
  await expectExact();
  const { verifiedAtMs } = source;
  await until(() => expect(source.verifiedAtMs).toBeGreaterThan(verifiedAtMs + 1_000));
  expect(observer.isLive).toBe(true);
  // What the stream does not bring is not taken for proven.
  standIn.faults.holdSnapshots();
  await project.commit({ c: INSIDE });
  await until(() => expect(observer.isLive).toBe(false));
  standIn.faults.restore();
  await expectExact();
}, 60_000);

test('what a stream leaves out is found by a count of its own, and all are read again', async () => {
  const { observer, log, expectExact } = await watch({ sectorCheckEveryMs: 500 });
  standIn.faults.holdSnapshots();
  await project.commit({ a: INSIDE });
  await until(() => expect(log.map(({ msg }) => msg).join()).toMatch(/all tickets are read again/));
  await expectExact();
  expect(observer.stales.length).toBeGreaterThan(0);
});

test.each([
  ['targets are reset', () => standIn.faults.resetTargets()],
  [
    'the resume token is too old',
    () => (standIn.faults.expireResumeTokens(), standIn.faults.endStreams(status.UNAVAILABLE)),
  ],
])('nothing changes and nothing is stale where %s', async (_what, act) => {
  const { observer, source, expectExact } = await watch({ staleAfterMs: 5_000 });
  const { position } = observer;
  const before = source.documentsRead;
  act();
  await until(() => expect(source.documentsRead).toBeGreaterThanOrEqual(before + 2));
  await project.commit({ a: INSIDE });
  await expectExact();
  expect([observer.snapshots.length, observer.stales]).toEqual([1, []]);
  expect(observer.position).not.toBe(position);
});

test.each([status.UNAVAILABLE, status.OK, status.ABORTED, status.INTERNAL].slice(0, IS_FULL ? 4 : 2))(
  'a stream that the service ends (%i) is followed by another before anything is stale, which reads what is new alone',
  async (code) => {
    const { observer, source, expectExact } = await watch({ staleAfterMs: 5_000 });
    const { documentsRead } = source;
    standIn.faults.endStreams(code);
    await project.commit({ a: INSIDE });
    await expectExact();
    expect([observer.snapshots.length, observer.commits.length, observer.stales]).toEqual([1, 1, []]);
    // One ticket, the sectors, three totals, and probes; not both tickets.
    expect(source.documentsRead - documentsRead).toBeLessThan(40);
  },
);

test.each([
  [
    status.PERMISSION_DENIED,
    /^Firestore refuses to let the collection of tickets be read .*: give the service account/,
  ],
  [status.RESOURCE_EXHAUSTED, /^The project triagem-\w+ has used up its quota .*: raise it/],
  [status.NOT_FOUND, /^The project triagem-\w+ has no database \(default\) .*: create it/],
])(
  'targets that are removed (%i) make it stale with cause and fix, until they may be read again',
  async (code, reason) => {
    const { expectStale, expectExact } = await watch({ maxRefusedDelayMs: 200 });
    standIn.faults.refuseTargets(code);
    standIn.faults.removeTargets(code);
    await expectStale(reason);
    await project.commit({ a: INSIDE, c: INSIDE });
    standIn.faults.restore();
    await expectExact();
  },
);

test('a filter that does not match is obeyed: all tickets are read again, and that is logged', async () => {
  const { source, log, expectExact } = await watch();
  const before = source.documentsRead;
  standIn.faults.mismatchFilters(1, true);
  await until(() => expect(source.documentsRead).toBeGreaterThanOrEqual(before + 2));
  const said = log.find(({ msg }) => msg.startsWith('Firestore has 3 tickets, where its stream brought 2'));
  expect(said).toMatchObject({ ours: 2, firestore: 3 });
  await expectExact();
});

test('tickets that are not believed are read again by the next stream, where this one ends before', async () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`t${n}`, OUTSIDE]));
  await project.commit(many);
  const { source, log, expectExact } = await watch();
  const before = source.documentsRead;
  standIn.faults.holdTargets();
  standIn.faults.mismatchFilters(1, true);
  await until(() => expect(log.some(({ msg }) => msg.startsWith('Firestore has 303 tickets'))).toBe(true));
  standIn.faults.endStreams(status.UNAVAILABLE);
  standIn.faults.restore();
  await until(() => expect(source.documentsRead).toBeGreaterThan(before + 300));
  await expectExact();
});

test('a resume token that is refused is used no more', async () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`t${n}`, OUTSIDE]));
  await project.commit(many);
  const { source, log, expectExact } = await watch();
  const before = source.documentsRead;
  standIn.faults.holdTargets();
  standIn.faults.endStreams(status.UNAVAILABLE);
  await until(() => expect(log.some(({ msg }) => msg === 'the stream has ended')).toBe(true));
  await until(() => expect(standIn.streams).toBe(1));
  standIn.faults.endStreams(status.INVALID_ARGUMENT);
  await until(() => expect(standIn.streams).toBe(1));
  standIn.faults.restore();
  await until(() => expect(source.documentsRead).toBeGreaterThan(before + 300));
  await expectExact();
});

test('a connection that is not made in time is begun again', async () => {
  await project.commit({ a: INSIDE });
  const { network } = project.driver;
  network.swallow();
  const { expectExact, expectStale } = project.watch({
    connectMs: 300,
    silenceMs: 60_000,
    readingSilenceMs: 60_000,
  });
  await expectStale(/^No answer comes from /);
  network.restore();
  await expectExact();
});

test.each([
  ['half a message', () => standIn.faults.sendHalfMessage(), /a response is malformed/],
  ['17 MB at once', () => standIn.send(Buffer.alloc(17 * 2 ** 20)), /a message is longer than any document/],
  ['an earlier read time', () => standIn.faults.disorder('earlier-read-time'), /its read time went back/],
])('a stream that sends %s is given up, and nothing of it is passed on', async (_what, act, reason) => {
  const { expectExact, log } = await watch(PATIENT_LIMITS);
  act();
  await project.commit({ a: INSIDE });
  await until(() => expect(log.map((line) => String(line['reason'])).join()).toMatch(reason));
  standIn.faults.restore();
  await expectExact();
});

test('documents that come after the snapshot that they belong to come with the next one', async () => {
  const { expectExact } = await watch();
  standIn.faults.disorder('snapshot-before-documents');
  await project.commit({ a: INSIDE, b: undefined });
  await expectExact();
});

test('a response of four megabytes that nobody knows is skipped', async () => {
  const { observer, expectExact } = await watch({ staleAfterMs: 5_000 });
  const size = 4 * 1024 * 1024;
  standIn.send(Buffer.concat([Buffer.from([0x7a, 0x80, 0x80, 0x80, 0x02]), Buffer.alloc(size)]));
  await project.commit({ a: INSIDE });
  await expectExact();
  expect(observer.stales).toEqual([]);
});

test('a transaction over 500 tickets is one commit', async () => {
  const { observer, expectExact } = await watch();
  const ids = Array.from({ length: 500 }, (_, n) => `t${n}`);
  await project.commit(Object.fromEntries(ids.map((id) => [id, INSIDE])));
  await expectExact();
  expect(observer.commits.map(({ length }) => length)).toEqual([500]);
});

test('counts that cannot be compared are a warning, and harm no count', async () => {
  standIn.faults.failCalls(status.FAILED_PRECONDITION, 'RunAggregationQuery');
  const { source, expectExact } = await watch({ sectorCheckEveryMs: 200 });
  await until(() =>
    expect(source.warning).toMatch(/^The counts are not compared .*leave the single-field indexes/),
  );
  standIn.faults.restore();
  await until(() => expect(source.warning).toBeUndefined());
  await expectExact();
});

test('malformed tickets count as queries would count them, and a few are named in the log alone', async () => {
  const { source, observer, log } = await watch();
  const path = `events/${project.eventId}/tickets`;
  const documents = new Map<string, Readonly<Record<string, Plain>>>();
  for (let n = 0; n < 20; n += 1) documents.set(`${path}/m${n}`, { entrou: 'true', setor: 4 });
  standIn.commit(project.driver.project, documents.set(`${path}/x`, { entrou: true, setor: 4 }));
  await until(() =>
    expect(observer.counts).toEqual({
      [`${project.eventId} 4 in`]: 1,
      [`${project.eventId} 4 out`]: 1,
      [`${project.eventId}  in invalid`]: 1,
      [`${project.eventId}  out invalid`]: 20,
    }),
  );
  expect(source.warning).toMatch(/^21 of 23 tickets lack a field/);
  expect(source.warning).not.toMatch(/\bm\d/);
  await until(() =>
    expect(log.at(-1)).toMatchObject({ malformed: 21, some: ['m0', 'm1', 'm2', 'm3', 'm4'] }),
  );
});

test('a collection without a ticket is a warning, once, until it has one', async () => {
  const { source, log } = await watch();
  const path = `events/${project.eventId}/tickets`;
  await project.commit({ a: undefined, b: undefined });
  const words = `${path} has no ticket: correct EVENT_ID or FIRESTORE_COLLECTION, if there should be some`;
  await until(() => expect(source.warning).toBe(words));
  await project.commit({ a: INSIDE });
  await until(() => expect(source.warning).toBeUndefined());
  expect(log.filter(({ msg }) => msg === words)).toHaveLength(1);
});

test('a restart continues from the saved tickets, and reads only what is new', async () => {
  const dataDir = makeTestFolder();
  const kept = await openWatchedProject(standIn, { dataDir });
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`t${n}`, OUTSIDE]));
  await kept.commit(many);
  const first = kept.watch();
  await first.expectExact();
  expect(first.source.documentsRead).toBeGreaterThan(300);
  await first.stop();
  await kept.commit({ t1: INSIDE, t2: undefined });
  const second = kept.watch();
  await second.expectExact();
  expect(second.source.documentsRead).toBeLessThan(60);
  await second.stop();
  writeFileSync(join(dataDir, 'firestore-resume'), 'anything');
  const third = kept.watch();
  await third.expectExact();
  expect(third.source.documentsRead).toBeGreaterThan(299);
  expect(third.log[0]?.msg).toBe('the saved tickets cannot be used: all are read again');
});

test('reads are counted as the service counts them', async () => {
  const { source, expectExact, stop } = await watch({ sectorCheckEveryMs: 100 });
  for (let n = 0; n < 20; n += 1) await project.commit({ [`t${n}`]: n % 2 === 0 ? INSIDE : OUTSIDE });
  await project.commit({ a: undefined });
  await expectExact();
  await until(() => expect(source.documentsRead).toBeGreaterThan(60));
  await stop();
  await until(() => expect(standIn.streams).toBe(0));
  expect(Math.abs(source.documentsRead - standIn.reads)).toBeLessThanOrEqual(2);
});

test('two counters of one project agree on what they hold and how it is ordered', async () => {
  const [one, other] = [await watch(), project.watch()];
  await other.expectExact();
  await project.commit({ a: INSIDE });
  await Promise.all([one.expectExact(), other.expectExact()]);
  expect(one.observer.position?.split('.')[0]).toBe(other.observer.position?.split('.')[0]);
});

test('a message is decoded as the protocol has it whatever target it is for', async () => {
  const { observer, expectExact } = await watch({ staleAfterMs: 5_000 });
  const unknown = { targetChangeType: 2, targetIds: [9_999], cause: { code: 7, message: 'x' } };
  standIn.send(encode('ListenResponse', { targetChange: unknown }));
  standIn.send(encode('ListenResponse', { filter: { targetId: 9_999, count: 4 } }));
  await project.commit({ a: INSIDE });
  await expectExact();
  expect(observer.stales).toEqual([]);
});
