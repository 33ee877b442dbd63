import { type FlowClock, REAL_TIME, speedUp } from '../../desk/flow/flow-clock.ts';

/** Two hours before the match until the last spectator is in, and an hour more. */
const MATCH_MS = 200 * 60_000;

/**
 * The clock of the flow of a match that is played faster than in real life:
 *
 *   real time ── the gates open ──▶ as fast as the match ── all are in ──▶ real time
 *
 * It goes on where it was: no step, no way back.
 */
export class MatchClock {
  readonly #speed: number;
  #openedAtMs: number | undefined;

  constructor(speed: number) {
    this.#speed = speed;
  }

  readonly read: FlowClock = (databaseMs) => {
    const openedAtMs = this.#openedAtMs;
    if (openedAtMs === undefined || databaseMs <= openedAtMs) return REAL_TIME(databaseMs);
    const endMs = openedAtMs + MATCH_MS / this.#speed;
    const isOver = databaseMs > endMs;
    return speedUp(openedAtMs, this.#speed)(isOver ? endMs : databaseMs) + (isOver ? databaseMs - endMs : 0);
  };

  /** It is heard at `nowMs` that the gates opened at `gatesOpenAtMs`. Returns when that was by this clock. */
  open(gatesOpenAtMs: number, nowMs: number): number {
    this.#openedAtMs = nowMs;
    return speedUp(nowMs, this.#speed)(gatesOpenAtMs);
  }
}
