import { describe, expect, it } from 'vitest';
import type { LiveMessage, SourceState } from '../domain/live-message.ts';
import { SECTOR_CODES, type SectorCode } from '../domain/default-sectors.ts';
import { INITIAL_STATE, type LiveEvent, type LiveState, reduce as reduceLive } from './live-state.ts';
import type { Instant } from './trust/page-clock.ts';

const LIVE: LiveMessage = { event: 'source', data: { live: true } };
const HEARTBEAT: LiveMessage = { event: 'heartbeat', sentAtMs: 1 };

function stale(ageMs: number): LiveMessage {
  const data: SourceState = { live: false, ageMs, reason: 'connecting' };
  return { event: 'source', data };
}

function counts(id: string, norte: number, others = 0, sul = 0): LiveMessage {
  const sectors = Object.fromEntries(SECTOR_CODES.map((code) => [code, 0])) as Record<SectorCode, number>;
  sectors['4'] = norte;
  sectors['7'] = sul;
  return { event: 'counts', id, sentAtMs: 1, data: { total: norte + others + sul, sectors, others } };
}

/** Messages without `sentAt` had no delay. */
type Step =
  | Exclude<LiveEvent, { type: 'received' }>
  | { readonly type: 'received'; readonly messages: readonly LiveMessage[]; readonly sentAt?: Instant };

const received = (...messages: LiveMessage[]): Step => ({ type: 'received', messages });

function reduce(state: LiveState, step: Step, now: Instant): LiveState {
  return reduceLive(state, step.type === 'received' ? { sentAt: now, ...step } : step, now);
}

/** Plays events, each at its second on both clocks. */
function play(...steps: (readonly [second: number, event: Step])[]): LiveState {
  return steps.reduce(
    (state, [second, event]) =>
      reduce(state, event, { monotonicMs: second * 1000, wallMs: 1e12 + second * 1000 }),
    INITIAL_STATE,
  );
}

const OPENED = [0, { type: 'opened' }] as const;
const TICKED: Step = { type: 'ticked' };

