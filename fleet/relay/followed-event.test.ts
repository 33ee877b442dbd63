import { beforeEach, expect, test } from 'vitest';
import type { CountsSlice, EventStateSlice, Freshness, IncompleteCount } from '../../domain/event-state.ts';
import { ANSWER_VALID_MS, RELAY_TICK_MS } from '../../domain/freshness.ts';
import { MAX_CODES } from '../../domain/tally.ts';
import { formatPosition, formatTimeline } from '../../domain/log-position.ts';
import { KnownTimelines } from '../../domain/known-timelines.ts';
import { withReturn } from '../../domain/returned-primary.ts';
import { CounterRegistry } from './counter-registry.ts';
import { FollowedEvent } from './followed-event.ts';
import type { EventStateObserver } from '../../board/counting/event-state-observer.ts';
import { digestOf, NO_DOCUMENTS, type Sender } from './wire.ts';

const EVENT_ID = 'e'.repeat(32);
const [A, B]: readonly [Sender, Sender] = [
  { counter: 'a', run: '1' },
  { counter: 'b', run: '1' },
];

let nowMs: number;
let counters: CounterRegistry;
let event: FollowedEvent;
let notified: (EventStateSlice | Freshness)[];

beforeEach(() => {
  nowMs = 1_000;
  counters = new CounterRegistry();
  // A counter answered before, and is gone.
  const gone = {
    from: { counter: 'gone', run: '1' },
    live: false,
    ageMs: 0,
    atMs: undefined,
    reason: undefined,
    server: undefined,
  } as const;
  counters.answered({ ...gone, position: positionOf({ system: '1' }) }, -10_000, -9_990);
  notified = [];
  const observer = {
    slice: (slice: EventStateSlice) => void notified.push(slice),
    freshness: (freshness: Freshness) => void notified.push(freshness),
  };
  follow(observer);
});

function follow(observer: EventStateObserver): void {
  event = new FollowedEvent(EVENT_ID, new Set(['4']), counters, observer, nowMs);
}

interface Place {
  readonly place?: number;
  readonly system?: string;
  readonly timeline?: number;
  readonly admitted?: number;
  readonly server?: string;
  /** Counted separately, in place of '4'; all tickets have other ones. */
  readonly codes?: readonly string[];
}

const NOBODY = { tickets: 0, admitted: 0, valid: 0 };

function positionOf({ place = 5, system = '7', timeline = 1 }: Place): string {
  return formatPosition(system, timeline, BigInt(place));
}

function publish(
  from: Sender,
  of: Place = {},
  documents = NO_DOCUMENTS,
  incomplete?: string,
): ReturnType<FollowedEvent['offerCounts']> {
  const { place = 5, admitted = place } = of;
  const counted = { tickets: 100, admitted, valid: 100 };
  const state: CountsSlice = {
    kind: 'counts',
    eventId: EVENT_ID,
    epoch: 'x',
    version: 0,
    position: positionOf(of),
    ...counted,
    codes: of.codes?.map((code) => ({ code, ...NOBODY })) ?? [{ code: '4', ...counted }],
    rest: of.codes ? counted : NOBODY,
  };
  const version = { position: state.position, digest: documents };
  const slices = {
    documents: version,
    details: undefined,
    incomplete: incomplete === undefined ? undefined : { position: state.position, digest: incomplete },
  };
  return event.offerCounts({ from, state, server: of.server, ...slices }, nowMs);
}

function answer(
  from: Sender,
  {
    live = true,
    ageMs = 0,
    lateMs = 0,
    ...of
  }: Place & { live?: boolean; ageMs?: number; lateMs?: number } = {},
): void {
  const reason = live ? undefined : ('lag' as const);
  const { server } = of;
  counters.answered(
    { from, position: positionOf(of), live, ageMs, atMs: undefined, reason, server },
    nowMs - lateMs,
    nowMs,
  );
  event.check(nowMs);
}

/** A live counter publishes these counts, and answers. */
function keepUp(from: Sender, of: Place = {}): void {
  publish(from, of);
  answer(from, of);
}

function passMs(ms: number, each: () => void = () => {}): void {
  for (const untilMs = nowMs + ms; nowMs < untilMs;) {
    nowMs += RELAY_TICK_MS;
    each();
    event.check(nowMs);
  }
}

