import { beforeEach, expect, test } from 'vitest';
import type { CountsPart, EventStatePart, Freshness, IncompleteCount } from '../../domain/event-state.ts';
import { RELAY_TICK_MS } from '../../domain/freshness.ts';
import { formatPosition, formatTimeline } from '../../domain/log-position.ts';
import { TimelinesHeard } from '../../domain/timelines-heard.ts';
import { CountersHeard } from './counters-heard.ts';
import { FollowedEvent } from './followed-event.ts';
import { digestOf, NO_DOCUMENTS, type Sender } from './wire.ts';

const EVENT_ID = 'e'.repeat(32);
const [A, B]: readonly [Sender, Sender] = [
  { counter: 'a', run: '1' },
  { counter: 'b', run: '1' },
];

let nowMs: number;
let counters: CountersHeard;
let event: FollowedEvent;
let told: (EventStatePart | Freshness)[];

beforeEach(() => {
  nowMs = 1_000;
  counters = new CountersHeard();
  // Somebody was heard before, and is gone.
  const gone = { from: { counter: 'gone', run: '1' }, live: false, ageMs: 0, reason: undefined } as const;
  counters.answered({ ...gone, position: positionOf({ system: '1' }) }, -10_000, 0);
  told = [];
  const observer = {
    part: (part: EventStatePart) => void told.push(part),
    freshness: (freshness: Freshness) => void told.push(freshness),
  };
  event = new FollowedEvent(EVENT_ID, counters, observer, nowMs);
});

interface Place {
  readonly place?: number;
  readonly system?: string;
  readonly timeline?: number;
  readonly admitted?: number;
}

function positionOf({ place = 5, system = '7', timeline = 1 }: Place): string {
  return formatPosition(system, timeline, BigInt(place));
}

function say(
  from: Sender,
  of: Place = {},
  documents = NO_DOCUMENTS,
  incomplete?: string,
): ReturnType<FollowedEvent['offerCounts']> {
  const { place = 5, admitted = place } = of;
  const counted = { tickets: 100, admitted, valid: 100 };
  const state: CountsPart = {
    part: 'counts',
    eventId: EVENT_ID,
    epoch: 'x',
    version: 0,
    position: positionOf(of),
    ...counted,
    codes: [{ code: '4', ...counted }],
    rest: { tickets: 0, admitted: 0, valid: 0 },
  };
  const version = { position: state.position, digest: documents };
  const parts = {
    documents: version,
    details: undefined,
    incomplete: incomplete === undefined ? undefined : { position: state.position, digest: incomplete },
  };
  return event.offerCounts({ from, state, ...parts }, nowMs);
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
  counters.answered({ from, position: positionOf(of), live, ageMs, reason }, nowMs - lateMs, nowMs);
  event.check(nowMs);
}

/** Time goes by; who is named goes on as it was. */
function passMs(ms: number, keepUp: () => void = () => {}): void {
  for (const untilMs = nowMs + ms; nowMs < untilMs;) {
    nowMs += RELAY_TICK_MS;
    keepUp();
    event.check(nowMs);
  }
}

test('counts are live once a live counter says them', () => {
  expect(event.freshness).toEqual({ live: false, rightAtMs: 1_000, reason: 'connecting' });
  answer(A);
  expect(event.freshness.live).toBe(false);
  say(A);
  event.check(nowMs);
  expect(event.freshness).toEqual({ live: true });
  expect(event.following(nowMs)).toMatchObject({ counter: 'a', position: positionOf({}), ageMs: 0 });
});

test('at the start, nothing is live before all counters have had the time to answer', () => {
  counters = new CountersHeard();
  event = new FollowedEvent(EVENT_ID, counters, { part: () => {}, freshness: () => {} }, nowMs);
  const former = (): void => {
    say(A);
    answer(A);
  };
  former();
  passMs(400, former);
  expect(event.freshness).toMatchObject({ live: false, reason: 'connecting' });
  expect(event.primaryOf('a', nowMs)).toBe('unknown');
  say(B, { timeline: 2, place: 1 });
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
  say(A);
  answer(A, { ageMs: 300 });
  passMs(900);
  expect(event.freshness.live).toBe(true);
  passMs(100);
  expect(event.freshness).toEqual({ live: false, rightAtMs: 700, reason: 'connecting' });
});

