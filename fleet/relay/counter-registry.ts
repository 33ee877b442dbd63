import { ALL_ANSWERED_MS, ANSWER_VALID_MS, RELAY_STALE_MS } from '../../domain/freshness.ts';
import type { StaleReason } from '../../domain/event-state.ts';
import { type LogPosition, shortTimeline, systemOf, timelineOf } from '../../domain/log-position.ts';
import { KnownTimelines } from '../../domain/known-timelines.ts';
import { CounterClock } from './counter-clock.ts';
import { RoundTrip } from './round-trip.ts';
import type { CountedPrimaries, FreshnessAnswer, Sender } from './wire.ts';

/** A counter that has not answered for this long is removed. */
const FORGET_AFTER_MS = 30_000;
const MAX_COUNTERS = 64;
/** So many fit into a question. */
const MAX_PRIMARIES = 12;
/** A counter that has just restarted has two runs; so have two processes with one name. */
const MAX_RUNS = 4;

/** A counter, by its last answer. All instants are those of `performance.now()`. */
export interface CounterStatus {
  readonly from: Sender;
  /** System and timeline are empty before its first snapshot. */
  readonly system: string;
  readonly timeline: string;
  readonly server: string | undefined;
  readonly askedAtMs: number;
  /** When it answered, at the earliest. */
  readonly answeredAtMs: number;
  readonly verifiedAtMs: number;
  /** How long its answer counts. */
  readonly validMs: number;
  readonly reportedLive: boolean;
  readonly reason: StaleReason | undefined;
  readonly clock: CounterClock;
}

/** The counters that have answered. The caller gives the time. */
export class CounterRegistry {
  readonly #counters = new Map<string, CounterStatus>();
  readonly #proved: KnownTimelines<string>;
  readonly #roundTrip = new RoundTrip();
  #firstAnswerAtMs = Infinity;

  /** `proved` holds the timelines that live counters have proved; later ones are added to it. */
  constructor(proved = new KnownTimelines<string>()) {
    this.#proved = proved;
  }

