import type { FlowClock } from '../../desk/flow/flow-clock.ts';

/** A flow's clock that the test drives, so that nothing waits for a minute of the wall clock. */
export interface DrivenClock {
  readonly clock: FlowClock;
  nowMs(): number;
  /** Makes the clock run `speed` times as fast as real time from now on; 0 stops it. Earlier times stay as they were. */
  setSpeed(speed: number): void;
  /** The clock jumps ahead. Nothing enters in what it skips. */
  advance(ms: number): void;
}

export function driveClock(fromMs: number, speed: number): DrivenClock {
  const startMs = Date.now();
  const runs = [{ sinceMs: startMs, fromMs, speed }];
  const clock: FlowClock = (databaseMs) => {
    const run = runs.findLast(({ sinceMs }) => databaseMs >= sinceMs);
    // Before the first run the clock keeps real time.
    return run ? run.fromMs + (databaseMs - run.sinceMs) * run.speed : fromMs + databaseMs - startMs;
  };
  /** What is committed by now is before it, to the microsecond. */
  const soonMs = (): number => Date.now() + 1;
  const go = (aheadMs: number, nextSpeed = runs.at(-1)?.speed ?? speed): void => {
    const sinceMs = soonMs();
    runs.push({ sinceMs, fromMs: clock(sinceMs) + aheadMs, speed: nextSpeed });
  };
  return {
    clock,
    nowMs: () => clock(soonMs()),
    setSpeed: (next) => go(0, next),
    advance: (ms) => go(ms),
  };
}