test('what was known to be right is the time of asking less the age, however late the answer comes', () => {
  say(A);
  answer(A, { live: false, ageMs: 2_000, lateMs: 800 });
  expect(event.freshness).toEqual({ live: false, rightAtMs: nowMs - 2_800, reason: 'lag' });
});

test('an answer that was under way for too long makes nothing live', () => {
  say(A);
  answer(A, { lateMs: 1_000 });
  expect(event.freshness.live).toBe(false);
});

test('both hops and the database together are no longer than the database alone may be', () => {
  say(A);
  answer(A, { ageMs: 2_800, lateMs: 50 });
  expect(event.freshness.live).toBe(true);
  passMs(100);
  expect(event.freshness.live).toBe(false);
});

test('a counter that answers and says nothing of the event makes nothing live', () => {
  say(A);
  answer(A);
  passMs(1_900, () => answer(A));
  expect(event.freshness.live).toBe(true);
  passMs(300, () => answer(A));
  expect(event.freshness).toMatchObject({ live: false, reason: 'lag' });
  say(A);
  answer(A);
  expect(event.freshness.live).toBe(true);
});

test('with one of two gone nothing changes on the screen', () => {
  for (const one of [A, B]) {
    say(one);
    answer(one);
  }
  told = [];
  passMs(10_000, () => {
    say(B);
    answer(B);
  });
  expect(told).toEqual([]);
  expect(event.following(nowMs).counter).toBe('b');
});

test('a live counter of an older copy of the database makes what was shown before no longer live', () => {
  say(A, { place: 9 });
  answer(A, { place: 9 });
  const older = (): void => {
    say(B, { place: 8 });
    answer(B, { place: 8 });
  };
  // It may be behind for a moment.
  passMs(5_000, older);
  expect(event.freshness.live).toBe(true);
  passMs(3_000, older);
  expect(event.freshness.live).toBe(false);
  expect(event.contradicted).toBe('b');
  expect(event.counts?.admitted).toBe(9);
});

test('a counter whose last commit is earlier holds up what another has counted anew, where both count the same', () => {
  say(A, { place: 9, admitted: 4 });
  answer(A, { place: 9 });
  passMs(30_000, () => {
    say(B, { place: 8, admitted: 4 });
    answer(B, { place: 10 });
  });
  expect(event.freshness.live).toBe(true);
});

test('a counter that is always a little behind holds up what is shown', () => {
  let place = 100;
  passMs(30_000, () => {
    place += 1;
    say(A, { place });
    say(B, { place: place - 3 });
    answer(B, { place });
  });
  expect(event.freshness.live).toBe(true);
  expect(event.counts?.admitted).toBe(place);
});

test('once a live counter is on a higher timeline, none of a lower one holds anything up', () => {
  const old = (): void => {
    say(A);
    answer(A);
  };
  old();
  expect(event.freshness.live).toBe(true);
  answer(B, { timeline: 2 });
  passMs(500, () => {
    old();
    answer(B, { timeline: 2 });
  });
  expect(event.freshness.live).toBe(false);
  say(B, { timeline: 2, place: 1 });
  answer(B, { timeline: 2 });
  expect(event.freshness.live).toBe(true);
  expect(counters.ofFormerPrimary(nowMs)).toEqual(['a']);
  old();
  expect(event.counts?.admitted).toBe(1);
  // Alone with it, nothing is live, and who asks is told why.
  passMs(1_000, old);
  expect(event.freshness.live).toBe(false);
  expect(counters.ofFormerPrimary(nowMs)).toEqual(['a']);
});