test('counts are live once a live counter publishes them', () => {
  expect(event.freshness).toEqual({ live: false, verifiedAtMs: 1_000, reason: 'connecting' });
  answer(A);
  expect(event.freshness.live).toBe(false);
  publish(A);
  event.check(nowMs);
  expect(event.freshness).toEqual({ live: true });
  expect(event.following(nowMs)).toMatchObject({ counter: 'a', position: positionOf({}), ageMs: 0 });
});

test('counts that may have a code of the venue among the rest are not taken, and those of another counter are', () => {
  keepUp(A, { place: 5 });
  expect(event.freshness.live).toBe(true);
  const many = Array.from({ length: MAX_CODES }, (_, index) => `wrong ${index}`);
  const wrong = (codes: readonly string[]) => (): void => keepUp(A, { place: 6, codes });
  passMs(4_000, wrong(many));
  expect([event.freshness.live, event.counts?.admitted, event.counterWithoutCodes]).toEqual([false, 5, 'a']);
  passMs(1_000, () => {
    wrong(many)();
    keepUp(B, { place: 7 });
  });
  expect([event.freshness.live, event.counts?.admitted]).toEqual([true, 7]);
  passMs(20_000);
  expect(event.counterWithoutCodes).toBeUndefined();
  // With the venue's code, or room for it, nothing of it is among the rest.
  for (const codes of [['4', ...many.slice(1)], many.slice(1)]) {
    passMs(1_000, wrong(codes));
    expect(event.counterWithoutCodes).toBeUndefined();
  }
});

test('at the start, nothing is live before all counters have had the time to answer', () => {
  counters = new CounterRegistry();
  follow({ slice: () => {}, freshness: () => {} });
  const former = (): void => keepUp(A);
  former();
  passMs(400, former);
  expect(event.freshness).toMatchObject({ live: false, reason: 'connecting' });
  expect(event.primaryOf('a', nowMs)).toBe('unknown');
  publish(B, { timeline: 2, place: 1 });
  answer(B, { timeline: 2 });
  passMs(100, former);
  expect(event.freshness.live).toBe(true);
  expect(event.counts?.admitted).toBe(1);
  expect(['a', 'b', 'c'].map((name) => event.primaryOf(name, nowMs))).toEqual([
    'former',
    'current',
    'unknown',
  ]);
});

test('a counter that falls silent is stale within a second of the last question that it answered', () => {
  publish(A);
  answer(A, { ageMs: 300 });
  passMs(900);
  expect(event.freshness.live).toBe(true);
  passMs(100);
  expect(event.freshness).toEqual({ live: false, verifiedAtMs: 700, reason: 'connecting' });
});

test('counts were verified at the time of asking less the age in the answer, however late that comes', () => {
  publish(A);
  answer(A, { live: false, ageMs: 2_000, lateMs: 800 });
  expect(event.freshness).toEqual({ live: false, verifiedAtMs: nowMs - 2_800, reason: 'lag' });
});

test('both hops and the database together are no longer than the database alone may be', () => {
  publish(A);
  // An answer that took too long makes nothing live.
  answer(A, { lateMs: 1_000 });
  expect(event.freshness.live).toBe(false);
  answer(A, { ageMs: 2_800, lateMs: 50 });
  expect(event.freshness.live).toBe(true);
  passMs(100);
  expect(event.freshness.live).toBe(false);
});

test('a counter that answers and publishes nothing of the event makes nothing live', () => {
  keepUp(A);
  passMs(1_900, () => answer(A));
  expect(event.freshness.live).toBe(true);
  passMs(300, () => answer(A));
  expect(event.freshness).toMatchObject({ live: false, reason: 'lag' });
  keepUp(A);
  expect(event.freshness.live).toBe(true);
});

test('losing one of two counters changes nothing on the screen', () => {
  for (const one of [A, B]) {
    keepUp(one);
  }
  notified = [];
  passMs(10_000, () => keepUp(B));
  expect(notified).toEqual([]);
  expect(event.following(nowMs).counter).toBe('b');
});

test('a live counter of an older copy of the database makes later counts stale', () => {
  keepUp(A, { place: 9 });
  const older = (): void => keepUp(B, { place: 8 });
  // It may be behind for a moment.
  passMs(5_000, older);
  expect(event.freshness.live).toBe(true);
  passMs(3_000, older);
  expect(event.freshness.live).toBe(false);
  expect(event.conflictingCounter).toBe('b');
  expect(event.counts?.admitted).toBe(9);
});

