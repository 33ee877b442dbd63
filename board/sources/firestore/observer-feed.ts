import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { EventDetails } from '../../../domain/event-details.ts';
import type { SectorDocument, StaleReason } from '../../../domain/event-state.ts';
import { formatPosition, withPoint } from '../../../domain/log-position.ts';
import { DatabaseClock, instantBefore } from '../database-clock.ts';
import type { SourceInstant, SourceObserver, SourceState } from '../ticket-source.ts';
import type { Reading } from './stream-view.ts';
import type { TicketMemory, TimedChange } from './ticket-memory.ts';

export interface ObserverFeedOptions {
  readonly observer: SourceObserver;
  readonly eventId: string;
  /** Names the database in positions. */
  readonly systemId: string;
  readonly memory: TicketMemory;
  readonly wantsMetadata: boolean;
  readonly staleAfterMs: number;
  readonly onState: (state: SourceState) => void;
  readonly onObserverError: (error: unknown) => void;
}

/** Firestore's log never branches. */
const TIMELINE = 1;
/**
 * A commit may become visible this much later than its time: on the emulator some tens of milliseconds, at the services of
 * Google never, as they promise. In return every minute is known later by as much.
 */
const COMMIT_DELAY_MS = 1_000;
/**
 * Of a ticket that was written twice, a reading has the last write only. One that spans more than ten seconds, a bucket of the
 * flow, is therefore passed on as a snapshot: its minutes are a gap, and no false burst.
 */
const MAX_CATCH_UP_US = 10_000_000;

/**
 * What the observer is notified of: readings, whichever stream they come from, as one epoch after the other, and whether
 * they are fresh.
 *
 *                  reading                     proof
 *   no snapshot ────────────▶ with a snapshot ───────▶ live
 *        ▲                        ▲     ▲                │ no proof for staleAfterMs, or a doubt
 *        │   the stream is lost   │     └──── stale ◀────┤
 *        └────────────────────────┴───────────────────── ┘ … and no stream, or the observer throws
 */
export class ObserverFeed {
  readonly #options: ObserverFeedOptions;
  readonly #clock = new DatabaseClock();
  #verifiedAtMs = performance.now();
  #isLive = false;
  #isConnected = false;
  #hasSnapshot = false;
  #isStaleKnown = true;
  #lastStale: { readonly reason: StaleReason; readonly sinceMs: number } | undefined;
  /** Why it is not live, for the operator. */
  #trouble: string | undefined;
  /** Why what was read is not believed, for the operator. */
  #doubt: string | undefined;
  /** Everything before it has been passed on. */
  #passedUs = 0;
  #sectors: readonly SectorDocument[] = [];
  /** Those that were passed on, as a text. */
  #documents = '';
  #metadata: string | undefined;

  constructor(options: ObserverFeedOptions) {
    this.#options = options;
  }

  /** What has been passed on was everything at this instant of `performance.now()`. */
  get verifiedAtMs(): number {
    return this.#verifiedAtMs;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  /** Whether anything has been passed on. */
  get hasPassed(): boolean {
    return this.#passedUs > 0;
  }

  /** Whether readings come. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /**
   * `askedAtMs`: the reading has everything that was committed before this instant of `performance.now()`; `undefined`: that
   * is not known of any later one.
   */
  pass(reading: Reading, askedAtMs: number | undefined): void {
    const { readTimeUs, sectors, metadata } = reading;
    if (sectors) this.#sectors = sectors;
    const changes: TimedChange[] | undefined = this.#hasSnapshot ? [] : undefined;
    this.#options.memory.apply(reading, changes);
    this.#isConnected = true;
    this.#trouble = undefined;
    this.#guard(() => {
      if (changes && this.#followsOn(changes, readTimeUs))
        this.#passChanges(changes, readTimeUs, sectors !== undefined);
      else this.#passSnapshot(reading, askedAtMs ?? this.#verifiedAtMs);
      this.#passedUs = Math.max(this.#passedUs, readTimeUs);
      this.#passMetadata(metadata);
    });
    if (askedAtMs !== undefined) this.prove(readTimeUs, askedAtMs);
  }

