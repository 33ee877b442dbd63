/** Maps the database's time to the flow's, both Unix time in milliseconds. It is monotonic. */
export type FlowClock = (databaseMs: number) => number;

export const REAL_TIME: FlowClock = (databaseMs) => databaseMs;

/** Returns a clock that runs `speed` times faster from `sinceMs` on, for a match that is played faster. */
export function speedUp(sinceMs: number, speed: number): FlowClock {
  return (databaseMs) => sinceMs + (databaseMs - sinceMs) * speed;
}
