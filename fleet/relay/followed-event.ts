import type {
  CountsPart,
  DetailsPart,
  DocumentsPart,
  Freshness,
  IncompletePart,
  StaleReason,
} from '../../domain/event-state.ts';
import { COUNTS_VALID_MS, LIVE_AGE_MS } from '../../domain/freshness.ts';
import { isEarlier, type LogPosition, systemOf, timelineOf } from '../../domain/log-position.ts';
import type { EventStateObserver } from '../../board/counting/event-state-observer.ts';
import { type CountersHeard, type HeardCounter, isAnswering, isLive, keyOf } from './counters-heard.ts';
import { type Choice, CountsChoice, isSame } from './counts-choice.ts';
import {
  type CountsMessage,
  NO_DOCUMENTS,
  type OtherPart,
  type PartMessage,
  type PartVersion,
  type Sender,
} from './wire.ts';

/** While it is stale: screens are told of a newer instant no more often. */
const TELL_AGE_EVERY_MS = 1_000;
/** Between two of the states that are kept to know what was shown then. */
const NOTE_EVERY_MS = 1_000;

/** What one counter said of the event last. */
interface Heard {
  readonly from: Sender;
  readonly counts: CountsPart;
  readonly atMs: number;
}

/** Of which primary a counter counts the log: the one of what is shown, or a later one; or a former one. */
export type CountedPrimary = 'current' | 'former' | 'unknown';

/** As `/readyz` tells it. */
export interface Following {
  /** Whose counts were taken last, of those who say them now; `undefined`: nobody does. */
  readonly counter: string | undefined;
  readonly position: LogPosition | undefined;
  /** How long ago what is shown was known to be right, in milliseconds. */
  readonly ageMs: number;
}

/**
 * All that an edge knows of one event: what it shows of it, from whom, and whether that can be trusted. Whoever observes
 * it is told as by an EventProjection of the same process. Time is told: instants are those of `performance.now()`.
 */
export class FollowedEvent {
  readonly eventId: string;
  readonly #observer: EventStateObserver;
  readonly #counters: CountersHeard;
  readonly #choice = new CountsChoice();
  readonly #heard = new Map<string, Heard>();
  /** What was shown, now and then, the newest last. */
  #noted: { readonly counts: CountsPart; readonly atMs: number }[] = [];
  #takenAtMs = 0;
  #takenFrom: Sender | undefined;
  #documents: (DocumentsPart & PartVersion) | undefined;
  #details: (DetailsPart & PartVersion) | undefined;
  #incomplete: (IncompletePart & PartVersion & { readonly from: string }) | undefined;
  #freshness: Freshness;
  /** Before any answer, it is not known to have been right before it was looked at. */
  readonly #begunAtMs: number;
  /** Of what is shown, as the best answer says. */
  #rightAtMs = -Infinity;
  #contradicted: HeardCounter | undefined;

  constructor(eventId: string, counters: CountersHeard, observer: EventStateObserver, nowMs: number) {
    this.eventId = eventId;
    this.#counters = counters;
    this.#observer = observer;
    this.#begunAtMs = nowMs;
    this.#freshness = { live: false, rightAtMs: nowMs, reason: 'connecting' };
    observer.freshness(this.#freshness);
  }

  get counts(): CountsPart | undefined {
    return this.#choice.shown;
  }

  get documents(): DocumentsPart | undefined {
    return this.#documents;
  }

  get details(): DetailsPart | undefined {
    return this.#details;
  }

  get freshness(): Freshness {
    return this.#freshness;
  }

  /** How long ago a counter that can be believed now said its counts. */
  unheardMs(nowMs: number): number {
    const heardAtMs = this.#supporters(nowMs).map(
      ({ from }) => this.#heard.get(keyOf(from))?.atMs ?? -Infinity,
    );
    return nowMs - Math.max(-Infinity, ...heardAtMs);
  }

  /** A live counter that says less than what is shown, and will not come to it. */
  get contradicted(): string | undefined {
    return this.#contradicted?.from.counter;
  }

