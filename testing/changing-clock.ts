import { type FlowClock, speedUp } from '../server/flow/flow-clock.ts';

/** A flow's clock whose speed can be changed while it goes: what was before stays when it was. */
export interface ChangingClock {
  readonly clock: FlowClock;
  readonly setSpeed: (speed: number) => void;
}

export function changingClock(speed: number): ChangingClock {
  const runs = [{ sinceMs: Date.now(), clock: speedUp(Date.now(), speed) }];
  const clock: FlowClock = (databaseMs) =>
    (runs.findLast(({ sinceMs }) => databaseMs >= sinceMs) ?? runs[0])?.clock(databaseMs) ?? databaseMs;
  return {
    clock,
    setSpeed(next) {
      const sinceMs = Date.now();
      const flowMs = clock(sinceMs);
      runs.push({ sinceMs, clock: (databaseMs) => flowMs + (databaseMs - sinceMs) * next });
    },
  };
}
