import { ALL_ANSWERED_MS, ANSWER_VALID_MS, RELAY_STALE_MS } from '../../domain/freshness.ts';
import type { StaleReason } from '../../domain/event-state.ts';
import { type LogPosition, systemOf, timelineOf } from '../../domain/log-position.ts';
import { TimelinesHeard } from '../../domain/timelines-heard.ts';
import type { FreshnessAnswer, Sender } from './wire.ts';

/** A counter that has not answered for so long is forgotten. */
const FORGET_AFTER_MS = 30_000;
const MAX_COUNTERS = 64;
/** A counter that has just started anew has two; several processes by one name, as many. */
const MAX_RUNS = 4;

/** One counter, by its last answer. All instants are those of `performance.now()`. */
export interface HeardCounter {
  readonly from: Sender;
  /** Empty, as its timeline, before its first snapshot. */
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
  readonly #proved: TimelinesHeard<string>;
  #firstHeardAtMs = Infinity;

  /** `proved`: the timelines that live counters have proved so far; it is told of later ones. */
  constructor(proved = new TimelinesHeard<string>()) {
    this.#proved = proved;
  }

  /** `askedAtMs`: when the question was sent. An answer to an earlier question than the last changes nothing. */
  answered({ from, position, live, ageMs, reason }: FreshnessAnswer, askedAtMs: number, nowMs: number): void {
    // One that has counted nothing yet may be of any primary.
    if (position !== undefined) this.#firstHeardAtMs = Math.min(this.#firstHeardAtMs, nowMs);
    const key = keyOf(from);
    const known = this.#counters.get(key);
    if (known && known.askedAtMs > askedAtMs) return;
    if (!known && !this.#hasRoom(from, nowMs)) return;
    const counter: HeardCounter = {
      from,
      system: position === undefined ? '' : systemOf(position),
      timeline: position === undefined ? '' : timelineOf(position),
      askedAtMs,
      rightAtMs: askedAtMs - ageMs,
      saysLive: live && position !== undefined,
      reason,
    };
    this.#counters.set(key, counter);
    if (isLive(counter, nowMs)) this.#proved.note({ systemId: counter.system, timeline: counter.timeline });
  }

  /**
   * Whether all have had the time to answer since the first one did: until then, those that were heard may be those of a
   * former primary.
   */
  hasHeardAll(nowMs: number): boolean {
    return nowMs - this.#firstHeardAtMs >= ALL_ANSWERED_MS;
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

  /** Those that have answered of late, and have counted something. */
  answering(nowMs: number): HeardCounter[] {
    return this.#answering(nowMs).filter(({ system }) => system !== '');
  }

  /** What each counter that has answered of late says of itself; empty where none has. */
  describe(nowMs: number): string {
    return this.#answering(nowMs)
      .map((counter) => `${counter.from.counter} ${this.#describe(counter, nowMs)}`)
      .toSorted()
      .join(', ');
  }

  /** Whether any counter of this system is live. */
  isLive(system: string, nowMs: number): boolean {
    return [...this.#counters.values()].some(
      (counter) => counter.system === system && isLive(counter, nowMs),
    );
  }

  /** Counts at this position are shown: no screen is to go back behind its timeline, whatever answers come. */
  shown(position: LogPosition): void {
    this.#proved.note({ systemId: systemOf(position), timeline: timelineOf(position) });
  }

  /** Whether a live counter has proved a higher timeline of this system: a standby was promoted. */
  isRetired(systemId: string, timeline: string): boolean {
    return this.#proved.isFormer({ systemId, timeline });
  }

  /** The live counters that count a former primary, which is not the truth any more. */
  ofFormerPrimary(nowMs: number): string[] {
    const former = [...this.#counters.values()].filter(
      (counter) => isLive(counter, nowMs) && this.#isFormer(counter),
    );
    return former.map(({ from }) => from.counter);
  }

  /** Whether somebody counts what is the truth, as far as it was ever proved. */
  isAnyLive(nowMs: number): boolean {
    if (!this.hasHeardAll(nowMs)) return false;
    return [...this.#counters.values()].some((counter) => isLive(counter, nowMs) && !this.#isFormer(counter));
  }

  /** The names that several processes that count now have in common. */
  sharedNames(nowMs: number): string[] {
    const names = this.answering(nowMs).map(({ from }) => from.counter);
    return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  }

  #isFormer({ system, timeline }: HeardCounter): boolean {
    return this.isRetired(system, timeline);
  }

  #describe(counter: HeardCounter, nowMs: number): string {
    if (isLive(counter, nowMs)) return this.#isFormer(counter) ? 'counts a former primary' : 'is live';
    if (counter.system === '') return 'has counted nothing yet';
    return `is not live (${counter.reason ?? 'lag'})`;
  }

  #answering(nowMs: number): HeardCounter[] {
    return [...this.#counters.values()].filter((counter) => isAnswering(counter, nowMs));
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
  return counter.saysLive && isAnswering(counter, nowMs) && nowMs - counter.rightAtMs <= RELAY_STALE_MS;
}

export function keyOf({ counter, run }: Sender): string {
  return `${counter} ${run}`;
}