test('what was proved before a restart holds after it: a counter of a lower timeline makes nothing live, and is not shown', () => {
  const proved = new TimelinesHeard([['7', formatTimeline(2)]]);
  counters = new CountersHeard(proved);
  event = new FollowedEvent(EVENT_ID, counters, { part: () => {}, freshness: () => {} }, nowMs);
  const former = (): void => {
    say(A, { timeline: 1 });
    answer(A, { timeline: 1 });
  };
  passMs(20_000, former);
  expect([event.counts, event.freshness.live]).toEqual([undefined, false]);
  expect(counters.isAnyLive(nowMs)).toBe(false);
  expect(event.primaryOf('a', nowMs)).toBe('former');
  // An operator has gone back to it on purpose.
  const returned = (): void => {
    say(B, { timeline: 2 ** 32 + 1 });
    answer(B, { timeline: 2 ** 32 + 1 });
  };
  passMs(500, returned);
  expect(event.freshness.live).toBe(true);
  expect(proved.latest.get('7')).toBe('R0000000100000001');
});

test('a counter that is not live proves nothing by its answer', () => {
  say(A);
  answer(A);
  answer(B, { timeline: 2, live: false });
  expect(counters.ofFormerPrimary(nowMs)).toEqual([]);
  expect(counters.isAnyLive(nowMs)).toBe(true);
  // But what screens have seen is kept, though nobody has answered for it yet.
  say(B, { timeline: 2, place: 1 });
  expect(counters.ofFormerPrimary(nowMs)).toEqual(['a']);
});

test('documents are asked for where their counter has others, and said to be none where it has none', () => {
  expect(say(A).lacksParts).toBe(false);
  expect(told.filter((part) => 'part' in part && part.part === 'documents')).toEqual([
    { part: 'documents', eventId: EVENT_ID, position: positionOf({}), documents: [] },
  ]);
  const documents = [{ code: '4', data: { nome: 'NORTE' } }];
  const digest = digestOf(documents);
  expect(say(A, { place: 6 }, digest).lacksParts).toBe(true);
  const state = {
    part: 'documents',
    eventId: EVENT_ID,
    position: positionOf({ place: 6 }),
    documents,
  } as const;
  event.offerPart({ from: A, state, digest });
  expect(say(A, { place: 7 }, digest).lacksParts).toBe(false);
  // Another counter read the same ones later; an earlier state of them changes nothing.
  expect(say(B, { place: 8 }, digest).lacksParts).toBe(false);
  event.offerPart({
    from: B,
    state: { ...state, position: positionOf({ place: 5 }), documents: [] },
    digest: NO_DOCUMENTS,
  });
  expect(event.documents?.documents).toEqual(documents);
});

function incompleteAt(from: Sender, place: number, incomplete: readonly IncompleteCount[]): void {
  event.offerPart({
    from,
    state: { part: 'incomplete', eventId: EVENT_ID, position: positionOf({ place }), incomplete },
    digest: digestOf(incomplete),
  });
}

test('that counts are not whole is asked for where their counter says so, and stays until it says otherwise', () => {
  const heard = () =>
    told.flatMap((part) => ('part' in part && part.part === 'incomplete' ? [part.incomplete] : []));
  const marked = [{ row: '7', fromMs: 1, toMs: null }];
  const digest = digestOf(marked);
  expect(say(A, { place: 5 }).lacksParts).toBe(false);
  expect(say(A, { place: 6 }, NO_DOCUMENTS, digest).lacksParts).toBe(true);
  incompleteAt(A, 6, marked);
  expect(say(A, { place: 7 }, NO_DOCUMENTS, digest).lacksParts).toBe(false);
  // A counter that does not watch the flow says nothing of it, and one that is behind is not believed.
  expect(say(B, { place: 8 }).lacksParts).toBe(false);
  incompleteAt(B, 5, []);
  expect(heard()).toEqual([marked]);
  incompleteAt(B, 9, []);
  expect(heard()).toEqual([marked, []]);
});

test('once the counter that said which counts are not whole is gone, another one is believed at any position', () => {
  const digest = digestOf([]);
  say(A, { place: 6 });
  incompleteAt(A, 6, [{ row: '7', fromMs: 1, toMs: null }]);
  expect(say(B, { place: 5 }, NO_DOCUMENTS, digest).lacksParts).toBe(false);
  nowMs += 2_001;
  expect(say(B, { place: 5 }, NO_DOCUMENTS, digest).lacksParts).toBe(true);
  incompleteAt(B, 5, []);
  expect(told.at(-1)).toMatchObject({ part: 'incomplete', incomplete: [] });
});
