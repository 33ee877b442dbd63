import { type FlowClock, REAL_TIME, speedUp } from '../../desk/flow/flow-clock.ts';

/** Spans two hours before kick-off until the last spectator is in, and an hour more. */
const MATCH_MS = 200 * 60_000;

/**
 * The flow clock of a match that is played faster than in real life:
 *
 *   real time ── the gates open ──▶ `speed` times faster ── MATCH_MS later ──▶ real time
 *
 * It is continuous and never runs backwards.
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

  /** Runs faster from `nowMs` on. Returns `gatesOpenAtMs`, which is earlier, by this clock. */
  open(gatesOpenAtMs: number, nowMs: number): number {
    this.#openedAtMs = nowMs;
    return speedUp(nowMs, this.#speed)(gatesOpenAtMs);
  }
}
