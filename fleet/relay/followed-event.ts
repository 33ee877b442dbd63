import type {
  CountsSlice,
  DetailsSlice,
  DocumentsSlice,
  Freshness,
  StaleReason,
} from '../../domain/event-state.ts';
import { COUNTS_VALID_MS, LIVE_AGE_MS } from '../../domain/freshness.ts';
import { isEarlier, type LogPosition, systemOf, timelineOf } from '../../domain/log-position.ts';
import { lacksCode } from '../../domain/tally.ts';
import type { EventStateObserver } from '../../board/counting/event-state-observer.ts';
import { type CounterRegistry, type CounterStatus, isAnswering, isLive, keyOf } from './counter-registry.ts';
import { type Choice, CountsChoice, isSame } from './counts-choice.ts';
import { IncompleteCounts } from './incomplete-counts.ts';
import { HeldSlices } from './held-slices.ts';
import { TwinServers } from './twin-servers.ts';
import type { CountsMessage, SliceMessage, Sender } from './wire.ts';

/** While the event is stale, its age is published no more often. */
const PUBLISH_AGE_EVERY_MS = 1_000;

const HISTORY_STEP_MS = 1_000;

/** The last counts that one counter published. */
interface ReceivedCounts {
  readonly from: Sender;
  readonly counts: CountsSlice;
  readonly atMs: number;
}

/** Which primary a counter follows: that of the current counts or a later one, a former one, or one of several of a timeline. */
export type CountedPrimary = 'current' | 'former' | 'twin' | 'unknown';

/** The part of `/readyz` about an event. */
export interface Following {
  /** An agreeing counter, if possible the one whose counts are current; `undefined`: there is none. */
  readonly counter: string | undefined;
  readonly position: LogPosition | undefined;
  /** How long ago the current counts were verified. */
  readonly ageMs: number;
}

/**
 * What an edge knows of one event: its current state, from which counter, and whether it can be trusted. The observer is
 * notified as by an EventProjection. The caller gives the time: instants are those of `performance.now()`.
 */
export class FollowedEvent {
  readonly eventId: string;
  /** The codes of the event's venue, which the counters need not know. */
  readonly #codes: ReadonlySet<string>;
  readonly #observer: EventStateObserver;
  readonly #counters: CounterRegistry;
  readonly #choice = new CountsChoice();
  readonly #received = new Map<string, ReceivedCounts>();
  /** Samples of the counts that were current, the newest last. */
  #history: { readonly counts: CountsSlice; readonly atMs: number }[] = [];
  #takenAtMs = 0;
  #takenFrom: Sender | undefined;
  readonly #slices: HeldSlices;
  readonly #incomplete: IncompleteCounts;
  #freshness: Freshness;
  readonly #begunAtMs: number;
  /** When the current counts were verified, by the best answer. */
  #verifiedAtMs = -Infinity;
  #conflictingCounter: CounterStatus | undefined;
  #counterWithoutCodes: string | undefined;
  readonly #twins: TwinServers;