test('a counter whose last commit is earlier keeps the counts of another one live, where both are the same', () => {
  publish(A, { place: 9, admitted: 4 });
  answer(A, { place: 9 });
  passMs(30_000, () => {
    publish(B, { place: 8, admitted: 4 });
    answer(B, { place: 10 });
  });
  expect(event.freshness.live).toBe(true);
});

test('a counter that is always a little behind keeps the current counts live', () => {
  let place = 100;
  passMs(30_000, () => {
    place += 1;
    publish(A, { place });
    publish(B, { place: place - 3 });
    answer(B, { place });
  });
  expect(event.freshness.live).toBe(true);
  expect(event.counts?.admitted).toBe(place);
});

test('once a live counter is on a higher timeline, one on a lower timeline makes nothing live', () => {
  const old = (): void => keepUp(A);
  old();
  expect(event.freshness.live).toBe(true);
  answer(B, { timeline: 2 });
  passMs(500, () => {
    old();
    answer(B, { timeline: 2 });
  });
  expect(event.freshness.live).toBe(false);
  publish(B, { timeline: 2, place: 1 });
  answer(B, { timeline: 2 });
  expect(event.freshness.live).toBe(true);
  expect(counters.followingFormerPrimary(nowMs)).toEqual(['a']);
  old();
  expect(event.counts?.admitted).toBe(1);
  // With it alone, nothing is live.
  passMs(1_000, old);
  expect(event.freshness.live).toBe(false);
  expect(counters.followingFormerPrimary(nowMs)).toEqual(['a']);
});

test('a timeline that was proved before a restart still retires the counters of lower ones', () => {
  const proved = new KnownTimelines([['7', formatTimeline(2)]]);
  counters = new CounterRegistry(proved);
  follow({ slice: () => {}, freshness: () => {} });
  const former = (): void => keepUp(A, { timeline: 1 });
  passMs(20_000, former);
  expect([event.counts, event.freshness.live]).toEqual([undefined, false]);
  expect(counters.isAnyLive(nowMs)).toBe(false);
  expect(event.primaryOf('a', nowMs)).toBe('former');
  // An operator has gone back to it on purpose.
  const returned = (): void => keepUp(B, { timeline: withReturn(1, { rank: 1, by: 'Ana', atMs: 0 }) });
  passMs(500, returned);
  expect(event.freshness.live).toBe(true);
  expect(proved.latest.get('7')).toBe('R0000000100000001');
});

test('a counter that is not live proves nothing by its answer', () => {
  keepUp(A);
  answer(B, { timeline: 2, live: false });
  expect(counters.followingFormerPrimary(nowMs)).toEqual([]);
  expect(counters.isAnyLive(nowMs)).toBe(true);
  // But what screens have seen is kept, though nobody has answered for it yet.
  publish(B, { timeline: 2, place: 1 });
  expect(counters.followingFormerPrimary(nowMs)).toEqual(['a']);
});

test('of two servers of one timeline none is shown, and then the one that is left, though it stands earlier', () => {
  const onA = { server: 'x', place: 90 };
  const onB = { server: 'y', place: 50 };
  keepUp(A, onA);
  expect([event.freshness.live, event.twins]).toEqual([true, []]);
  passMs(10_000, () => {
    keepUp(B, onB);
    keepUp(A, onA);
  });
  expect([event.freshness.live, event.twins]).toEqual([false, ['a', 'b']]);
  // Counters of another database are not followed instead.
  keepUp({ counter: 'other', run: '1' }, { system: '8', place: 7 });
  expect(event.counts).toBeUndefined();
  expect(['a', 'b'].map((name) => event.primaryOf(name, nowMs))).toEqual(['twin', 'twin']);
  notified = [];
  // The server of A is stopped. Until its answers have expired it may be either; afterwards A repeats what it counted last.
  passMs(10_000, () => {
    keepUp(B, onB);
    publish(A, onA);
    answer(A, { ...onA, live: false });
  });
  expect([event.freshness.live, event.twins]).toEqual([true, []]);
  expect(event.primaryOf('b', nowMs)).toBe('current');
  expect(event.counts?.admitted).toBe(50);
  expect(notified).not.toContainEqual(expect.objectContaining({ admitted: 90 }));
  // A standby is promoted again: what its timeline had before is forgotten.
  keepUp(A, { timeline: 2, server: 'z', place: 51 });
  publish(A, { timeline: 2, place: 52 });
  expect(event.counts?.admitted).toBe(52);
});