describe('the displayed counts', () => {
  it('are held back until this connection has sent whether they are live', () => {
    const state = play(OPENED, [0, received(counts('a:1.1111', 5))]);
    expect(state.shown).toBeUndefined();
    expect(state.status).toEqual({ kind: 'connecting' });
    expect(reduce(state, received(LIVE), { monotonicMs: 0, wallMs: 0 }).shown?.counts.total).toBe(5);
  });

  it('stay incomplete until a server sends otherwise', () => {
    const row = { row: '7', from: '18:33', to: null };
    const marked = [0, received({ event: 'incomplete', data: [row] }, counts('a:1.101', 5), LIVE)] as const;
    const reconnected = [
      [1, { type: 'closed' }],
      [2, { type: 'opened' }],
      [2, received(counts('a:1.102', 6), LIVE)],
    ] as const;
    expect(play(OPENED, [0, received(counts('a:1.101', 5), LIVE)]).incomplete).toEqual([]);
    expect(play(OPENED, marked, ...reconnected)).toMatchObject({ incomplete: [row] });
    const whole = [3, received({ event: 'incomplete', data: [] })] as const;
    expect(play(OPENED, marked, ...reconnected, whole).incomplete).toEqual([]);
  });

  it('may be 0', () => {
    expect(play(OPENED, [0, received(counts('a:1.1111', 0), LIVE)])).toMatchObject({
      shown: { counts: { total: 0 } },
      status: { kind: 'live' },
    });
  });

  it('6: are not replaced by those of an earlier position, also across a reconnect to another server', () => {
    const state = play(
      OPENED,
      [0, received(counts('a:1.11210', 5), LIVE)],
      [1, received(counts('a:1.111F', 4))],
      [2, { type: 'closed' }],
      [3, { type: 'opened' }],
      [3, received(counts('b:1.111E', 3), LIVE)],
    );
    expect(state.shown).toMatchObject({ id: 'a:1.11210', counts: { total: 5 } });
    expect(state.status).toEqual({ kind: 'live' });
    const at = { monotonicMs: 4_000, wallMs: 1e12 + 4_000 };
    expect(reduce(state, received(counts('b:1.11211', 6)), at).shown?.counts.total).toBe(6);
  });

  it('6: are replaced by those of a higher timeline, whatever its position', () => {
    const state = play(
      OPENED,
      [0, received(counts('a:1.11210', 5), LIVE)],
      [1, received(counts('b:1.121F', 4))],
      [2, received(counts('a:1.11220', 9))],
    );
    expect(state.shown).toMatchObject({ id: 'b:1.121F', counts: { total: 4 } });
  });

  it('6: are never replaced by those of a lower timeline, however long a live source has nothing else, and whatever it counts', () => {
    const former = [
      OPENED,
      [0, received(counts('b:1.121F', 5), LIVE)],
      [1, { type: 'closed' }],
      [2, { type: 'opened' }],
      [2, received(counts('a:1.11220', 5), LIVE)],
    ] as const;
    expect(play(...former)).toMatchObject({ shown: { id: 'b:1.121F' }, status: { kind: 'no-source' } });
    const later = play(...former, [8, received(HEARTBEAT)], [600, received(counts('a:1.11221', 9))]);
    expect(later).toMatchObject({ shown: { id: 'b:1.121F' }, status: { kind: 'no-source', ageMs: 600_000 } });
    const at = { monotonicMs: 600_000, wallMs: 1e12 + 600_000 };
    const back = reduce(later, received(counts('b:1.12210', 6)), at);
    expect(back).toMatchObject({ shown: { id: 'b:1.12210' }, status: { kind: 'live' } });
  });

  it('6: follow an operator who goes back to a former primary', () => {
    const state = play(
      OPENED,
      [0, received(counts('b:1.121F', 5), LIVE)],
      [1, received(counts('a:1.R111111F', 4))],
      [2, received(counts('b:1.12220', 9))],
    );
    expect(state).toMatchObject({ shown: { id: 'a:1.R111111F' }, seen: '1.R1111' });
  });

  it('6: are never of a lower timeline than before the page was reloaded', () => {
    const anew = { ...INITIAL_STATE, seen: '1.12' };
    const at = { monotonicMs: 1, wallMs: 1 };
    const former = reduce(anew, received(counts('a:1.11220', 9), LIVE), at);
    expect([former.shown, former.status]).toEqual([undefined, { kind: 'connecting' }]);
    const shown = reduce(former, received(counts('b:1.121F', 5)), at).shown;
    expect(shown?.counts.total).toBe(5);
    expect(reduce(anew, received(counts('c:2.1111', 3), LIVE), at)).toMatchObject({ seen: '2.11' });
  });

  const [SEEN, LEFT] = [
    [0, received(counts('a:1.11210', 5), LIVE)],
    [1, { type: 'closed' }],
  ] as const;
  const backAt = (second: number, ...messages: LiveMessage[]) =>
    [
      [second, { type: 'opened' }],
      [second, received(...messages)],
    ] as const;

  it('8: are replaced by those of an earlier position where a live source has nothing later 7 s after they were verified', () => {
    const back = [OPENED, SEEN, LEFT, ...backAt(2, counts('b:1.1118', 3), LIVE)] as const;
    const later = [...back, [5, received(HEARTBEAT)], [6, received(counts('b:1.1119', 4))]] as const;
    expect(play(...later, [7, TICKED]).shown?.counts.total).toBe(5);
    expect(play(...later, [7.001, TICKED])).toMatchObject({
      shown: { counts: { total: 4 } },
      status: { kind: 'live' },
    });
    // After an outage of any length they are not live for a moment.
    expect(play(OPENED, SEEN, LEFT, ...backAt(24, counts('b:1.1118', 3), LIVE))).toMatchObject({
      shown: { counts: { total: 3 } },
      status: { kind: 'live' },
    });
    // A source that is not live may stay behind.
    expect(play(...back, [5, received(stale(1))], [18, TICKED]).shown?.counts.total).toBe(5);
  });

  it('8: are not live beside earlier counts of a live source three seconds after they were verified', () => {
    const behind = [OPENED, SEEN, LEFT, ...backAt(2, counts('b:1.1118', 3), LIVE)] as const;
    expect(play(...behind, [3, TICKED]).status).toEqual({ kind: 'live' });
    expect(play(...behind, [3.001, TICKED]).status).toEqual({ kind: 'no-source', ageMs: 3_001 });
    expect(play(...behind, [5, received(HEARTBEAT)]).status).toEqual({ kind: 'no-source', ageMs: 5_000 });
    expect(play(...behind, [5, received(HEARTBEAT)], [6, { type: 'closed' }]).status).toEqual({
      kind: 'no-connection',
      ageMs: 6_000,
    });
    expect(play(...behind, [5, received(counts('b:1.11211', 6))])).toMatchObject({
      shown: { counts: { total: 6 } },
      status: { kind: 'live' },
    });
    expect(play(OPENED, SEEN, LEFT, ...backAt(5, counts('b:1.1118', 3), LIVE)).status).toEqual({
      kind: 'no-source',
      ageMs: 5_000,
    });
  });

  it('8: have the age that the source of the displayed counts last named, also a younger one', () => {
    const lagging = [OPENED, [0, received(counts('a:1.11210', 5), stale(10_000))]] as const;
    expect(play(...lagging, [5, received(stale(6_000))]).status).toEqual({ kind: 'no-source', ageMs: 6_000 });
  });

  it('8: do not get younger by a server that has had no data since it was started', () => {
    expect(play(OPENED, SEEN, LEFT, ...backAt(36, stale(4_000))).status).toEqual({
      kind: 'no-source',
      ageMs: 36_000,
    });
  });

  it.each<[string, [number, number, number], string]>([
    ['the same', [5, 1, 1], 'live'],
    ['other in a sector', [4, 1, 2], 'no-source'],
    ['other in a sector, by which the total differs, too', [4, 1, 1], 'no-source'],
    ['other in what is no sector', [6, 0, 1], 'no-source'],
  ])('8: are live only where the earlier counts are the same: they are %s', (_what, numbers, kind) => {
    const state = play(
      OPENED,
      [0, received(counts('a:1.11210', 5, 1, 1), LIVE)],
      [2, received(counts('b:1.1118', ...numbers))],
      [5, received(HEARTBEAT)],
    );
    expect(state).toMatchObject({ shown: { id: 'a:1.11210' }, status: { kind } });
  });

  it('8: do not get younger by earlier counts of a source that is not live', () => {
    const behind = play(
      OPENED,
      [0, received(counts('a:1.11210', 5), LIVE)],
      [2, received(counts('b:1.1118', 3), stale(40_000))],
      [3, TICKED],
    );
    expect(behind).toMatchObject({
      shown: { id: 'a:1.11210' },
      status: { kind: 'no-source', ageMs: 3_000 },
    });
  });

  it('8: are not replaced by earlier counts whose connection has not named its source yet', () => {
    const behind = [
      OPENED,
      [0, received(counts('a:1.11210', 5), LIVE)],
      [1, { type: 'closed' }],
      [2, { type: 'opened' }],
      [2, received(counts('b:1.1118', 3))],
    ] as const;
    expect(play(...behind, [9, TICKED])).toMatchObject({
      shown: { id: 'a:1.11210' },
      status: { kind: 'no-connection', ageMs: 9_000 },
    });
  });

  it('5: are replaced by those of another system, lower numbers included', () => {
    const state = play(
      OPENED,
      [0, received(counts('a:1.11210', 5), LIVE)],
      [1, received(counts('b:2.1111', 2))],
    );
    expect(state.shown).toMatchObject({ id: 'b:2.1111', counts: { total: 2 } });
  });

  it('are undefined before anything has come', () => {
    const connection = {
      open: false,
      awoke: false,
      source: undefined,
      held: undefined,
      verified: undefined,
      sentAt: undefined,
    };
    const nothing = {
      shown: undefined,
      seen: null,
      incomplete: [],
      status: { kind: 'connecting' },
      trueAt: undefined,
      connection,
    };
    expect(play()).toEqual({ signedIn: false, venue: undefined, ...nothing });
    const opened = play(OPENED);
    expect(opened.connection).toEqual({ ...connection, open: true });
    const closed = play(OPENED, [0, received(counts('a:1.1111', 5), LIVE)], [1, { type: 'closed' }]);
    expect(closed.connection).toEqual(connection);
    expect(play([0, { type: 'awoke' }], OPENED).connection).toEqual({
      ...connection,
      open: true,
      awoke: true,
    });
  });

  it('come with a sign-in, which is kept once', () => {
    const signedIn = play([0, { type: 'signed-in' }]);
    expect(signedIn).toEqual({ ...INITIAL_STATE, signedIn: true });
    expect(reduce(signedIn, { type: 'signed-in' }, { monotonicMs: 1, wallMs: 1 })).toBe(signedIn);
  });

  it('come with a sign-in, as there is no stream without a session', () => {
    expect(play(OPENED).signedIn).toBe(false);
    expect(play(OPENED, [0, received(HEARTBEAT)]).signedIn).toBe(true);
  });

  it('stay, with the table, when the connection ends', () => {
    const state = play(
      [0, { type: 'signed-in' }],
      OPENED,
      [0, received(counts('a:1.1111', 5), LIVE)],
      [1, { type: 'closed' }],
    );
    expect(state).toMatchObject({ signedIn: true, shown: { counts: { total: 5 } } });
  });
});