  /** Everything before `readTimeUs` has been passed on, and so has everything that was committed before `askedAtMs`. */
  prove(readTimeUs: number, askedAtMs: number): void {
    this.#verifiedAtMs = Math.max(this.#verifiedAtMs, askedAtMs);
    if (this.#hasSnapshot && readTimeUs >= this.#passedUs) {
      this.#passedUs = readTimeUs;
      this.#guard(() => {
        const instant = this.#instantOf(readTimeUs, askedAtMs);
        this.#options.observer.caughtUpTo(instantBefore(instant, COMMIT_DELAY_MS));
      });
    }
    this.tick();
  }

  /** Compares the age of the last proof with the limit; called periodically, and after changes. */
  tick(): void {
    const isFresh = this.#isFresh();
    if (!isFresh && this.#isLive) this.#beStale(this.#isConnected ? 'lag' : 'connecting');
    else if (!this.#isStaleKnown) this.#beStale('connecting');
    if (!isFresh || this.#isLive) return;
    this.#guard(() => {
      this.#isLive = true;
      this.#lastStale = undefined;
      this.#trouble = undefined;
      this.#options.observer.live();
      this.#options.onState({ kind: 'live' });
    });
  }

  /** There is no stream any more. What is fresh stays live as long as it is. */
  lose(trouble: string, canReturn: boolean): void {
    this.#isConnected = false;
    this.#trouble = trouble;
    if (!canReturn || !this.#isFresh()) this.#beStale(canReturn ? 'connecting' : 'changed');
  }

  /** Nothing is live while there is a doubt; `undefined`: there is none any more. */
  doubt(doubt: string | undefined): void {
    if (doubt === this.#doubt) return;
    this.#doubt = doubt;
    if (doubt !== undefined && !this.#isLive) this.#report();
    this.tick();
  }

  #isFresh(): boolean {
    const ageMs = performance.now() - this.#verifiedAtMs;
    return this.#hasSnapshot && this.#doubt === undefined && ageMs <= this.#options.staleAfterMs;
  }

  /** Whether these are all changes since the reading before, and nothing that was overlooked earlier. */
  #followsOn(changes: readonly TimedChange[], readTimeUs: number): boolean {
    if (changes.length === 0) return true;
    const caughtUpToUs = this.#passedUs - COMMIT_DELAY_MS * 1_000;
    const isShort = readTimeUs - this.#passedUs <= MAX_CATCH_UP_US;
    return isShort && changes.every(({ madeAtUs }) => madeAtUs >= caughtUpToUs);
  }

  #passSnapshot({ readTimeUs }: Reading, askedAtMs: number): void {
    const { observer, eventId, systemId, memory } = this.#options;
    const sectors = this.#sectors;
    this.#documents = JSON.stringify(sectors);
    this.#metadata = undefined;
    observer.snapshot({
      epoch: randomBytes(3).toString('hex'),
      position: formatPosition(systemId, TIMELINE, BigInt(readTimeUs)),
      takenAt: this.#instantOf(readTimeUs, askedAtMs),
      replayedMs: null,
      groups: memory.groups(),
      sectors: new Map(sectors.length === 0 ? [] : [[eventId, sectors]]),
    });
    this.#hasSnapshot = true;
  }

  #passChanges(changes: readonly TimedChange[], readTimeUs: number, mayHaveDocuments: boolean): void {
    const { observer, eventId } = this.#options;
    const documents = mayHaveDocuments ? JSON.stringify(this.#sectors) : this.#documents;
    for (const { before, after, madeAtUs } of changes) observer.change({ before, after }, madeAtUs / 1_000);
    // Else the position stays: every screen would be sent a new one.
    if (changes.length > 0 || documents !== this.#documents) observer.commit(BigInt(readTimeUs));
    if (documents === this.#documents) return;
    this.#documents = documents;
    observer.sectorDocuments(eventId, this.#sectors);
  }

  #passMetadata(metadata: EventDetails | undefined): void {
    const { observer, eventId, wantsMetadata } = this.#options;
    const text = JSON.stringify(metadata) ?? '';
    if (!wantsMetadata || text === this.#metadata || !observer.position) return;
    observer.metadata(eventId, metadata, withPoint(observer.position, BigInt(this.#passedUs)));
    this.#metadata = text;
  }

  #instantOf(readTimeUs: number, askedAtMs: number): SourceInstant {
    const reading = {
      databaseMs: readTimeUs / 1_000,
      readAtMs: askedAtMs,
      answeredAtMs: performance.now(),
    };
    return this.#clock.instantOf(reading, this.#options.observer);
  }

  /** An observer that throws ends the epoch: the next reading is passed on as a snapshot. */
  #guard(notify: () => void): void {
    try {
      notify();
    } catch (error) {
      this.#options.onObserverError(error);
      this.#trouble = `What follows the tickets has failed (${error instanceof Error ? error.message : String(error)}); it begins anew`;
      this.#beStale('connecting');
    }
  }

  /** The observer is notified once, not at each attempt, as every screen is sent it. */
  #beStale(reason: StaleReason): void {
    const sinceMs = this.#verifiedAtMs;
    this.#isLive = false;
    if (reason !== 'lag') this.#hasSnapshot = false;
    this.#report();
    if (this.#lastStale?.reason === reason && this.#lastStale.sinceMs === sinceMs) return;
    try {
      this.#isStaleKnown = false;
      this.#options.observer.stale(reason, sinceMs);
      this.#isStaleKnown = true;
      this.#lastStale = { reason, sinceMs };
    } catch (error) {
      // It is notified again at the next tick.
      this.#hasSnapshot = false;
      this.#options.onObserverError(error);
    }
  }

  #report(): void {
    const seconds = Math.round((performance.now() - this.#verifiedAtMs) / 1_000);
    const behind = `The counts were last verified ${seconds} s ago: Firestore answers late`;
    this.#options.onState({ kind: 'waiting', reason: this.#doubt ?? this.#trouble ?? behind });
  }
}