test('of a server that died before its twin was heard nothing is shown as live, and nothing once the twin is', () => {
  const dead = { server: 'x', place: 90 };
  const left = { server: 'y', place: 50 };
  keepUp(B, left);
  passMs(3_000, () => {
    keepUp(B, left);
    publish(A, dead);
    answer(A, { ...dead, live: false });
  });
  expect([event.freshness.live, event.counts?.admitted, event.twins]).toEqual([true, 50, []]);
  expect(notified).not.toContainEqual(expect.objectContaining({ admitted: 90 }));
  // Also where the answers of the one that is left have just expired.
  nowMs += ANSWER_VALID_MS + 1;
  publish(A, dead);
  expect(notified.slice(-2)).toMatchObject([{ live: false }, { kind: 'counts', admitted: 90 }]);
  keepUp(B, left);
  keepUp(B, left);
  expect([event.freshness.live, event.counts?.admitted]).toEqual([true, 50]);
  // The counter of a lost server counts none.
  expect(Object.keys(counters.primaries(nowMs))).toEqual(['b']);

  // Where its counts are on the screens, as stale ones.
  counters = new CounterRegistry();
  follow({ slice: (slice) => void notified.push(slice), freshness: () => {} });
  passMs(3_000, () => {
    publish(A, dead);
    answer(A, { ...dead, live: false });
  });
  expect([event.freshness.live, event.counts?.admitted]).toEqual([false, 90]);
  const documents = [{ code: '4', data: { nome: 'NORTE' } }];
  const state = { kind: 'documents', eventId: EVENT_ID, documents } as const;
  const digest = digestOf(documents);
  event.offerSlice({ from: A, state: { ...state, position: positionOf(dead) }, server: 'x', digest }, nowMs);
  expect(event.documents?.documents).toEqual(documents);
  answer(B, left);
  expect([event.freshness.live, event.counts, event.documents]).toEqual([false, undefined, undefined]);
  event.offerSlice({ from: A, state: { ...state, position: positionOf(dead) }, server: 'x', digest }, nowMs);
  keepUp(B, left);
  expect([event.freshness.live, event.counts?.admitted]).toEqual([true, 50]);
  expect(event.documents?.documents).toEqual([]);
});

test('a server that was restarted is no other one', () => {
  keepUp(A, { server: 'x' });
  keepUp(B, { server: 'x' });
  answer(A, { live: false, server: 'x' });
  answer(B, { live: false, server: 'x' });
  passMs(500);
  answer(A, { live: false, server: 'x' });
  keepUp(B, { server: 'y', place: 6 });
  publish(A, { server: 'x' });
  expect([event.freshness.live, event.counts?.admitted, event.twins]).toEqual([true, 6, []]);
  keepUp(A, { server: 'y', place: 7 });
  expect([event.freshness.live, event.counts?.admitted, event.twins]).toEqual([true, 7, []]);
});

test('documents are asked for where their counter has others, and are empty where it has none', () => {
  expect(publish(A).lacksSlices).toBe(false);
  expect(notified.filter((slice) => 'kind' in slice && slice.kind === 'documents')).toEqual([
    { kind: 'documents', eventId: EVENT_ID, position: positionOf({}), documents: [] },
  ]);
  const documents = [{ code: '4', data: { nome: 'NORTE' } }];
  const digest = digestOf(documents);
  expect(publish(A, { place: 6 }, digest).lacksSlices).toBe(true);
  const state = {
    kind: 'documents',
    eventId: EVENT_ID,
    position: positionOf({ place: 6 }),
    documents,
  } as const;
  event.offerSlice({ from: A, state, server: undefined, digest }, nowMs);
  expect(publish(A, { place: 7 }, digest).lacksSlices).toBe(false);
  // Another counter read the same ones later; an earlier state of them changes nothing.
  expect(publish(B, { place: 8 }, digest).lacksSlices).toBe(false);
  event.offerSlice(
    {
      from: B,
      state: { ...state, position: positionOf({ place: 5 }), documents: [] },
      server: undefined,
      digest: NO_DOCUMENTS,
    },
    nowMs,
  );
  expect(event.documents?.documents).toEqual(documents);
});