describe('8: the status', () => {
  const live = [OPENED, [0, received(counts('a:1.1111', 5), LIVE)]] as const;

  it('is live up to 3.5 s after the last message was sent, and not a moment longer', () => {
    expect(play(...live, [3.5, TICKED]).status).toEqual({ kind: 'live' });
    expect(play(...live, [3.501, TICKED]).status).toEqual({ kind: 'no-connection', ageMs: 3_501 });
    expect(play(...live, [3, received(HEARTBEAT)], [6.5, TICKED]).status).toEqual({ kind: 'live' });
    const sentAt = { monotonicMs: 1_000, wallMs: 1e12 + 1_000 };
    const late = [...live, [3, { type: 'received', messages: [HEARTBEAT], sentAt }]] as const;
    expect(play(...late, [4.5, TICKED]).status).toEqual({ kind: 'live' });
    expect(play(...late, [4.501, TICKED]).status).toEqual({ kind: 'no-connection', ageMs: 3_501 });
  });

  it('is not live on a connection that has not named its source', () => {
    const state = play(...live, [1, { type: 'closed' }], [2, { type: 'opened' }], [2, received(HEARTBEAT)]);
    expect(state.status).toEqual({ kind: 'no-connection', ageMs: 2000 });
  });

  it('counts the age of live data from the last message', () => {
    const state = play(...live, [5, received(HEARTBEAT)], [6, { type: 'closed' }], [47, TICKED]);
    expect(state.status).toEqual({ kind: 'no-connection', ageMs: 42_000 });
  });

  it('counts the age of stale data from the server’s age, also after the connection is lost', () => {
    const without = play(
      OPENED,
      [0, received(counts('a:1.1111', 5), stale(40_000))],
      [2, received(HEARTBEAT)],
    );
    expect(without.status).toEqual({ kind: 'no-source', ageMs: 42_000 });
    const closed = reduce(without, { type: 'closed' }, { monotonicMs: 3000, wallMs: 1e12 + 3000 });
    expect(closed.status).toEqual({ kind: 'no-connection', ageMs: 43_000 });
  });

  it('is stale on waking until the next message', () => {
    const woken = play(...live, [3, { type: 'awoke' }]);
    expect(woken.status).toEqual({ kind: 'no-connection', ageMs: 3000 });
    const at = { monotonicMs: 4000, wallMs: 1e12 + 4000 };
    expect(reduce(woken, received(HEARTBEAT), at).status).toEqual({ kind: 'live' });
    expect(reduce(woken, { type: 'opened' }, at).status).toMatchObject({ kind: 'no-connection' });
  });

  it('follows the clock that measured more', () => {
    const state = play(...live);
    const slept = { monotonicMs: 1000, wallMs: 1e12 + 60_000 };
    expect(reduce(state, TICKED, slept).status).toEqual({ kind: 'no-connection', ageMs: 60_000 });
    const setBack = { monotonicMs: 60_000, wallMs: 1e12 - 60_000 };
    expect(reduce(state, TICKED, setBack).status).toEqual({ kind: 'no-connection', ageMs: 60_000 });
  });

  it('returns the same state while nothing new is to be displayed', () => {
    const state = play(...live);
    expect(reduce(state, TICKED, { monotonicMs: 500, wallMs: 1e12 + 500 })).toBe(state);
    const behind = play(...live, [1, received(counts('b:1.110', 3))]);
    expect(reduce(behind, TICKED, { monotonicMs: 1_500, wallMs: 1e12 + 1_500 })).toBe(behind);
  });

  it('has an age in whole seconds', () => {
    const closed = play(...live, [1.2, { type: 'closed' }]);
    const later = (second: number): LiveState =>
      reduce(closed, TICKED, { monotonicMs: second * 1_000, wallMs: 1e12 + second * 1_000 });
    expect(closed.status).toEqual({ kind: 'no-connection', ageMs: 1_200 });
    expect(later(1.9)).toBe(closed);
    expect(later(2).status).toEqual({ kind: 'no-connection', ageMs: 2_000 });
  });
});
