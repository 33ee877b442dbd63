import { afterEach, describe, expect, test, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { driveFlow } from '../../testing/desk/driven-flow.ts';
import { FlowGuard } from './flow-guard.ts';
import { MemoryRecord } from '../record/memory-record.ts';

const KICK_OFF_MS = Date.UTC(2026, 10, 22, 20);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function failing(): never {
  throw new Error('odd');
}

describe('what goes wrong', () => {
  test('once is thrown, so that the caller begins again; twice within minutes stops the flow', () => {
    const stopped: unknown[] = [];
    const guard = new FlowGuard({ onLetPass: failing, onStopped: (error) => stopped.push(error) });
    const told: number[] = [];
    const tell = guard.wrap((n: number) => (n < 0 ? failing() : void told.push(n)));
    tell(1);
    expect(() => tell(-1)).toThrow('odd');
    tell(2);
    expect(stopped).toEqual([]);
    tell(-2);
    tell(3);
    expect(told).toEqual([1, 2]);
    expect(stopped).toMatchObject([{ message: 'odd' }]);
    expect(guard.stoppedAtMs).toBeDefined();
  });

  test('once in an hour never stops it', () => {
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const guard = new FlowGuard({ onLetPass: failing, onStopped: failing });
    const tell = guard.wrap(failing);
    for (let hour = 0; hour < 5; hour += 1) {
      nowMs = hour * 3_600_000;
      expect(() => tell()).toThrow('odd');
    }
    expect(guard.stoppedAtMs).toBeUndefined();
  });

  test('in a timer ends nothing, and twice stops it', () => {
    const stopped: unknown[] = [];
    const passed: unknown[] = [];
    const guard = new FlowGuard({
      onLetPass: (error) => passed.push(error),
      onStopped: (error) => stopped.push(error),
    });
    let afterwards = 0;
    const repeat = guard.repeat(failing, () => (afterwards += 1));
    for (let n = 0; n < 5; n += 1) repeat();
    expect(afterwards).toBe(3);
    expect(passed).toMatchObject([{ message: 'odd' }]);
    expect(stopped).toHaveLength(1);
  });
});

test('a flow that stops shows nothing as live, throws no more, and offers the record again and again', () => {
  const match = {
    seed: 7,
    sectors: [{ code: '4', valid: 4_000 }],
    lateness: 0,
    capacity: 2.5,
    coming: 0.9,
  };
  const record = new MemoryRecord(DEFAULT_EVENT_ID);
  const offer = vi.spyOn(record, 'yieldLeadership').mockReturnValue(true);
  const driven = driveFlow({ match, kickOffMs: KICK_OFF_MS, fromMinute: -60, record });
  driven.playTo(-50);
  expect(driven.desk.state().source).toEqual({ live: true });
  const { admitted } = driven.desk.state().total;
  // What the rules of alarms ask at each boundary.
  Object.defineProperty(driven, 'freshness', { get: failing });
  const thrown: unknown[] = [];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      driven.playTo(-49 + attempt);
    } catch (error) {
      thrown.push(error);
    }
  }
  driven.playTo(-40);
  expect(offer.mock.calls.length).toBeGreaterThan(3);
  expect(thrown.length).toBeLessThan(2);
  const state = driven.desk.state();
  expect(state.source).toMatchObject({ live: false, reason: 'lag' });
  expect(state.total.admitted - admitted).toBeLessThan(200);
});
