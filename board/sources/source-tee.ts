import type { EventDetails } from '../../domain/event-details.ts';
import type { SectorDocument, StaleReason } from '../../domain/event-state.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import type { Snapshot, SourceInstant, SourceObserver, TicketChange } from './ticket-source.ts';

/** An observer whose position does not count. */
export type SourceListener = Omit<SourceObserver, 'position'>;

/** Passes everything on to two observers, the first one first. The position is the first one's. */
export class SourceTee implements SourceObserver {
  readonly #first: SourceObserver;
  readonly #second: SourceListener;

  constructor(first: SourceObserver, second: SourceListener) {
    this.#first = first;
    this.#second = second;
  }

  get position(): LogPosition | undefined {
    return this.#first.position;
  }

  snapshot(snapshot: Snapshot): void {
    this.#first.snapshot(snapshot);
    this.#second.snapshot(snapshot);
  }

  change(change: TicketChange, madeAtMs: number): void {
    this.#first.change(change, madeAtMs);
    this.#second.change(change, madeAtMs);
  }

  truncate(madeAtMs: number): void {
    this.#first.truncate(madeAtMs);
    this.#second.truncate(madeAtMs);
  }

  restored(eventId: string | undefined): void {
    this.#first.restored(eventId);
    this.#second.restored(eventId);
  }

  commit(point: bigint): void {
    this.#first.commit(point);
    this.#second.commit(point);
  }

  sectorDocuments(eventId: string, documents: readonly SectorDocument[]): void {
    this.#first.sectorDocuments(eventId, documents);
    this.#second.sectorDocuments(eventId, documents);
  }

  metadata(eventId: string, metadata: EventDetails | undefined, position: LogPosition): void {
    this.#first.metadata(eventId, metadata, position);
    this.#second.metadata(eventId, metadata, position);
  }

  caughtUpTo(instant: SourceInstant): void {
    this.#first.caughtUpTo(instant);
    this.#second.caughtUpTo(instant);
  }

  clockSet(byMs: number, now: SourceInstant): void {
    this.#first.clockSet(byMs, now);
    this.#second.clockSet(byMs, now);
  }

  live(): void {
    this.#first.live();
    this.#second.live();
  }

  stale(reason: StaleReason, sinceMs: number): void {
    this.#first.stale(reason, sinceMs);
    this.#second.stale(reason, sinceMs);
  }
}