function incompleteAt(from: Sender, place: number, incomplete: readonly IncompleteCount[]): void {
  event.offerSlice(
    {
      from,
      state: { kind: 'incomplete', eventId: EVENT_ID, position: positionOf({ place }), incomplete },
      server: undefined,
      digest: digestOf(incomplete),
    },
    nowMs,
  );
}

function shownIncomplete(): (readonly IncompleteCount[])[] {
  return notified.flatMap((slice) =>
    'kind' in slice && slice.kind === 'incomplete' ? [slice.incomplete] : [],
  );
}

test('incomplete counts are asked for where their counter has others, and stay until every counter has others', () => {
  const marked = [{ row: '7', fromMs: 1, toMs: null }];
  const ended = [{ row: '7', fromMs: 1, toMs: 2 }];
  const digest = digestOf(marked);
  expect(publish(A, { place: 5 }).lacksSlices).toBe(false);
  expect(publish(A, { place: 6 }, NO_DOCUMENTS, digest).lacksSlices).toBe(true);
  incompleteAt(A, 6, marked);
  expect(publish(A, { place: 7 }, NO_DOCUMENTS, digest).lacksSlices).toBe(false);
  // A counter that does not watch the flow changes nothing, nor does one that does not know of the mark yet.
  expect(publish(B, { place: 8 }).lacksSlices).toBe(false);
  expect(publish(B, { place: 8 }, NO_DOCUMENTS, digestOf([])).lacksSlices).toBe(true);
  incompleteAt(B, 8, []);
  expect(shownIncomplete()).toEqual([marked]);
  incompleteAt(B, 9, ended);
  expect(shownIncomplete()).toEqual([marked, ended]);
  incompleteAt(B, 9, []);
  incompleteAt(A, 9, []);
  expect(shownIncomplete()).toEqual([marked, ended, marked, []]);
});

test('a mark that a counter of the former primary alone knows of stays as long as that answers', () => {
  const marked = [{ row: '7', fromMs: 1, toMs: null }];
  keepUp(A);
  incompleteAt(A, 6, marked);
  const former = (): void => {
    expect(publish(A, { place: 9 }, NO_DOCUMENTS, digestOf(marked)).lacksSlices).toBe(false);
    answer(A, { live: false });
  };
  keepUp(B, { timeline: 2 });
  incompleteAt(B, 1, []);
  passMs(5_000, () => {
    former();
    keepUp(B, { timeline: 2 });
  });
  expect(shownIncomplete()).toEqual([marked]);
  passMs(2_000, () => keepUp(B, { timeline: 2 }));
  expect(shownIncomplete()).toEqual([marked, []]);
});

test('a counter that could not read its record takes nothing back, and where nothing was known it is not known', () => {
  const unknown = [{ row: null, fromMs: null, toMs: null }];
  const marked = [{ row: '7', fromMs: 1, toMs: null }];
  keepUp(A);
  incompleteAt(A, 6, unknown);
  expect(shownIncomplete()).toEqual([unknown]);
  incompleteAt(A, 6, marked);
  passMs(10_000, () => keepUp(B));
  incompleteAt(B, 7, unknown);
  expect(publish(B, { place: 8 }, NO_DOCUMENTS, digestOf(unknown)).lacksSlices).toBe(false);
  expect(shownIncomplete()).toEqual([unknown, marked]);
  incompleteAt(B, 8, []);
  expect(shownIncomplete()).toEqual([unknown, marked, []]);
});

test('where no counter answers, what was known of incomplete counts holds', () => {
  const marked = [{ row: '7', fromMs: 1, toMs: null }];
  keepUp(A);
  keepUp(B);
  incompleteAt(A, 6, marked);
  incompleteAt(B, 6, []);
  passMs(60_000);
  expect(shownIncomplete()).toEqual([marked]);
});

test('a counter that is cut off stands before the screens’ counts because of that, and is none of an older copy', () => {
  keepUp(A, { place: 5 });
  passMs(8_000, () => {
    keepUp(B, { place: 9 });
    publish(A, { place: 5 });
    answer(A, { place: 5, live: false });
  });
  expect(event.conflictingCounter).toBeUndefined();
  passMs(1_000, () => {
    keepUp(B, { place: 9 });
    keepUp(A, { place: 5 });
  });
  expect(event.conflictingCounter).toBe('a');
});
