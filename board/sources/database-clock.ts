import type { SourceInstant, SourceObserver } from './ticket-source.ts';

/** The clock of the database, read at some instant between question and answer. */
export interface ClockReading {
  /** Unix time, in milliseconds. */
  readonly databaseMs: number;
  /** The value of `performance.now()` at the question. */
  readonly readAtMs: number;
  /** The value of `performance.now()` at the answer. */
  readonly answeredAtMs: number;
}

/** A clock that differs by this much from the time that went by has been set. */
const CLOCK_SET_MS = 5_000;

/** An answer that takes longer is less precise than a quicker one before it. */
const SLOW_ANSWER_MS = 1_000;

/** Follows the clock of the database over its readings, whatever session they come from, and finds out when it is set. */
export class DatabaseClock {
  #kept: ClockReading | undefined;

  /** Returns the instant of this reading, once the observer knows of a clock that was set since the one before. */
  instantOf(reading: ClockReading, observer: Pick<SourceObserver, 'clockSet'>): SourceInstant {
    const setByMs = this.#kept ? leastSetMs(this.#kept, reading) : 0;
    const isSet = Math.abs(setByMs) >= CLOCK_SET_MS;
    const tookMs = durationMs(reading);
    if (!this.#kept || isSet || tookMs <= SLOW_ANSWER_MS || tookMs <= durationMs(this.#kept))
      this.#kept = reading;
    const { databaseMs, readAtMs } = this.#kept;
    const instant = { sourceMs: reading.databaseMs, readAtMs: readAtMs + reading.databaseMs - databaseMs };
    if (isSet) observer.clockSet(setByMs, instant);
    return instant;
  }
}

/** Returns the instant `byMs` milliseconds before another. */
export function instantBefore({ sourceMs, readAtMs }: SourceInstant, byMs: number): SourceInstant {
  return { sourceMs: sourceMs - byMs, readAtMs: readAtMs - byMs };
}

/** Returns by how much, at least, the clock was set between two readings: each lies between its question and its answer. */
function leastSetMs(last: ClockReading, next: ClockReading): number {
  const leastMs = last.databaseMs + next.readAtMs - last.answeredAtMs;
  const mostMs = last.databaseMs + next.answeredAtMs - last.readAtMs;
  return next.databaseMs - Math.min(Math.max(next.databaseMs, leastMs), mostMs);
}

function durationMs({ readAtMs, answeredAtMs }: ClockReading): number {
  return answeredAtMs - readAtMs;
}