  /** Which primary the counter of this name counts, as far as it is known by now. */
  primaryOf(name: string, nowMs: number): CountedPrimary {
    const counter = this.#counters.named(name);
    if (counter && this.#counters.isRetired(counter.system, counter.timeline)) return 'former';
    if (!counter || !this.counts || !this.#counters.hasHeardAll(nowMs)) return 'unknown';
    const { position } = this.counts;
    if (counter.system !== systemOf(position)) return 'unknown';
    return counter.timeline < timelineOf(position) ? 'former' : 'current';
  }

  following(nowMs: number): Following {
    const saying = this.#supporters(nowMs).map(({ from }) => from.counter);
    const taken = this.#takenFrom?.counter;
    const counter = taken !== undefined && saying.includes(taken) ? taken : saying[0];
    return {
      counter,
      position: this.counts?.position,
      ageMs: Math.max(0, Math.round(nowMs - this.#known())),
    };
  }

  /** Returns what became of the counts, and whether to ask for parts that their counter has and this one lacks. */
  offerCounts(
    { from, state, documents, details, incomplete }: CountsMessage,
    nowMs: number,
  ): { choice: Choice; lacksParts: boolean } {
    const shownBefore = this.counts;
    // Whoever counts a lower timeline counts what is no longer the truth.
    if (this.#isRetired(state.position)) return { choice: 'earlier', lacksParts: false };
    const choice = this.#choice.offer(state, (system) => this.#counters.isLive(system, nowMs));
    if (choice === 'foreign') return { choice, lacksParts: false };
    this.#heard.set(keyOf(from), { from, counts: state, atMs: nowMs });
    this.#forget(nowMs);
    if (choice === 'later' && this.counts) {
      const isOther = shownBefore && systemOf(shownBefore.position) !== systemOf(state.position);
      if (isOther) this.#rightAtMs = -Infinity;
      this.#counters.shown(state.position);
      this.#take(this.counts, from, nowMs);
    }
    const lacksParts =
      this.#lacksDocuments(documents, from) ||
      this.#lacks(this.#details, details) ||
      this.#lacks(this.#heldIncomplete(keyOf(from)), incomplete);
    return { choice, lacksParts };
  }

  offerPart({ from, state, digest }: PartMessage): void {
    if (this.#isForeign(state.position) || this.#isRetired(state.position)) return;
    const held = this.#held(state.part, keyOf(from));
    if (held && isEarlier(state.position, held.position)) return;
    if (state.part === 'documents') this.#documents = { ...state, digest };
    else if (state.part === 'details') this.#details = { ...state, digest };
    else this.#incomplete = { ...state, digest, from: keyOf(from) };
    if (held?.digest !== digest) this.#observer.part(state);
  }

  /** Tells the observer whether the counts can be trusted as of now, if that is another than before. */
  check(nowMs: number): void {
    const supporters = this.#supporters(nowMs);
    this.#rightAtMs = Math.max(this.#rightAtMs, ...supporters.map(({ rightAtMs }) => rightAtMs));
    const hasHeardAll = this.#counters.hasHeardAll(nowMs);
    const live =
      this.counts !== undefined && hasHeardAll && supporters.some((counter) => isLive(counter, nowMs));
    const before = this.#freshness;
    if (live && before.live) return;
    const reason = hasHeardAll ? this.#staleReason(supporters, nowMs) : 'connecting';
    const after: Freshness = live ? { live } : { live, rightAtMs: this.#known(), reason };
    if (!after.live && !before.live && after.reason === before.reason) {
      if (Math.abs(after.rightAtMs - before.rightAtMs) < TELL_AGE_EVERY_MS) return;
    }
    this.#freshness = after;
    this.#observer.freshness(after);
  }

  #known(): number {
    return Number.isFinite(this.#rightAtMs) ? this.#rightAtMs : this.#begunAtMs;
  }

  #take(counts: CountsPart, from: Sender, nowMs: number): void {
    if (nowMs - (this.#noted.at(-1)?.atMs ?? -Infinity) >= NOTE_EVERY_MS) {
      this.#noted.push({ counts, atMs: nowMs });
      const old = this.#noted.findLastIndex(({ atMs }) => nowMs - atMs > LIVE_AGE_MS);
      this.#noted.splice(0, Math.max(0, old));
    }
    this.#takenAtMs = nowMs;
    this.#takenFrom = from;
    this.#observer.part(counts);
  }

  /** The counters that say these counts now: their answers hold for what is shown. */
  #supporters(nowMs: number): HeardCounter[] {
    const { counts } = this;
    if (!counts) return [];
    const floor = this.#shownBefore(nowMs - LIVE_AGE_MS);
    if (this.#isRetired(counts.position)) return [];
    const [system, timeline] = [systemOf(counts.position), timelineOf(counts.position)];
    const supporters: HeardCounter[] = [];
    this.#contradicted = undefined;
    for (const { from, counts: said, atMs } of this.#heard.values()) {
      const counter = this.#counters.get(from);
      if (!counter || nowMs - atMs > COUNTS_VALID_MS || !isAnswering(counter, nowMs)) continue;
      if (counter.system !== system || counter.timeline !== timeline) continue;
      if (floor && isEarlier(said.position, floor.position) && !isSame(said, floor))
        this.#contradicted = counter;
      else supporters.push(counter);
    }
    return supporters;
  }

  #shownBefore(atMs: number): CountsPart | undefined {
    if (this.#takenAtMs <= atMs) return this.counts;
    return this.#noted.findLast((noted) => noted.atMs <= atMs)?.counts;
  }

  #staleReason(supporters: readonly HeardCounter[], nowMs: number): StaleReason {
    const best = supporters.reduce<HeardCounter | undefined>(
      (one, other) => (one && one.rightAtMs >= other.rightAtMs ? one : other),
      undefined,
    );
    if (best) return best.reason ?? 'lag';
    return this.#counters.answering(nowMs).length > 0 && this.counts ? 'lag' : 'connecting';
  }

  #lacksDocuments(said: PartVersion, from: Sender): boolean {
    const held = this.#documents;
    if (this.#isForeign(said.position)) return false;
    if (!held && said.digest === NO_DOCUMENTS) {
      const { eventId } = this;
      const state = { part: 'documents', eventId, position: said.position, documents: [] } as const;
      this.offerPart({ from, state, digest: said.digest });
      return false;
    }
    if (held && held.digest === said.digest) {
      if (isEarlier(held.position, said.position)) this.#documents = { ...held, position: said.position };
      return false;
    }
    return !held || !isEarlier(said.position, held.position);
  }

  #held(part: OtherPart['part'], from: string): PartVersion | undefined {
    if (part === 'documents') return this.#documents;
    return part === 'details' ? this.#details : this.#heldIncomplete(from);
  }

  /**
   * What another message must be later than; `undefined` where the counter that said it is gone, and `from` is another one.
   * Which counts are not whole follows from the record: its position is that of the counts beside it, and two counters that
   * have seen no commit yet begin at different ones.
   */
  #heldIncomplete(from: string): PartVersion | undefined {
    const held = this.#incomplete;
    return held && (held.from === from || this.#heard.has(held.from)) ? held : undefined;
  }

  #lacks(held: PartVersion | undefined, said: PartVersion | undefined): boolean {
    if (!said || this.#isForeign(said.position)) return false;
    if (held && held.digest === said.digest) return false;
    return !held || !isEarlier(said.position, held.position);
  }

  #isRetired(position: LogPosition): boolean {
    return this.#counters.isRetired(systemOf(position), timelineOf(position));
  }

  #isForeign(position: LogPosition): boolean {
    return this.counts !== undefined && systemOf(position) !== systemOf(this.counts.position);
  }

  #forget(nowMs: number): void {
    for (const [key, { atMs }] of this.#heard) if (nowMs - atMs > COUNTS_VALID_MS) this.#heard.delete(key);
  }
}
