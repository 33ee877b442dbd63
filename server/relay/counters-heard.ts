import { SOURCE_AGE_MS } from '../../domain/freshness.ts';
import { systemOf, timelineOf } from '../../domain/log-position.ts';
import type { StaleReason } from '../../domain/event-state.ts';
import type { FreshnessAnswer, Sender } from './wire.ts';

/** An answer counts for so long after its question; states are looked at every CHECK_EVERY_MS: together a second. */
const ANSWER_VALID_MS = 900;
export const CHECK_EVERY_MS = 100;
/** The relay takes what it needs of the server's part of the delay budget. */
const LIVE_WITHIN_MS = SOURCE_AGE_MS - CHECK_EVERY_MS;
/** Of two questions (ASK_EVERY_MS): whoever counts has answered one of them by then. */
const ALL_HEARD_AFTER_MS = 500;
/** A counter that has not answered for so long is forgotten. */
const FORGET_AFTER_MS = 30_000;
const MAX_COUNTERS = 64;
/** A counter that has just started anew has two; several processes by one name, as many. */
const MAX_RUNS = 4;

/** One counter, by its last answer. All instants are those of `performance.now()`. */
export interface HeardCounter {
  readonly from: Sender;
  readonly system: string;
  readonly timeline: string;
  readonly askedAtMs: number;
  /** Its counts were right then. */
  readonly rightAtMs: number;
  /** As it says of itself. */
  readonly saysLive: boolean;
  readonly reason: StaleReason | undefined;
}

/** Which counters there are, by their answers. Time is told: it has no clock of its own. */
export class CountersHeard {
  readonly #counters = new Map<string, HeardCounter>();
  #firstHeardAtMs = Infinity;

  /** `askedAtMs`: when the question was sent. An answer to an earlier question than the last changes nothing. */
  answered({ from, position, live, ageMs, reason }: FreshnessAnswer, askedAtMs: number, nowMs: number): void {
    if (position === undefined) return;
    this.#firstHeardAtMs = Math.min(this.#firstHeardAtMs, nowMs);
    const key = keyOf(from);
    const known = this.#counters.get(key);
    if (known && known.askedAtMs > askedAtMs) return;
    if (!known && !this.#hasRoom(from, nowMs)) return;
    this.#counters.set(key, {
      from,
      system: systemOf(position),
      timeline: timelineOf(position),
      askedAtMs,
      rightAtMs: askedAtMs - ageMs,
      saysLive: live,
      reason,
    });
  }

  /**
   * Whether all have had the time to answer since the first one did: until then, those that were heard may be those of a
   * former primary.
   */
  hasHeardAll(nowMs: number): boolean {
    return nowMs - this.#firstHeardAtMs >= ALL_HEARD_AFTER_MS;
  }

  get(from: Sender): HeardCounter | undefined {
    return this.#counters.get(keyOf(from));
  }

  /** Of the processes by this name, the one that answered last. */
  named(name: string): HeardCounter | undefined {
    return [...this.#counters.values()]
      .filter(({ from }) => from.counter === name)
      .toSorted((one, other) => other.askedAtMs - one.askedAtMs)[0];
  }

  /** Those that have answered of late. */
  answering(nowMs: number): HeardCounter[] {
    return [...this.#counters.values()].filter((counter) => isAnswering(counter, nowMs));
  }

  /** Whether any counter of this system is live. */
  isLive(system: string, nowMs: number): boolean {
    return [...this.#counters.values()].some(
      (counter) => counter.system === system && isLive(counter, nowMs),
    );
  }

  /** Whether a live counter counts a higher timeline of this system: a standby was promoted. */
  isRetired(system: string, timeline: string, nowMs: number): boolean {
    return [...this.#counters.values()].some(
      (counter) => counter.system === system && counter.timeline > timeline && isLive(counter, nowMs),
    );
  }

  /** The live counters of this system that count a lower timeline: a former primary's. */
  ofFormerPrimary(system: string, timeline: string, nowMs: number): string[] {
    const former = [...this.#counters.values()].filter(
      (counter) => counter.system === system && counter.timeline < timeline && isLive(counter, nowMs),
    );
    return former.map(({ from }) => from.counter);
  }

  isAnyLive(nowMs: number): boolean {
    if (!this.hasHeardAll(nowMs)) return false;
    return [...this.#counters.values()].some((counter) => isLive(counter, nowMs));
  }

  /** The names that several processes that count now have in common. */
  sharedNames(nowMs: number): string[] {
    const names = this.answering(nowMs).map(({ from }) => from.counter);
    return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  }

  #hasRoom({ counter }: Sender, nowMs: number): boolean {
    for (const [key, { askedAtMs }] of this.#counters) {
      if (nowMs - askedAtMs > FORGET_AFTER_MS) this.#counters.delete(key);
    }
    const own = [...this.#counters.values()].filter(({ from }) => from.counter === counter);
    if (own.length >= MAX_RUNS) {
      // It names itself anew again and again.
      const oldest = own.reduce((one, other) => (one.askedAtMs <= other.askedAtMs ? one : other));
      this.#counters.delete(keyOf(oldest.from));
    }
    return this.#counters.size < MAX_COUNTERS;
  }
}

export function isAnswering({ askedAtMs }: HeardCounter, nowMs: number): boolean {
  return nowMs - askedAtMs <= ANSWER_VALID_MS;
}

/** Live as of now, both hops and the database together. */
export function isLive(counter: HeardCounter, nowMs: number): boolean {
  return counter.saysLive && isAnswering(counter, nowMs) && nowMs - counter.rightAtMs <= LIVE_WITHIN_MS;
}

export function keyOf({ counter, run }: Sender): string {
  return `${counter} ${run}`;
}
