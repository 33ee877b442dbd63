import { expect, test } from 'vitest';
import type { DeskStreamMessage } from '../../model/desk-message.ts';
import type { SourceState } from '../../../domain/live-message.ts';
import type { Instant } from '../../../page/trust/page-clock.ts';
import {
  type DeskEvent,
  isOfFormer,
  type LiveDesk,
  NOTHING_YET,
  readFlowClock,
  reduceDesk,
} from './live-desk.ts';

/** As in a network without delay. */
type Step = DeskEvent | Omit<Extract<DeskEvent, { type: 'received' }>, 'sentAt'>;

const at = (ms: number) => ({ monotonicMs: ms, wallMs: ms });
const stateOf = (
  nowMs: number,
  source: SourceState = { live: true },
  watchedAtMs: number | null = 0,
  timeline?: string,
): Step => ({
  type: 'received',
  messages: [
    {
      event: 'desk',
      sentAtMs: nowMs,
      data: { nowMs, source, rows: [{ code: '4' }], watch: { atMs: watchedAtMs }, timeline },
    },
  ] as unknown as DeskStreamMessage[],
});
const reduce = (desk: LiveDesk, step: Step, now: Instant): LiveDesk =>
  reduceDesk(desk, step.type === 'received' ? { sentAt: now, ...step } : step, now);
const after = (...steps: readonly (readonly [ms: number, step: Step])[]): LiveDesk =>
  steps.reduce((desk, [ms, step]) => reduce(desk, step, at(ms)), NOTHING_YET);
const OPENED: Step = { type: 'opened' };
const TICKED: Step = { type: 'ticked' };

test('it is live with its first state, and as long as states come', () => {
  expect(NOTHING_YET.status.kind).toBe('connecting');
  expect(after([0, OPENED], [10, stateOf(100)]).status.kind).toBe('live');
  expect(after([0, OPENED], [10, stateOf(100)], [3_500, TICKED]).status.kind).toBe('live');
  expect(after([0, OPENED], [10, stateOf(100)], [3_511, TICKED]).status).toEqual({
    kind: 'no-connection',
    ageMs: 3_501,
  });
});

test('it is not live once its stream has ended, or it has slept, until the next state', () => {
  const live = [
    [0, OPENED],
    [10, stateOf(100)],
  ] as const;
  expect(after(...live, [20, { type: 'closed' }]).status.kind).toBe('no-connection');
  const awoke = [...live, [20, { type: 'awoke' }]] as const;
  expect(after(...awoke).status.kind).toBe('no-connection');
  expect(after(...awoke, [30, stateOf(120)]).status.kind).toBe('live');
});

test('a stream that follows another at once without a state leaves the former one live until that is old', () => {
  const build = [{ event: 'build', sentAtMs: 0, data: { id: 'b' } }] as unknown as DeskStreamMessage[];
  const followed = [
    [0, OPENED],
    [10, stateOf(100)],
    [2_000, OPENED],
    [2_010, { type: 'received', messages: build }],
  ] as const;
  expect(after(...followed).status.kind).toBe('live');
  expect(after(...followed, [3_511, TICKED]).status.kind).toBe('no-connection');
  expect(after(...followed, [3_511, stateOf(3_500)]).status.kind).toBe('live');
  const closed = [...followed.slice(0, 2), [1_000, { type: 'closed' }] as const, ...followed.slice(2)];
  expect(after(...closed).status.kind).toBe('no-connection');
});

test('states of a former primary are ignored, also after a reload, unless an operator has gone back to it', () => {
  const on = (timeline: string | undefined, nowMs: number): Step =>
    stateOf(nowMs, { live: true }, 0, timeline);
  const former = after(
    [0, OPENED],
    [10, on('9.12', 100)],
    [20, { type: 'closed' }],
    [30, OPENED],
    [40, on('9.11', 200)],
  );
  expect(former).toMatchObject({
    state: { nowMs: 100 },
    seen: '9.12',
    status: { kind: 'no-source', ageMs: 30 },
  });
  expect(isOfFormer(former)).toBe(true);
  expect(reduce(former, { type: 'received', messages: [] }, at(5_000)).status.kind).toBe('no-source');
  expect(isOfFormer(reduce(former, OPENED, at(50)))).toBe(false);
  for (const timeline of ['9.12', '9.13', '9.R1111', '8.11', undefined]) {
    const back = reduce(former, on(timeline, 300), at(60));
    expect(back).toMatchObject({ state: { nowMs: 300 }, seen: timeline ?? '9.12', status: { kind: 'live' } });
    expect(isOfFormer(back)).toBe(false);
  }
  const anew = reduce({ ...NOTHING_YET, seen: '9.12' }, on('9.11', 100), at(10));
  expect([anew.state, anew.status.kind]).toEqual([undefined, 'connecting']);
});

test('stale data has the age that the server sends', () => {
  const stale: SourceState = { live: false, ageMs: 60_000, reason: 'connecting' };
  const desk = after([0, OPENED], [10, stateOf(100, stale)]);
  expect(desk.status).toEqual({ kind: 'no-source', ageMs: 60_000 });
  expect(reduceDesk(desk, { type: 'closed' }, at(5_010)).status).toEqual({
    kind: 'no-connection',
    ageMs: 65_000,
  });
});

test('the state of a server that has never counted is ignored', () => {
  const uncounted = stateOf(100, { live: false, ageMs: 1_000, reason: 'connecting' }, null);
  const cold = after([0, OPENED], [10, uncounted]);
  expect(cold.state).toBeUndefined();
  expect(cold.status.kind).toBe('connecting');
  expect(after([0, OPENED], [10, stateOf(100, { live: true }, null)]).status.kind).toBe('live');
  const restarted = after(
    [0, OPENED],
    [10, stateOf(90)],
    [20, { type: 'closed' }],
    [30, OPENED],
    [40, uncounted],
  );
  expect(restarted.state?.nowMs).toBe(90);
  expect(restarted.status).toEqual({ kind: 'no-source', ageMs: 30 });
});

test('an unchanged part of the state stays the same object', () => {
  const first = after([0, OPENED], [10, stateOf(100)]);
  const second = reduce(first, stateOf(1_100), at(1_010));
  expect(second.state?.nowMs).toBe(1_100);
  expect(second.state?.rows).toBe(first.state?.rows);
});

test('the flow’s clock advances between two states', () => {
  expect(readFlowClock(after([0, OPENED], [10, stateOf(100)]), at(510))).toBe(600);
  expect(readFlowClock(NOTHING_YET, at(510))).toBeUndefined();
});
