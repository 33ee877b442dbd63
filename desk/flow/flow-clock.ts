/** The database's time → that of the flow, both Unix time in milliseconds. It only goes on. */
export type FlowClock = (databaseMs: number) => number;

/** That of the field: minutes are minutes. */
export const REAL_TIME: FlowClock = (databaseMs) => databaseMs;

/** From `sinceMs` on it runs `speed` times faster, for a match that does: its minutes are then the match's. */
export function speedUp(sinceMs: number, speed: number): FlowClock {
  return (databaseMs) => sinceMs + (databaseMs - sinceMs) * speed;
}
