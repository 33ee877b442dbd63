import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { EventDetails } from '../../domain/event-details.ts';
import {
  type CountsSlice,
  type DocumentsSlice,
  type EventState,
  type Freshness,
  MAX_DOCUMENTS_BYTES,
  type SectorDocument,
  type StaleReason,
} from '../../domain/event-state.ts';
import { type LogPosition, withPoint } from '../../domain/log-position.ts';
import { Tally } from '../../domain/tally.ts';
import type { Snapshot, SourceObserver, TicketChange } from '../sources/ticket-source.ts';
import type { EventStateObserver } from './event-state-observer.ts';

export interface EventProjectionOptions {
  /** The event whose counts and documents are published even if it has no ticket; `undefined` for none. */
  readonly eventId: string | undefined;
  /** The codes of the venue, which are always counted separately. */
  readonly knownCodes: readonly string[];
  readonly observer: EventStateObserver;
  readonly log: Logger;
}

/** An event, with its tally after the last change and its counts at the last commit. */
interface Projected {
  readonly eventId: string;
  tally: Tally;
  counts: CountsSlice | undefined;
  /** Changed since the last commit. */
  isTouched: boolean;
}

/**
 * Projects the changes of a source onto one EventState per event. Changes are counted as they arrive, and published with
 * their commit, so a published state is always the state at a commit.
 */
export class EventProjection implements SourceObserver {
  readonly #eventId: string | undefined;
  readonly #knownCodes: readonly string[];
  readonly #observer: EventStateObserver;
  readonly #log: Logger;
  readonly #events = new Map<string, Projected>();
  #touched: Projected[] = [];
  readonly #documents = new Map<string, DocumentsSlice>();
  /** Events whose documents are too large to be published. */
  readonly #tooLarge = new Set<string>();
  #freshness: Freshness;
  #epoch = '';
  #snapshotCount = 0;
  #snapshotPosition: LogPosition | undefined;
  /** The point of the last commit since the snapshot. */
  #point: bigint | undefined;

  constructor({ eventId, knownCodes, observer, log }: EventProjectionOptions) {
    this.#eventId = eventId;
    this.#knownCodes = knownCodes;
    this.#observer = observer;
    this.#log = log;
    this.#freshness = { live: false, verifiedAtMs: performance.now(), reason: 'connecting' };
    observer.freshness(this.#freshness);
  }

  get position(): LogPosition | undefined {
    if (this.#point === undefined || !this.#snapshotPosition) return this.#snapshotPosition;
    return withPoint(this.#snapshotPosition, this.#point);
  }

  get freshness(): Freshness {
    return this.#freshness;
  }

  /** The number of snapshots so far. */
  get snapshotCount(): number {
    return this.#snapshotCount;
  }

  /** Returns the state at the last commit. */
  state(eventId: string): EventState {
    return {
      eventId,
      counts: this.#events.get(eventId)?.counts,
      documents: this.#documents.get(eventId),
    };
  }

  /** Yields the counts at the last commit of every event that has or had a ticket. */
  *allCounts(): Generator<CountsSlice> {
    for (const { counts } of this.#events.values()) if (counts) yield counts;
  }

  snapshot({ epoch, position, groups, sectors }: Snapshot): void {
    this.#epoch = epoch;
    this.#snapshotCount += 1;
    this.#snapshotPosition = position;
    this.#point = undefined;
    this.truncate();
    for (const event of this.#events.values()) event.counts = undefined;
    if (this.#eventId !== undefined) this.#touch(this.#eventId);
    for (const { eventId, ticket, count } of groups) this.#touch(eventId).add(ticket, count);
    this.#publishTouched();
    // An event whose documents were removed gets an empty slice.
    const known = new Set([...this.#documents.keys(), ...sectors.keys()]);
    if (this.#eventId !== undefined) known.add(this.#eventId);
    for (const eventId of known) this.sectorDocuments(eventId, sectors.get(eventId) ?? []);
  }

  change({ before, after }: TicketChange): void {
    if (before && after && before.eventId === after.eventId) {
      this.#touch(after.eventId).change(before, after);
      return;
    }
    if (before) this.#touch(before.eventId).change(before, undefined);
    if (after) this.#touch(after.eventId).change(undefined, after);
  }

  truncate(): void {
    for (const event of this.#events.values()) {
      event.tally = new Tally(this.#knownCodes);
      this.#touch(event.eventId);
    }
  }

  /** Restored tickets are counted like all others. */
  restored(): void {}

  commit(point: bigint): void {
    this.#point = point;
    if (this.#touched.length > 0) this.#publishTouched();
  }

  sectorDocuments(eventId: string, read: readonly SectorDocument[]): void {
    const documents = this.#fit(eventId, read) ? read : [];
    const slice: DocumentsSlice = {
      kind: 'documents',
      eventId,
      position: this.#currentPosition(),
      documents,
    };
    this.#documents.set(eventId, slice);
    this.#observer.slice(slice);
  }

  metadata(eventId: string, details: EventDetails | undefined, position: LogPosition): void {
    this.#observer.slice({ kind: 'details', eventId, position, details });
  }

  /** Counts do not depend on time. */
  caughtUpTo(): void {}

  clockSet(): void {}

  live(): void {
    this.#setFreshness({ live: true });
  }

  stale(reason: StaleReason, verifiedAtMs: number): void {
    this.#setFreshness({ live: false, verifiedAtMs, reason });
  }

  /** Returns whether these documents are small enough to publish. Logs when those of an event become too large. */
  #fit(eventId: string, documents: readonly SectorDocument[]): boolean {
    const bytes = Buffer.byteLength(JSON.stringify(documents));
    if (bytes <= MAX_DOCUMENTS_BYTES) {
      this.#tooLarge.delete(eventId);
      return true;
    }
    if (!this.#tooLarge.has(eventId)) {
      const details = { eventId, bytes, limitBytes: MAX_DOCUMENTS_BYTES };
      this.#log.warn(details, 'the sector documents of an event are too large: no page is sent any of them');
    }
    this.#tooLarge.add(eventId);
    return false;
  }

  #currentPosition(): LogPosition {
    const { position } = this;
    if (!position) throw new Error('a commit came before the first snapshot');
    return position;
  }

  #setFreshness(freshness: Freshness): void {
    this.#freshness = freshness;
    this.#observer.freshness(freshness);
  }

  /** Returns the tally of the event, and marks its counts for the next commit. */
  #touch(eventId: string): Tally {
    let event = this.#events.get(eventId);
    if (!event) {
      event = { eventId, tally: new Tally(this.#knownCodes), counts: undefined, isTouched: false };
      this.#events.set(eventId, event);
    }
    if (!event.isTouched) {
      event.isTouched = true;
      this.#touched.push(event);
    }
    return event.tally;
  }

  #publishTouched(): void {
    const position = this.#currentPosition();
    const touched = this.#touched;
    this.#touched = [];
    for (const event of touched) {
      event.isTouched = false;
      event.counts = {
        kind: 'counts',
        eventId: event.eventId,
        epoch: this.#epoch,
        version: event.counts ? event.counts.version + 1 : 0,
        position,
        ...event.tally.counts(),
      };
      this.#observer.slice(event.counts);
    }
  }
}
