import type { Logger } from 'pino';
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

/** The source's clock showed `sourceMs` (Unix time) when `performance.now()` was `readAtMs`. */
export interface SourceInstant {
  readonly sourceMs: number;
  readonly readAtMs: number;
}

/** Everything that was committed at one instant. */
export interface Snapshot {
  /** Names this snapshot and all that follows it, until the next one. */
  readonly epoch: string;
  /** Everything before it is in this snapshot; everything after it is passed on as changes. */
  readonly position: LogPosition;
  /** Nothing in the snapshot was committed later. */
  readonly takenAt: SourceInstant;
  /**
   * When the last transaction was committed that the server replayed as a standby, Unix time: all that its primary had committed
   * until then is in the snapshot. Null where it has been none since its start.
   */
  readonly replayedMs: number | null;
  readonly groups: readonly TicketGroup[];
  /** The sector documents of each event that has some. */
  readonly sectors: ReadonlyMap<string, readonly SectorDocument[]>;
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
 * What a source passes on, in commit order: a snapshot, then every commit after it, each as its changes followed by one
 * `commit`. A change must not be displayed before its `commit`: a source may break off between the two, and then begins
 * again with a new snapshot, which replaces everything. An observer that throws ends the epoch in the same way.
 *
 * No member is optional, as one that a tee does not pass on would be lost unnoticed.
 */
export interface SourceObserver {
  /** How far it has been notified; `undefined` before the first snapshot. No source goes back behind it in the same log. */
  readonly position: LogPosition | undefined;
  snapshot(snapshot: Snapshot): void;
  /** `madeAtMs`: Unix time by the clock of the server or file system where it was made. It may differ within one commit. */
  change(change: TicketChange, madeAtMs: number): void;
  /** All tickets of all events are gone. It is part of a commit, as a change is. */
  truncate(madeAtMs: number): void;
  /** The commit that is being passed on restores this event from a backup, or all events (`undefined`): nobody entered by it. */
  restored(eventId: string | undefined): void;
  /** Everything before `point` of the snapshot's log has been passed on. */
  commit(point: bigint): void;
  /** The sector documents of an event as they are after the last commit. */
  sectorDocuments(eventId: string, documents: readonly SectorDocument[]): void;
  /**
   * The metadata of an event, at first, whenever they change, and after a restore; `undefined`: there are none. They are read
   * beside the changes: everything before `position` is in them. They come only where the source is asked for them.
   */
  metadata(eventId: string, metadata: EventDetails | undefined, position: LogPosition): void;
  /**
   * Every change that was made before this instant has been passed on. The source has deducted how much later than its
   * time a change may become visible.
   */
  caughtUpTo(instant: SourceInstant): void;
  /** The source's clock was set by `byMs`, which was found at `now`, an instant by the clock as it is from now on. */
  clockSet(byMs: number, now: SourceInstant): void;
  /** The counts are at most a few seconds old. The snapshot that makes it true comes before. */
  live(): void;
  /**
   * The counts were last verified at `sinceMs` of the monotonic clock (`performance.now()`). After another reason than `lag`
   * a new snapshot comes before they are live again.
   */
  stale(reason: StaleReason, sinceMs: number): void;
}

export type SourceState =
  /** `starting`: the first attempt has neither succeeded nor failed yet. */
  | { readonly kind: 'starting' | 'live' }
  /** `reason`: cause and fix, for the operator. */
  | { readonly kind: 'waiting'; readonly reason: string };

/** What every source is opened with. */
export interface SourceOptions {
  /**
   * The event whose tickets, sector documents and metadata are passed on; `undefined`: every event's. Tickets of other events
   * come too where the source has them anyway.
   */
  readonly eventId: string | undefined;
  /** The codes of the venue, which are counted apart however many others there are. */
  readonly knownCodes: readonly string[];
  /** Whether event metadata is read at all. */
  readonly wantsMetadata: boolean;
  readonly log: Logger;
}

/** Where the tickets are. A source reconnects by itself for as long as that can help. */
export interface TicketSource {
  /**
   * Observes until `stop`. Rejects only with an error that no retry can fix, before the source was ever live; the error's
   * message names cause and fix.
   */
  run(observer: SourceObserver): Promise<void>;
  /** Closes every connection, and resolves once the other side has released all. The observer is notified no more. */
  stop(): Promise<void>;
  readonly state: SourceState;
  /** A condition that does the counts no harm and that the operator should look at, as things are now. */
  readonly warning: string | undefined;
  /** What has been passed on was everything at this instant of `performance.now()`. */
  readonly verifiedAtMs: number;
  /**
   * Tells the server of the last snapshot from others with the same log, up to 64 letters and digits: two standbys that were
   * promoted at the same moment both go on with it. `undefined`: there is none, or the log has one server only.
   */
  readonly server: string | undefined;
  /** The kick-offs of those of these events that have one, in Unix milliseconds. */
  kickOffsOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
