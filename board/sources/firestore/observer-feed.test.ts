import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { SourceRecorder } from '../../../testing/sources/source-recorder.ts';
import { until } from '../../../testing/until.ts';
import type { SourceState } from '../ticket-source.ts';
import type { TicketDocument } from './documents.ts';
import { ObserverFeed } from './observer-feed.ts';
import { TicketBatch, TicketMemory } from './ticket-memory.ts';

const EVENT = 'jogo-1';
const OUTSIDE: TicketDocument = { isValidTicket: true, entrou: false, setor: '4', isMalformed: false };
const INSIDE: TicketDocument = { ...OUTSIDE, entrou: true };
const SECOND_US = 1e6;

function openFeed({ staleAfterMs = 60_000, aheadMs = 0 } = {}) {
  const memory = new TicketMemory(EVENT);
  const observer = new SourceRecorder();
  const states: SourceState[] = [];
  const feed = new ObserverFeed({
    observer,
    eventId: EVENT,
    systemId: '42',
    memory,
    wantsMetadata: true,
    staleAfterMs,
    onState: (state) => void states.push(state),
    onObserverError: () => {},
  });
  const startUs = (Date.now() + aheadMs) * 1_000;
  /** What has been read `atS` seconds after the beginning; tickets were written then, or at `madeAtS`. */
  const read = (
    atS: number,
    tickets: Readonly<Record<string, TicketDocument>>,
    {
      madeAtS = atS,
      isWhole = false,
      sectors = undefined as Readonly<Record<string, object>> | undefined,
      askedAtMs = performance.now(),
    } = {},
  ): void => {
    const batch = new TicketBatch(isWhole);
    for (const [id, ticket] of Object.entries(tickets))
      memory.addTo(batch, id, ticket, startUs + madeAtS * SECOND_US);
    feed.pass(
      {
        readTimeUs: startUs + atS * SECOND_US,
        resumeToken: Buffer.from('t'),
        tickets: batch,
        sectors: sectors && Object.entries(sectors).map(([code, data]) => ({ code, data })),
        metadata: undefined,
      },
      askedAtMs,
    );
  };
  return { feed, observer, states, read };
}

test('the first reading is a snapshot, and later ones are changes; the position moves only with the counts', () => {
  const { observer, states, read } = openFeed();
  read(0, { a: OUTSIDE }, { isWhole: true });
  expect([observer.snapshots.length, observer.isLive, states.at(-1)]).toEqual([1, true, { kind: 'live' }]);
  const begun = observer.position;
  expect(begun).toMatch(/^42\.00000001/);
  read(2, {});
  read(4, { a: OUTSIDE }, { isWhole: true });
  expect([observer.position, observer.caughtUp.length]).toEqual([begun, 3]);
  read(5, { a: INSIDE });
  expect([observer.snapshots.length, observer.commits.length]).toEqual([1, 1]);
  expect(observer.position).not.toBe(begun);
  const entered = observer.position;
  read(6, {}, { sectors: { 4: { nome: 'NORTE' } } });
  expect(observer.documents.get(EVENT)).toEqual([{ code: '4', data: { nome: 'NORTE' } }]);
  const described = observer.position;
  read(7, {}, { sectors: { 4: { nome: 'NORTE' } } });
  expect(observer.position).toBe(described);
  // Documents have the position of the commit that changed them.
  expect(observer.position).not.toBe(entered);
  expect(observer.breaches).toEqual([]);
});

test.each([
  ['spans more than a bucket of the flow', 12, 11],
  ['brings what was overlooked before', 3, -5],
])('a reading that %s is passed on as a snapshot', (_what, atS, madeAtS) => {
  const { observer, read } = openFeed();
  read(0, { a: OUTSIDE }, { isWhole: true });
  read(1, {});
  read(atS, { a: INSIDE, b: OUTSIDE }, { madeAtS });
  expect([observer.snapshots.length, observer.commits]).toEqual([2, []]);
  expect(observer.counts).toEqual({ [`${EVENT} 4 in`]: 1, [`${EVENT} 4 out`]: 1 });
  expect(new Set(observer.snapshots.map(({ epoch }) => epoch)).size).toBe(2);
  read(atS + 1, { b: INSIDE });
  expect([observer.snapshots.length, observer.commits.length]).toEqual([2, 1]);
  expect(observer.breaches).toEqual([]);
});

