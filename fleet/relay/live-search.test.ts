import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { formatPosition } from '../../domain/log-position.ts';
import { KnownTimelines } from '../../domain/known-timelines.ts';
import { RELAY_TICK_MS } from '../../domain/freshness.ts';
import { CounterRegistry } from './counter-registry.ts';
import { encodeAnswer } from './encode.ts';
import { LiveSearch } from './live-search.ts';
import type { LinkSubscription } from './nats-link.ts';
import { type NatsServerAddress, placeOf } from './nats-target.ts';
import { Subjects } from './subjects.ts';
import type { FreshnessAnswer } from './wire.ts';

const SERVERS: readonly NatsServerAddress[] = [1, 2, 3].map((n) => ({ host: `nats-${n}`, port: 4222 }));
const MINUTE_MS = 60_000;

type Reported = 'live' | 'live on 2' | 'lag' | 'nothing yet';

function answerOf(counter: string, reported: Reported): FreshnessAnswer {
  const live = reported.startsWith('live');
  const position =
    reported === 'nothing yet' ? undefined : formatPosition('7', reported === 'live on 2' ? 2 : 1, 5n);
  return {
    from: { counter, run: '1' },
    position,
    live,
    ageMs: 0,
    atMs: undefined,
    reason: live ? undefined : 'lag',
    server: undefined,
  };
}

/** What the counters behind each server report, by name; the edge begins with the first server. */
type Behind = Record<string, Record<string, Reported>>;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** `lateMs`: how long a connection to another server takes. */
function openSearch(behind: Behind, lateMs = 0) {
  const proved = new KnownTimelines<string>();
  const counters = new CounterRegistry(proved);
  const opened: { place: string; atMs: number }[] = [];
  const changes: string[] = [];
  const logged: string[] = [];
  const link = {
    server: SERVERS[0],
    connectedAtMs: performance.now(),
    notConnectedReason: undefined,
    changeTo(server: NatsServerAddress, reason: string) {
      link.server = server;
      link.connectedAtMs = performance.now();
      changes.push(reason);
    },
  };
  const answersBehind = (server: NatsServerAddress | undefined): FreshnessAnswer[] =>
    Object.entries(behind[server?.host ?? ''] ?? {}).map(([name, reported]) => answerOf(name, reported));
  const search = new LiveSearch({
    edge: 'e1',
    subjects: new Subjects('main'),
    servers: SERVERS,
    link,
    counters,
    proved,
    openLink(server) {
      const atMs = performance.now();
      opened.push({ place: placeOf(server), atMs });
      let subscription: LinkSubscription | undefined;
      return {
        start: () => {},
        stop: async () => {},
        notConnectedReason: undefined,
        publish(_subject, _bytes, reply = '') {
          if (performance.now() - atMs < lateMs) return false;
          for (const answer of answersBehind(server))
            subscription?.onMessage(reply, encodeAnswer(answer), undefined);
          return true;
        },
        subscribe(made) {
          subscription = made;
          return () => (subscription = undefined);
        },
      };
    },
    log: pino({}, { write: (line: string) => void logged.push((JSON.parse(line) as { seen: string }).seen) }),
  });
  const passMs = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += RELAY_TICK_MS) {
      vi.advanceTimersByTime(RELAY_TICK_MS);
      const nowMs = performance.now();
      for (const answer of answersBehind(link.server)) counters.answered(answer, nowMs, nowMs);
      search.check(nowMs);
    }
  };
  return { search, passMs, opened, changes, logged };
}

test.each<[string, Record<string, Reported>]>([
  ['none answers', {}],
  ['one is not live', { c1: 'lag' }],
  ['one has counted nothing yet', { c1: 'nothing yet' }],
])('where %s, an edge changes to a server behind which a counter is live', (_what, own) => {
  const { passMs, changes } = openSearch({
    'nats-1': own,
    'nats-2': { c2: 'lag' },
    'nats-3': { c3: 'live' },
  });
  passMs(4_000);
  expect(changes).toEqual(['changing to nats-3:4222, behind which c3 is live']);
});

test('a server that is reached late in a round is looked at to the end', () => {
  const behind: Behind = { 'nats-1': { c1: 'lag' }, 'nats-2': { c2: 'lag' }, 'nats-3': { c3: 'live' } };
  const { passMs, changes, opened } = openSearch(behind, 1_300);
  passMs(5_000);
  expect(changes).toEqual(['changing to nats-3:4222, behind which c3 is live']);
  expect(opened).toHaveLength(2);
});