  constructor(
    eventId: string,
    codes: ReadonlySet<string>,
    counters: CounterRegistry,
    observer: EventStateObserver,
    nowMs: number,
  ) {
    this.eventId = eventId;
    this.#codes = codes;
    this.#counters = counters;
    this.#twins = new TwinServers(counters);
    this.#observer = observer;
    this.#slices = new HeldSlices({
      eventId,
      onSlice: (slice) => observer.slice(slice),
      isForeign: (position) => this.#isForeign(position),
    });
    this.#incomplete = new IncompleteCounts(counters, (slice) => observer.slice(slice));
    this.#begunAtMs = nowMs;
    this.#freshness = { live: false, verifiedAtMs: nowMs, reason: 'connecting' };
    observer.freshness(this.#freshness);
  }

  get counts(): CountsSlice | undefined {
    return this.#choice.current;
  }

  get documents(): DocumentsSlice | undefined {
    return this.#slices.documents;
  }

  get details(): DetailsSlice | undefined {
    return this.#slices.details;
  }

  get freshness(): Freshness {
    return this.#freshness;
  }

  /** How long ago an agreeing counter published its counts. */
  sinceReceivedMs(nowMs: number): number {
    const receivedAtMs = this.#agreeingCounters(nowMs).map(
      ({ from }) => this.#received.get(keyOf(from))?.atMs ?? -Infinity,
    );
    return nowMs - Math.max(-Infinity, ...receivedAtMs);
  }

  /** The name of a counter whose counts stay behind the current ones: it follows an older copy of the database. */
  get conflictingCounter(): string | undefined {
    return this.#conflictingCounter?.from.counter;
  }

  /** The name of a counter that does not count each code of the venue by itself: it is not shown. */
  get counterWithoutCodes(): string | undefined {
    return this.#counterWithoutCodes;
  }

  /** The names of live counters that count several servers of one timeline: none of them is shown. */
  get twins(): readonly string[] {
    return this.#twins.names;
  }

  /** Which primary the counter of this name follows. */
  primaryOf(name: string, nowMs: number): CountedPrimary {
    const counter = this.#counters.named(name);
    if (counter && this.#counters.isRetired(counter.system, counter.timeline)) return 'former';
    const { position } = this.#twins;
    if (!counter || position === undefined || !this.#counters.isComplete(nowMs)) return 'unknown';
    if (counter.system !== systemOf(position)) return 'unknown';
    if (this.twins.includes(name)) return 'twin';
    return counter.timeline < timelineOf(position) ? 'former' : 'current';
  }

  /** What this process's `performance.now()` was when that of this counter was `counterMs`, at the earliest. */
  earliestMs(name: string, counterMs: number): number | undefined {
    return this.#counters.named(name)?.clock.earliestMs(counterMs);
  }

  following(nowMs: number): Following {
    const agreeing = this.#agreeingCounters(nowMs).map(({ from }) => from.counter);
    const taken = this.#takenFrom?.counter;
    const counter = taken !== undefined && agreeing.includes(taken) ? taken : agreeing[0];
    return {
      counter,
      position: this.counts?.position,
      ageMs: Math.max(0, Math.round(nowMs - this.#verifiedOrBegunAtMs())),
    };
  }

  /** Returns what became of the counts, and whether this edge lacks slices that their counter has. */
  offerCounts(message: CountsMessage, nowMs: number): { choice: Choice; lacksSlices: boolean } {
    const { from, state, server } = message;
    const previous = this.counts;
    const lacksIncomplete = this.#incomplete.lacks(from, message.incomplete?.digest);
    // A counter on a lower timeline follows a demoted primary.
    if (this.#isRetired(state.position)) return { choice: 'earlier', lacksSlices: lacksIncomplete };
    if (lacksCode(state, this.#codes)) {
      this.#counterWithoutCodes = from.counter;
      this.#received.delete(keyOf(from));
      return { choice: 'earlier', lacksSlices: false };
    }
    if (this.#counterWithoutCodes === from.counter) this.#counterWithoutCodes = undefined;
    if (this.#twins.refuses(server, state.position, nowMs)) {
      this.#received.delete(keyOf(from));
      return { choice: 'earlier', lacksSlices: false };
    }
    const choice = this.#choice.offer(state, (system) => this.#counters.isLive(system, nowMs));
    if (choice === 'foreign') return { choice, lacksSlices: false };
    this.#received.set(keyOf(from), { from, counts: state, atMs: nowMs });
    this.#forget(nowMs);
    if (choice === 'later' && this.counts) {
      const isOther = previous && systemOf(previous.position) !== systemOf(state.position);
      if (isOther) this.#verifiedAtMs = -Infinity;
      this.#counters.noteCurrent(state.position);
      this.#take(this.counts, { from, server }, nowMs);
    }
    return { choice, lacksSlices: this.#slices.lacks(message) || lacksIncomplete };
  }

  offerSlice(message: SliceMessage, nowMs: number): void {
    const { from, state, server, digest } = message;
    const { position } = state;
    if (this.#isForeign(position)) return;
    // A counter of a former primary may know of a mark that the present one lacks.
    if (state.kind === 'incomplete') this.#incomplete.offer({ from, state, digest }, nowMs);
    else if (!this.#isRetired(position) && !this.#twins.refuses(server, position, nowMs))
      this.#slices.offer(state, digest);
  }

  /** Notifies the observer if the freshness of the counts has changed. */
  check(nowMs: number): void {
    if (this.#twins.check(nowMs)) this.#forgetCounts();
    this.#incomplete.check(nowMs);
    const lacking = this.#counterWithoutCodes && this.#counters.named(this.#counterWithoutCodes);
    if (!lacking || !isAnswering(lacking, nowMs)) this.#counterWithoutCodes = undefined;
    const agreeing = this.#agreeingCounters(nowMs);
    this.#verifiedAtMs = Math.max(this.#verifiedAtMs, ...agreeing.map(({ verifiedAtMs }) => verifiedAtMs));
    const isComplete = this.#counters.isComplete(nowMs);
    const live =
      this.counts !== undefined && isComplete && agreeing.some((counter) => isLive(counter, nowMs));
    const before = this.#freshness;
    if (live && before.live) return;
    const reason = isComplete ? this.#staleReason(agreeing, nowMs) : 'connecting';
    const after: Freshness = live ? { live } : { live, verifiedAtMs: this.#verifiedOrBegunAtMs(), reason };
    if (!after.live && !before.live && after.reason === before.reason) {
      if (Math.abs(after.verifiedAtMs - before.verifiedAtMs) < PUBLISH_AGE_EVERY_MS) return;
    }
    this.#freshness = after;
    this.#observer.freshness(after);
  }

  /** Leaves the current counts: those of any server of their timeline are later. */
  #forgetCounts(): void {
    this.#choice.forget();
    this.#history = [];
    this.#slices.forget();
  }

  #verifiedOrBegunAtMs(): number {
    return Number.isFinite(this.#verifiedAtMs) ? this.#verifiedAtMs : this.#begunAtMs;
  }

  #take(counts: CountsSlice, { from, server }: Pick<CountsMessage, 'from' | 'server'>, nowMs: number): void {
    if (nowMs - (this.#history.at(-1)?.atMs ?? -Infinity) >= HISTORY_STEP_MS) {
      this.#history.push({ counts, atMs: nowMs });
      const old = this.#history.findLastIndex(({ atMs }) => nowMs - atMs > LIVE_AGE_MS);
      this.#history.splice(0, Math.max(0, old));
    }
    const isOfOther = this.#twins.noteCurrent(counts.position, server);
    this.#takenAtMs = nowMs;
    this.#takenFrom = from;
    // Counts of a server that nobody counts any more must not be live by the answers about another one.
    if (isOfOther) this.check(nowMs);
    this.#observer.slice(counts);
  }

  /** The counters that follow the log of the current counts: their answers hold for these. */
  #agreeingCounters(nowMs: number): CounterStatus[] {
    const { counts } = this;
    if (!counts) return [];
    const floor = this.#currentBefore(nowMs - LIVE_AGE_MS);
    if (this.#isRetired(counts.position)) return [];
    const [system, timeline] = [systemOf(counts.position), timelineOf(counts.position)];
    const agreeing: CounterStatus[] = [];
    this.#conflictingCounter = undefined;
    for (const { from, counts: offered, atMs } of this.#received.values()) {
      const counter = this.#counters.get(from);
      if (!counter || nowMs - atMs > COUNTS_VALID_MS || !isAnswering(counter, nowMs)) continue;
      if (counter.system !== system || counter.timeline !== timeline) continue;
      const isBehind = floor && isEarlier(offered.position, floor.position) && !isSame(offered, floor);
      if (!isBehind) agreeing.push(counter);
      // One that is cut off stands there because of that.
      else if (isLive(counter, nowMs)) this.#conflictingCounter = counter;
    }
    return agreeing;
  }

  #currentBefore(atMs: number): CountsSlice | undefined {
    if (this.#takenAtMs <= atMs) return this.counts;
    return this.#history.findLast((noted) => noted.atMs <= atMs)?.counts;
  }

  #staleReason(agreeing: readonly CounterStatus[], nowMs: number): StaleReason {
    const best = agreeing.reduce<CounterStatus | undefined>(
      (one, other) => (one && one.verifiedAtMs >= other.verifiedAtMs ? one : other),
      undefined,
    );
    if (best) return best.reason ?? 'lag';
    return this.#counters.answering(nowMs).length > 0 && this.counts ? 'lag' : 'connecting';
  }

  #isRetired(position: LogPosition): boolean {
    return this.#counters.isRetired(systemOf(position), timelineOf(position));
  }

  #isForeign(position: LogPosition): boolean {
    return this.counts !== undefined && systemOf(position) !== systemOf(this.counts.position);
  }

  #forget(nowMs: number): void {
    for (const [key, { atMs }] of this.#received)
      if (nowMs - atMs > COUNTS_VALID_MS) this.#received.delete(key);
  }
}
