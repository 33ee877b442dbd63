import { performance } from 'node:perf_hooks';
import type { EventDetails } from '../../domain/event-details.ts';
import type { SectorDocument, StaleReason } from '../../domain/event-state.ts';
import { isEarlier, type LogPosition, withPoint } from '../../domain/log-position.ts';
import type { TicketKind } from '../../domain/tally.ts';
import type {
  ObservedTicket,
  Snapshot,
  SourceInstant,
  SourceObserver,
  TicketChange,
} from '../../board/sources/ticket-source.ts';

export interface RecordedChange extends TicketChange {
  readonly madeAtMs: number;
}

/** How many tickets of a kind there are: by event, code, and whether they are valid and have entered. */
export type KindCounts = Readonly<Record<string, number>>;

export function kindOf(eventId: string, { setor, entrou, isValidTicket }: TicketKind): string {
  return `${eventId} ${setor} ${entrou ? 'in' : 'out'}${isValidTicket ? '' : ' invalid'}`;
}

type Member = Exclude<keyof SourceObserver, 'position'>;

/**
 * Observes a source, keeps what it is notified of, and finds what no source may do, whatever happens to it (`breaches`):
 * that is looked at when a test is over.
 */
export class SourceRecorder implements SourceObserver {
  readonly breaches: string[] = [];
  readonly snapshots: Snapshot[] = [];
  /** The changes of each commit that had some. */
  readonly commits: (readonly RecordedChange[])[] = [];
  readonly documents = new Map<string, readonly SectorDocument[]>();
  readonly metadataOf = new Map<string, EventDetails | undefined>();
  readonly caughtUp: SourceInstant[] = [];
  readonly stales: { readonly reason: StaleReason; readonly sinceMs: number }[] = [];
  /** The state at the last commit. */
  counts: KindCounts = {};
  position: LogPosition | undefined;
  isLive = false;
  /** Asserts that the observer is notified no more. */
  isOver = false;
  /** The member that throws when it is called next, once. */
  throwsAt: Member | undefined;
  #counting = new Map<string, number>();
  #changes: RecordedChange[] = [];
  #hasSnapshot = false;
  #caughtUpToMs = -Infinity;

  snapshot(snapshot: Snapshot): void {
    this.#called('snapshot', true);
    this.#goTo(snapshot.position);
    this.#hasSnapshot = true;
    this.snapshots.push(snapshot);
    this.#changes = [];
    this.#counting = new Map();
    for (const { eventId, ticket, count } of snapshot.groups) this.#count(eventId, ticket, count);
    this.#publish();
    for (const eventId of this.documents.keys()) this.documents.set(eventId, []);
    for (const [eventId, documents] of snapshot.sectors) this.documents.set(eventId, documents);
  }

  change(change: TicketChange, madeAtMs: number): void {
    this.#called('change');
    this.#madeAt(madeAtMs);
    this.#changes.push({ ...change, madeAtMs });
    const { before, after } = change;
    if (before) this.#count(before.eventId, before, -1);
    if (after) this.#count(after.eventId, after, 1);
  }

  truncate(madeAtMs: number): void {
    this.#called('truncate');
    this.#madeAt(madeAtMs);
    this.#counting.clear();
  }

  restored(): void {
    this.#called('restored');
  }

  commit(point: bigint): void {
    this.#called('commit');
    if (this.position !== undefined) this.#goTo(withPoint(this.position, point));
    if (this.#changes.length > 0) this.commits.push(this.#changes);
    this.#changes = [];
    this.#publish();
  }

  sectorDocuments(eventId: string, documents: readonly SectorDocument[]): void {
    this.#called('sectorDocuments');
    if (this.#changes.length > 0) this.breaches.push('documents came within a commit');
    this.documents.set(eventId, documents);
  }

  metadata(eventId: string, metadata: EventDetails | undefined, position: LogPosition): void {
    this.#called('metadata');
    const snapshot = this.snapshots.at(-1);
    if (snapshot && isEarlier(position, snapshot.position))
      this.breaches.push('metadata of an earlier position');
    this.metadataOf.set(eventId, metadata);
  }

  caughtUpTo(instant: SourceInstant): void {
    this.#called('caughtUpTo');
    if (instant.sourceMs < this.#caughtUpToMs) this.breaches.push('caught up to an earlier instant');
    if (instant.readAtMs > performance.now()) this.breaches.push('caught up to an instant to come');
    if (this.#changes.length > 0) this.breaches.push('caught up within a commit');
    this.#caughtUpToMs = instant.sourceMs;
    this.caughtUp.push(instant);
  }

  clockSet(): void {
    if (this.isOver) this.breaches.push('clockSet after the end');
    this.#caughtUpToMs = -Infinity;
  }

  live(): void {
    this.#called('live');
    if (this.isLive) this.breaches.push('live twice');
    this.isLive = true;
  }

  stale(reason: StaleReason, sinceMs: number): void {
    this.#called('stale', true);
    if (sinceMs > performance.now()) this.breaches.push('stale since an instant to come');
    this.isLive = false;
    // A source that only lags goes on where it is.
    if (reason !== 'lag') this.#hasSnapshot = false;
    this.stales.push({ reason, sinceMs });
  }

  #called(member: Member, mayBeFirst = false): void {
    if (this.isOver) this.breaches.push(`${member} after the end`);
    if (!mayBeFirst && !this.#hasSnapshot) this.breaches.push(`${member} before a snapshot`);
    if (this.throwsAt !== member) return;
    this.throwsAt = undefined;
    throw new Error(`the observer throws at ${member}`);
  }

  #madeAt(madeAtMs: number): void {
    if (madeAtMs < this.#caughtUpToMs) this.breaches.push('a change from before what it had caught up to');
  }

  #goTo(position: LogPosition): void {
    if (this.position !== undefined && isEarlier(position, this.position))
      this.breaches.push(`from ${this.position} back to ${position}`);
    this.position = position;
  }

  #count(eventId: string, ticket: TicketKind | ObservedTicket, weight: number): void {
    const kind = kindOf(eventId, ticket);
    const count = (this.#counting.get(kind) ?? 0) + weight;
    if (count < 0) this.breaches.push(`less than no ticket: ${kind}`);
    if (count === 0) this.#counting.delete(kind);
    else this.#counting.set(kind, count);
  }

  #publish(): void {
    this.counts = Object.fromEntries(this.#counting);
  }
}