  /** `askedAtMs`: when the question was sent. An answer to an earlier question than the last changes nothing. */
  answered(answer: FreshnessAnswer, askedAtMs: number, nowMs: number): void {
    const { from, position, live, ageMs, atMs, reason, server } = answer;
    // A counter that has counted nothing yet may follow any primary.
    if (position !== undefined) this.#firstAnswerAtMs = Math.min(this.#firstAnswerAtMs, nowMs);
    this.#roundTrip.note(nowMs - askedAtMs, nowMs);
    const key = keyOf(from);
    const known = this.#counters.get(key);
    if (known && known.askedAtMs > askedAtMs) return;
    if (!known && !this.#hasRoom(from, nowMs)) return;
    const clock = known?.clock ?? new CounterClock();
    if (atMs !== undefined) clock.note(atMs, askedAtMs, nowMs);
    const answeredAtMs = atMs === undefined ? askedAtMs : clock.earliestMs(atMs);
    const counter: CounterStatus = {
      from,
      system: position === undefined ? '' : systemOf(position),
      timeline: position === undefined ? '' : timelineOf(position),
      server,
      askedAtMs,
      answeredAtMs,
      verifiedAtMs: answeredAtMs - ageMs,
      validMs: Math.min(RELAY_STALE_MS, ANSWER_VALID_MS + this.#roundTrip.allowanceMs(nowMs)),
      reportedLive: live && position !== undefined,
      reason,
      clock,
    };
    this.#counters.set(key, counter);
    if (isLive(counter, nowMs)) this.#proved.note({ systemId: counter.system, timeline: counter.timeline });
  }

  /**
   * Whether all counters have had time to answer since the first one did. Until then, those that have may all follow a
   * former primary.
   */
  isComplete(nowMs: number): boolean {
    return nowMs - this.#firstAnswerAtMs >= ALL_ANSWERED_MS;
  }

  /** Whether the first counter has answered, and others may be about to. */
  isAwaitingOthers(nowMs: number): boolean {
    return Number.isFinite(this.#firstAnswerAtMs) && !this.isComplete(nowMs);
  }

  get(from: Sender): CounterStatus | undefined {
    return this.#counters.get(keyOf(from));
  }

  /** The process of this name that answered last. */
  named(name: string): CounterStatus | undefined {
    return [...this.#counters.values()]
      .filter(({ from }) => from.counter === name)
      .toSorted((one, other) => other.askedAtMs - one.askedAtMs)[0];
  }

  /** The counters that answer and have counted something. */
  answering(nowMs: number): CounterStatus[] {
    return this.#answering(nowMs).filter(({ system }) => system !== '');
  }

  /** The primaries that live counters count. */
  primaries(nowMs: number): CountedPrimaries {
    return Object.fromEntries(
      this.answering(nowMs)
        .filter((counter) => isLive(counter, nowMs))
        .slice(0, MAX_PRIMARIES)
        .map(({ from, system, timeline, server }) => [
          from.counter,
          { timeline: shortTimeline(system, timeline), server },
        ]),
    );
  }

  /** How much longer an answer may take than on a quick link. */
  allowanceMs(nowMs: number): number {
    return this.#roundTrip.allowanceMs(nowMs);
  }

  /** Describes the state of each counter that answers, for the operator. */
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

  /** The servers of this timeline that live counters count, each with the names of its counters. */
  countedServers(system: string, timeline: string, nowMs: number): ReadonlyMap<string, readonly string[]> {
    const servers = new Map<string, string[]>();
    for (const counter of this.#counters.values()) {
      const { server, from } = counter;
      if (counter.system !== system || counter.timeline !== timeline) continue;
      if (server === undefined || !isLive(counter, nowMs)) continue;
      servers.set(server, [...(servers.get(server) ?? []), from.counter]);
    }
    return servers;
  }

  /** Counts at this position are current: from now on no screen goes back to an earlier timeline. */
  noteCurrent(position: LogPosition): void {
    this.#proved.note({ systemId: systemOf(position), timeline: timelineOf(position) });
  }

  /** Whether a higher timeline of this system is proved: a standby was promoted. */
  isRetired(systemId: string, timeline: string): boolean {
    return this.#proved.isFormer({ systemId, timeline });
  }

  /** The names of live counters that follow a former primary. */
  followingFormerPrimary(nowMs: number): string[] {
    const former = [...this.#counters.values()].filter(
      (counter) => isLive(counter, nowMs) && this.#isFormer(counter),
    );
    return former.map(({ from }) => from.counter);
  }

  /** Whether a live counter follows the latest timeline that was proved. */
  isAnyLive(nowMs: number): boolean {
    if (!this.isComplete(nowMs)) return false;
    return [...this.#counters.values()].some((counter) => isLive(counter, nowMs) && !this.#isFormer(counter));
  }

  /** The names that several answering counters share. */
  sharedNames(nowMs: number): string[] {
    const names = this.answering(nowMs).map(({ from }) => from.counter);
    return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  }

  #isFormer({ system, timeline }: CounterStatus): boolean {
    return this.isRetired(system, timeline);
  }

  #describe(counter: CounterStatus, nowMs: number): string {
    if (isLive(counter, nowMs)) return this.#isFormer(counter) ? 'counts a former primary' : 'is live';
    if (counter.system === '') return 'has counted nothing yet';
    return `is not live (${counter.reason ?? 'lag'})`;
  }

  #answering(nowMs: number): CounterStatus[] {
    return [...this.#counters.values()].filter((counter) => isAnswering(counter, nowMs));
  }

  #hasRoom({ counter }: Sender, nowMs: number): boolean {
    for (const [key, { askedAtMs }] of this.#counters) {
      if (nowMs - askedAtMs > FORGET_AFTER_MS) this.#counters.delete(key);
    }
    const own = [...this.#counters.values()].filter(({ from }) => from.counter === counter);
    if (own.length >= MAX_RUNS) {
      const oldest = own.reduce((one, other) => (one.askedAtMs <= other.askedAtMs ? one : other));
      this.#counters.delete(keyOf(oldest.from));
    }
    return this.#counters.size < MAX_COUNTERS;
  }
}

export function isAnswering({ answeredAtMs, validMs }: CounterStatus, nowMs: number): boolean {
  return nowMs - answeredAtMs <= validMs;
}

/** Whether the counter is live now: the age of its answer, plus that of its counts, is within the limit. */
export function isLive(counter: CounterStatus, nowMs: number): boolean {
  return (
    counter.reportedLive && isAnswering(counter, nowMs) && nowMs - counter.verifiedAtMs <= RELAY_STALE_MS
  );
}

export function keyOf({ counter, run }: Sender): string {
  return `${counter} ${run}`;
}