test('a lost stream leaves counts live as long as they are fresh, and one that follows at once continues', async () => {
  const { feed, observer, states, read } = openFeed({ staleAfterMs: 300 });
  read(0, { a: OUTSIDE }, { isWhole: true });
  feed.lose('the stream has ended', true);
  expect([observer.isLive, feed.isConnected]).toEqual([true, false]);
  read(1, { a: INSIDE });
  expect([observer.snapshots.length, observer.commits.length, observer.stales]).toEqual([1, 1, []]);
  feed.lose('the stream has ended', true);
  await until(() => {
    feed.tick();
    expect(observer.stales).toEqual([{ reason: 'connecting', sinceMs: feed.verifiedAtMs }]);
  });
  expect(states.at(-1)).toEqual({ kind: 'waiting', reason: 'the stream has ended' });
  read(2, { b: OUTSIDE });
  expect([observer.snapshots.length, observer.isLive]).toEqual([2, true]);
  expect(observer.breaches).toEqual([]);
});

test('what only somebody can mend makes counts stale at once', () => {
  const { feed, observer, read } = openFeed();
  read(0, {}, { isWhole: true });
  feed.lose('the rules refuse it', false);
  expect([observer.isLive, observer.stales[0]?.reason]).toEqual([false, 'changed']);
});

test('an old proof makes nothing live, and a stream that lags continues at its position', async () => {
  const { feed, observer, states, read } = openFeed({ staleAfterMs: 300 });
  const askedAtMs = performance.now();
  await until(() => expect(performance.now()).toBeGreaterThan(askedAtMs + 300));
  read(0, { a: OUTSIDE }, { isWhole: true, askedAtMs });
  expect([observer.snapshots.length, observer.isLive, observer.stales]).toEqual([1, false, []]);
  read(1, {});
  expect(observer.isLive).toBe(true);
  await until(() => {
    feed.tick();
    expect(observer.stales).toEqual([{ reason: 'lag', sinceMs: feed.verifiedAtMs }]);
  });
  expect(states.at(-1)).toMatchObject({ kind: 'waiting', reason: expect.stringMatching(/last verified/) });
  read(2, { a: INSIDE });
  expect([observer.snapshots.length, observer.commits.length, observer.isLive]).toEqual([1, 1, true]);
  expect(observer.breaches).toEqual([]);
});

test('nothing is live while there is a doubt, which is the reason', () => {
  const { feed, observer, states, read } = openFeed();
  read(0, {}, { isWhole: true });
  feed.doubt('Firestore counts 2 where its stream brought 1');
  expect(observer.stales.map(({ reason }) => reason)).toEqual(['lag']);
  read(1, { a: INSIDE });
  expect(observer.isLive).toBe(false);
  expect(states.at(-1)).toEqual({ kind: 'waiting', reason: 'Firestore counts 2 where its stream brought 1' });
  feed.doubt(undefined);
  expect([observer.isLive, observer.snapshots.length]).toEqual([true, 1]);
});

test('a clock that is an hour ahead of ours makes nothing stale, and one that is set meanwhile is passed on as such', () => {
  const hourMs = 3_600_000;
  const { observer, read } = openFeed({ aheadMs: hourMs });
  const set: number[] = [];
  Object.assign(observer, { clockSet: (byMs: number) => void set.push(byMs) });
  read(0, { a: OUTSIDE }, { isWhole: true });
  const takenAt = observer.snapshots[0]?.takenAt;
  expect((takenAt?.sourceMs ?? 0) - (takenAt?.readAtMs ?? 0) - performance.timeOrigin - hourMs).toBeLessThan(
    5_000,
  );
  read(0.001, { a: INSIDE });
  expect([observer.isLive, observer.commits.length, set]).toEqual([true, 1, []]);
  read(600, {});
  expect(set).toHaveLength(1);
  expect(set[0]).toBeGreaterThan(590_000);
});

test('why a stream was lost is no reason any more once another one has brought a reading', async () => {
  const { feed, states, read } = openFeed({ staleAfterMs: 50 });
  read(0, { a: OUTSIDE }, { isWhole: true });
  feed.lose('The stream has ended', true);
  read(1, {});
  await until(() => {
    feed.tick();
    expect(states.at(-1)).toMatchObject({ kind: 'waiting', reason: expect.stringMatching(/answers late$/) });
  });
});
