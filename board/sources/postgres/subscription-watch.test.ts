import { expect, test } from 'vitest';
import { copyMark, FILLING_MARK } from '../../../domain/connection-marks.ts';
import { findSourceChange } from './copied-tables.ts';
import { OBSERVING_LIMITS } from './limits.ts';
import { SubscriptionWatch } from './subscription-watch.ts';
import type { Subscription } from './subscriptions.ts';

const READY: Subscription = {
  id: 1,
  name: 'ingressos',
  slot: 'ingressos',
  isEnabled: true,
  origin: 'any',
  tables: 2,
  readyTables: 2,
  worker: 7,
  lastMessageAt: '1',
  silentMs: 0,
  receiverTimeoutMs: 60_000,
  publications: ['ingressos'],
  comment: null,
  copies: [],
};
const COPY = {
  name: 'public.ticket',
  comment: copyMark('alf.io', ['blocked', 'paid']),
  isFollowed: true,
  columns: { id: 'integer', status: 'text' },
};
/** Half of wal_receiver_timeout, and the worker's nap. */
const SILENCE_MS = 31_000 + OBSERVING_LIMITS.staleAfterMs;
const NOON_MS = Date.UTC(2026, 10, 22, 12);

/** Nobody listens there. */
const NOBODY = 'postgres://127.0.0.1:1/none';

/** Opens a watch that knows only the messages. `at`: milliseconds after it was opened. */
function open(unwatched: readonly string[] = []) {
  const watch = new SubscriptionWatch({ url: undefined, unwatched }, OBSERVING_LIMITS);
  // Whole: sums of it are exact.
  const openedMs = Math.round(performance.now());
  return {
    watch,
    /** How long before this look everything was there. */
    look: (afterMs: number, ...subscriptions: readonly Partial<Subscription>[]): number => {
      watch.assertCopied(subscriptions.map((one) => Object.assign({}, READY, one)));
      const readAtMs = openedMs + afterMs;
      const clock = watch.judge({ databaseMs: NOON_MS + afterMs, readAtMs, answeredAtMs: readAtMs + 5 });
      const behindMs = readAtMs - clock.readAtMs;
      expect(clock.databaseMs).toBeCloseTo(NOON_MS + afterMs - behindMs, 3);
      expect(clock.answeredAtMs).toBeCloseTo(clock.readAtMs + 5, 3);
      return Math.round(behindMs);
    },
  };
}

test('a database without a subscription has everything at once, and warns of nothing', () => {
  const { watch, look } = open();
  expect([look(0), watch.cause, watch.warning]).toEqual([0, undefined, undefined]);
});