test('while a counter is live, there is no search', () => {
  const { passMs, opened } = openSearch({ 'nats-1': { c1: 'lag', c2: 'live' }, 'nats-2': { c3: 'live' } });
  passMs(MINUTE_MS);
  expect(opened).toEqual([]);
});

test('while no counter is live anywhere, the connection stays, and rounds are further and further apart, with jitter', () => {
  const searches = [1, 2].map(() => openSearch({ 'nats-1': { c1: 'lag' }, 'nats-2': { c2: 'lag' } }));
  const rounds = searches.map(({ passMs, opened, changes }) => {
    passMs(10 * MINUTE_MS);
    expect(changes).toEqual([]);
    expect(opened.some(({ place }) => place === 'nats-1:4222')).toBe(false);
    return opened.filter(({ place }) => place === 'nats-2:4222').map(({ atMs }) => Math.round(atMs));
  });
  for (const times of rounds) {
    const gaps = times.slice(1).map((atMs, n) => atMs - (times[n] ?? 0));
    expect(gaps[0]).toBeLessThan(3_000);
    expect(Math.max(...gaps)).toBeLessThan(12_000);
    // More than 120 would be one in five seconds.
    expect(times.length).toBeLessThan(100);
  }
  const [one = [], other = []] = rounds;
  expect(one.map((atMs) => atMs - (one[0] ?? 0))).not.toEqual(other.map((atMs) => atMs - (other[0] ?? 0)));
});

test('a counter that becomes live behind another server is found after however long', () => {
  const behind: Behind = { 'nats-1': { c1: 'lag' } };
  const { passMs, changes } = openSearch(behind);
  passMs(10 * MINUTE_MS);
  behind['nats-2'] = { c2: 'live' };
  passMs(13_000);
  expect(changes).toEqual(['changing to nats-2:4222, behind which c2 is live']);
});

test('where no counter answers, one that is not live is better than none, and each finding is logged once', () => {
  const { search, passMs, changes, logged } = openSearch({ 'nats-2': { c2: 'lag', c3: 'nothing yet' } });
  passMs(5 * MINUTE_MS);
  expect(changes).toEqual([
    'changing to nats-2:4222, behind which c2 is not live (lag), c3 has counted nothing yet',
  ]);
  expect(search.seen).toBe('behind nats-1:4222 no counter answers; behind nats-3:4222 no counter answers');
  expect(logged).toEqual([
    'behind nats-1:4222 no counter answers; ' +
      'behind nats-2:4222 c2 is not live (lag), c3 has counted nothing yet; behind nats-3:4222 no counter answers',
    'behind nats-2:4222 c2 is not live (lag), c3 has counted nothing yet; ' +
      'behind nats-1:4222 no counter answers; behind nats-3:4222 no counter answers',
  ]);
});

test('a page that has seen a higher timeline starts a round', () => {
  const { search, passMs, changes, logged } = openSearch({
    'nats-1': { c1: 'live' },
    'nats-2': { c2: 'live on 2' },
  });
  passMs(MINUTE_MS);
  search.pageHasSeen('7.12');
  passMs(2_000);
  expect(changes).toEqual(['changing to nats-2:4222, behind which c2 is live']);
  expect(logged.at(-1)).toMatch(
    'behind nats-1:4222 c1 counts a former primary; behind nats-2:4222 c2 is live',
  );
});

test('claims of pages make nothing stale, and start one round in five seconds at most', () => {
  const { search, passMs, opened, changes } = openSearch({
    'nats-1': { c1: 'live' },
    'nats-2': { c2: 'live' },
  });
  passMs(1_000);
  for (const timeline of ['7.11', '8.12', '7.10']) search.pageHasSeen(timeline);
  passMs(10_000);
  expect(opened).toEqual([]);
  for (let n = 0; n < 600; n += 1) {
    search.pageHasSeen('7.8FFFFFFFF');
    passMs(RELAY_TICK_MS);
  }
  expect(changes).toEqual([]);
  expect(opened.length).toBeGreaterThan(2);
  expect(opened.length).toBeLessThanOrEqual(2 * 12);
});
