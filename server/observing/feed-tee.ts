import type { EventDetails } from '../../domain/event-details.ts';
import type { SectorDocument, StaleReason } from '../../domain/event-state.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import type { ClockReading, FeedObserver, Snapshot, TicketChange } from './ticket-feed.ts';

/** What a second observer may leave out. */
export type FeedListener = Partial<Omit<FeedObserver, 'position'>>;

/** Tells two what one feed tells, the first one first: it is the one whose position counts. */
export class FeedTee implements FeedObserver {
  readonly #first: FeedObserver;
  readonly #second: FeedListener;

  constructor(first: FeedObserver, second: FeedListener) {
    this.#first = first;
    this.#second = second;
  }

  get position(): LogPosition | undefined {
    return this.#first.position;
  }

  snapshot(snapshot: Snapshot): void {
    this.#first.snapshot(snapshot);
    this.#second.snapshot?.(snapshot);
  }

  change(change: TicketChange): void {
    this.#first.change(change);
    this.#second.change?.(change);
  }

  truncate(): void {
    this.#first.truncate();
    this.#second.truncate?.();
  }

  restored(eventId: string | undefined): void {
    this.#first.restored?.(eventId);
    this.#second.restored?.(eventId);
  }

  commit(lsn: bigint, committedAtMs: number): void {
    this.#first.commit(lsn, committedAtMs);
    this.#second.commit?.(lsn, committedAtMs);
  }

  sectors(eventId: string, documents: readonly SectorDocument[]): void {
    this.#first.sectors(eventId, documents);
    this.#second.sectors?.(eventId, documents);
  }

  reached(clock: ClockReading): void {
    this.#first.reached?.(clock);
    this.#second.reached?.(clock);
  }

  details(eventId: string, details: EventDetails | undefined, position: LogPosition): void {
    this.#first.details?.(eventId, details, position);
    this.#second.details?.(eventId, details, position);
  }

  live(): void {
    this.#first.live();
    this.#second.live?.();
  }

  stale(reason: StaleReason, sinceMs: number): void {
    this.#first.stale(reason, sinceMs);
    this.#second.stale?.(reason, sinceMs);
  }
}
