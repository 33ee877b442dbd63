import type { EventDetails } from '../../domain/event-details.ts';
import type { SectorDocument, StaleReason } from '../../domain/event-state.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import type { Ticket, TicketKind } from '../../domain/tally.ts';

/** Tickets of one event that are alike in everything that decides the counts. */
export interface TicketGroup {
  readonly eventId: string;
  readonly ticket: TicketKind;
  readonly count: number;
}

/** Everything that was committed at one instant. */
export interface Snapshot {
  /** Names this snapshot and all that follows it, until the next one. */
  readonly epoch: string;
  /** Everything before it is in this snapshot, everything after it is told as commits. */
  readonly position: LogPosition;
  /** Read after it was taken: nothing in it was committed later. */
  readonly clock: ClockReading;
  readonly groups: readonly TicketGroup[];
  /** The sector documents by event: of those that have some. */
  readonly sectors: ReadonlyMap<string, readonly SectorDocument[]>;
}

/** The clock of the database, read at some instant between question and answer. */
export interface ClockReading {
  /** Unix time, in milliseconds. */
  readonly databaseMs: number;
  /** What `performance.now()` was when it was asked. */
  readonly readAtMs: number;
  /** And when the answer was there. */
  readonly answeredAtMs: number;
}

/** A ticket before and after a change; `undefined` where it did not exist. */
export interface TicketChange {
  readonly before: ObservedTicket | undefined;
  readonly after: ObservedTicket | undefined;
}

export interface ObservedTicket extends Ticket {
  readonly eventId: string;
}

/**
 * What a feed tells, in commit order: a snapshot, then every commit after it, each as its changes followed by
 * one `commit`. A change is not to be shown before its `commit`: a feed may break off between the two, and
 * then begins again with a new snapshot, which replaces everything.
 */
export interface FeedObserver {
  /** How far it has been told; `undefined` before the first snapshot. It is never told of an earlier position. */
  readonly position: LogPosition | undefined;
  snapshot(snapshot: Snapshot): void;
  change(change: TicketChange): void;
  /** All tickets of all events are gone. Part of a transaction, as a change is. */
  truncate(): void;
  /**
   * Part of a transaction, as a change is: what it brings comes from a backup, of this event or of all, and nobody entered
   * by it.
   */
  restored?(eventId: string | undefined): void;
  /** `lsn`: the position after the commit. `committedAtMs`: Unix time, by the clock of the server where it was made. */
  commit(lsn: bigint, committedAtMs: number): void;
  /** The sector documents of an event, as they are after the commit that was just told. */
  sectors(eventId: string, documents: readonly SectorDocument[]): void;
  /** The counts are those of at most a few seconds ago. Told after the snapshot that makes it so. */
  live(): void;
  /**
   * Everything that stood in the log at this reading of the database's clock has been told. A commit takes its time a
   * moment before it stands there: it may turn up afterwards with an earlier one.
   */
  reached?(clock: ClockReading): void;
  /**
   * What is said of an event, whenever it is another; `undefined`: nothing. Everything before `position` is in it. Read
   * where somebody is told.
   */
  details?(eventId: string, details: EventDetails | undefined, position: LogPosition): void;
  /** They were last known to be right at `sinceMs` of the monotonic clock (`performance.now()`). */
  stale(reason: StaleReason, sinceMs: number): void;
}

/** A source of admissions. It reconnects by itself for as long as that can help. */
export interface TicketFeed {
  /**
   * Observes until `stop`. Rejects only for an error that no retry can fix, before it was ever live: the
   * error's message names cause and fix.
   */
  run(observer: FeedObserver): Promise<void>;
  /** Ends every connection; resolves once the database holds nothing of ours. The observer hears no more. */
  stop(): Promise<void>;
  /** What keeps the feed from being live, in words for the operator; `undefined` while it is. */
  readonly notReadyReason: string | undefined;
}