test('a database whose subscription is gone has nothing, where the settings name its source', async () => {
  const settings = { url: NOBODY, unwatched: ['other'] };
  const watch = new SubscriptionWatch(settings, OBSERVING_LIMITS);
  watch.assertCopied([{ ...READY, name: 'other' }]);
  const readAtMs = performance.now();
  const { readAtMs: verifiedAtMs } = watch.judge({ databaseMs: NOON_MS, readAtMs, answeredAtMs: readAtMs });
  expect(readAtMs - verifiedAtMs).toBeGreaterThanOrEqual(OBSERVING_LIMITS.staleAfterMs);
  expect(watch.cause).toMatch(
    /no subscription of this database brings tickets: create it \("npm run -s gates -- connect"/,
  );
  await watch.end();
});

test.each([{ worker: null, copies: [COPY] }, { isEnabled: false }])(
  'a source that does not answer is named before what follows from it: %o',
  async (state) => {
    const watch = new SubscriptionWatch({ url: NOBODY, unwatched: [] }, OBSERVING_LIMITS);
    watch.assertCopied([{ ...READY, ...state }]);
    await watch.look();
    const readAtMs = performance.now();
    watch.judge({ databaseMs: NOON_MS, readAtMs, answeredAtMs: readAtMs });
    expect([watch.isBroken, watch.cause]).toEqual([
      true,
      expect.stringMatching(
        /^The source of the subscription "ingressos" cannot be asked .*: Nobody answers at the address of SOURCE_DATABASE_URL: .*ECONNREFUSED/,
      ),
    ]);
    await watch.end();
  },
);

test('a worker that receives messages has everything, one that is silent for longer than a living source does not', () => {
  const { watch, look } = open();
  expect(look(0, { silentMs: 20_000 })).toBe(0);
  expect(look(10_000, { lastMessageAt: '2' })).toBe(0);
  expect([look(10_000 + SILENCE_MS, { lastMessageAt: '2' }), watch.cause]).toEqual([0, undefined]);
  expect(look(10_002 + SILENCE_MS, { lastMessageAt: '2' })).toBe(SILENCE_MS + 2);
  expect(look(60_000, { lastMessageAt: '2' })).toBe(50_000);
  expect(watch.cause).toMatch(/^The subscription "ingressos" has received nothing for too long/);
  expect([look(62_000, { lastMessageAt: '3' }), watch.cause]).toEqual([0, undefined]);
});

test('what was silent or disabled before anybody looked is not live to begin with', () => {
  const { watch, look } = open();
  expect(open().look(0, { isEnabled: false })).toBeGreaterThanOrEqual(OBSERVING_LIMITS.staleAfterMs);
  expect(look(0, { silentMs: SILENCE_MS + 1_000 })).toBe(SILENCE_MS + 1_000);
  expect(watch.warning).toMatch(
    /"ingressos" is behind its source is not known, as SOURCE_DATABASE_URL is not set: .* after 34 s/,
  );
});

test('the clock of the database may be set: only what comes counts', () => {
  const { look } = open();
  expect(look(0, { silentMs: 0 })).toBe(0);
  expect(look(2_000, { silentMs: 3_600_000 })).toBe(0);
  expect(look(SILENCE_MS + 4_000, { silentMs: -3_600_000 })).toBeGreaterThan(0);
});

test.each([
  [
    { isEnabled: false, worker: null },
    /^The subscription "ingressos" is disabled: ALTER SUBSCRIPTION "ingressos" ENABLE/,
  ],
  [
    { isEnabled: false, worker: null, copies: [COPY] },
    /^The subscription "ingressos" is disabled: "npm run -s gates -- connect alf\.io" enables it, and completes/,
  ],
  [
    { worker: null },
    /^The worker of the subscription "ingressos" does not run, or fails at each start: the log of PostgreSQL has the reason/,
  ],
  [
    { origin: 'none' },
    /^The subscription "ingressos" leaves out .*SET \(origin = any\), and copy again what it left out$/,
  ],
  [{ lastMessageAt: null }, /^nothing$/],
] as const)('one of two that brings nothing holds everything back, in words: %o', (state, words) => {
  const { watch, look } = open();
  expect(look(0, {}, { name: 'other' })).toBe(0);
  const behindMs = 'lastMessageAt' in state ? 0 : 4_000;
  // A worker that began anew has received nothing yet; what the one before it heard still counts.
  expect(look(4_000, state, { name: 'other', lastMessageAt: '2' })).toBe(behindMs);
  expect(watch.cause ?? 'nothing').toMatch(words);
});

test('copied tables that cannot be compared with their source are never live, and there is no warning beside', () => {
  const { watch, look } = open();
  for (const [atMs, lastMessageAt] of [
    [0, '1'],
    [60_000, '2'],
  ] as const) {
    expect(look(atMs, { copies: [COPY], lastMessageAt })).toBeGreaterThanOrEqual(atMs);
    expect([watch.isBroken, watch.warning, watch.cause]).toEqual([
      true,
      undefined,
      'The subscription "ingressos": SOURCE_DATABASE_URL is not set: without it the copied tables cannot be compared with their source',
    ]);
  }
});

test('a worker that fails at each start has nothing, whatever it receives, until one has run for 10 s', () => {
  const { watch, look } = open();
  expect(look(0, {})).toBe(0);
  // It failed and was started again between two looks.
  expect(look(2_000, { worker: 8, lastMessageAt: '2' })).toBe(2_000);
  expect(look(4_000, { worker: null })).toBe(4_000);
  expect(watch.isBroken).toBe(true);
  expect(look(6_000, { worker: 9, lastMessageAt: '3' })).toBe(6_000);
  expect(look(15_900, { worker: 9, lastMessageAt: '4' })).toBe(15_900);
  expect(watch.cause).toMatch(/^The worker of the subscription "ingressos" does not run, or fails/);
  expect([look(16_000, { worker: 9, lastMessageAt: '5' }), watch.cause]).toEqual([0, undefined]);
  expect(watch.isBroken).toBe(false);
});

test('a subscription that is named brings nothing that counts', () => {
  const { watch, look } = open(['ingressos']);
  expect(look(0, { isEnabled: false, worker: null, readyTables: 0 })).toBe(0);
  expect(watch.warning).toBeUndefined();
});

test.each([
  [{ readyTables: 1 }, /"ingressos" has copied 1 of its 2 tables: wait/],
  [{ readyTables: 1, isEnabled: false }, /1 of its 2 tables: it is disabled: ALTER SUBSCRIPTION/],
  [
    { readyTables: 0, isEnabled: false, comment: FILLING_MARK, copies: [COPY] },
    /0 of its 2 tables: it is disabled: "npm run -s gates -- connect alf\.io" enables it, and completes/,
  ],
  [{ tables: 0, readyTables: 0 }, /0 of its 0 tables: ALTER SUBSCRIPTION "ingressos" REFRESH PUBLICATION/],
])('there is nothing to observe before all tables are copied: %o', (state, words) => {
  expect(() => open().look(0, state)).toThrow(words);
});

test.each([
  [
    { comment: FILLING_MARK, copies: [COPY] },
    /"ingressos": its tickets are not filled yet: .*connect alf\.io"/,
  ],
  [{ copies: [{ ...COPY, isFollowed: false }] }, /the table public\.ticket has lost its trigger/],
])('there is nothing to observe before the tickets are filled from the copies: %o', (state, words) => {
  expect(() => open().look(0, state)).toThrow(words);
});

test.each([
  [{ 'public.ticket': { id: 'integer', status: 'text', more: 'text' } }, undefined],
  [{}, /public\.ticket is not published any more/],
  [
    { 'public.ticket': { id: 'integer', state: 'text' } },
    /has no column status any more, but state: .*connect alf\.io"/,
  ],
  [
    { 'public.ticket': { id: 'integer', status: 'text', blocked: 'jsonb' } },
    /public\.ticket has a column blocked now, which counts: .*connect alf\.io" goes on/,
  ],
  [
    { 'public.ticket': { id: 'bigint', status: 'text' } },
    /the column id of the table public\.ticket is bigint now/,
  ],
] as const)(
  'a source whose published columns are %o is another than was copied, or not',
  (published, words) => {
    const change = findSourceChange([COPY], published);
    expect(change ?? 'the same').toMatch(words ?? 'the same');
  },
);
