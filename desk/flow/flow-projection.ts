import { performance } from 'node:perf_hooks';
import type { FlowSeries, SectorChange } from '../model/series/flow-series.ts';
import { type Minute, MINUTE_MS } from '../model/series/minute.ts';
import type { Row, StaleReason } from '../../domain/event-state.ts';
import type { TicketKind } from '../../domain/tally.ts';
import { isNextTimeline, type LogPosition, shortTimelineAt } from '../../domain/log-position.ts';
import type { FlowClock } from './flow-clock.ts';
import type {
  ObservedTicket,
  Snapshot,
  SourceInstant,
  SourceObserver,
  TicketChange,
} from '../../board/sources/ticket-source.ts';

export interface FlowProjectionOptions {
  readonly eventId: string;
  /** The venue's rows, whose indexes are the sectors; all other codes share the index after the last. */
  readonly rows: readonly Row[];
  readonly series: FlowSeries;
  readonly clock: FlowClock;
  /** Receives confirmed minutes. */
  readonly onMinutes: (minutes: readonly Minute[]) => void;
  /** The tickets were not observed between these times, and are again. */
  readonly onInterrupted: (fromMs: number, toMs: number) => void;
}

/** The sum of a sector's changes that were made at one time. */
type Pending = { -readonly [Key in keyof SectorChange]-?: SectorChange[Key] };

/** A former primary's minutes are recorded by then, if whoever watched it can reach the record. */
const RECENT_MS = 5 * MINUTE_MS;

const NONE = { admitted: 0, valid: 0, invalid: 0 };

/** Projects the changes of a source onto the series of one event, by the time of each change. */
export class FlowProjection implements Pick<
  SourceObserver,
  'snapshot' | 'change' | 'truncate' | 'restored' | 'commit' | 'caughtUpTo' | 'clockSet' | 'stale'
> {
  readonly #options: FlowProjectionOptions;
  readonly #sectorOf: ReadonlyMap<string, number>;
  readonly #others: number;
  /** Totals by sector, with the changes of the current commit. */
  readonly #totals: { admitted: number; valid: number; invalid: number }[];
  /** The changes of the current commit by the time when they were made; `#pending`: those of the last time, by sector. */
  #made: { readonly madeAtMs: number; readonly changes: Pending[] }[] = [];
  #pending: (Pending | undefined)[] = [];
  /** Whether the current commit restores a backup. */
  #isRestored = false;
  #instant: SourceInstant | undefined;
  /** The position of the last snapshot. */
  #position: LogPosition | undefined;
  /** Since when the tickets have not been observed, by the source's clock; `undefined` while they are. */
  #staleSinceMs: number | undefined;
  /** Changes up to here, by the clock as it was last set, have been counted by the clock before. */
  #countedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: FlowProjectionOptions) {
    this.#options = options;
    const { rows } = options;
    this.#sectorOf = new Map(
      rows.flatMap(({ codes }, sector) => codes.map((code) => [code, sector] as const)),
    );
    this.#others = rows.length;
    this.#totals = Array.from({ length: rows.length + 1 }, () => ({ ...NONE }));
  }

  /** Whether the event has an admitted or valid ticket. */
  get hasTickets(): boolean {
    return this.#totals.some(({ admitted, valid }) => admitted > 0 || valid > 0);
  }

  /** The time of the flow's clock. */
  get nowMs(): number {
    return this.#options.clock(this.#sourceNowMs());
  }

  /** How long it is since `monotonicMs` by the flow's clock, which may run faster. */
  elapsedMsSince(monotonicMs: number): number {
    return this.nowMs - this.#options.clock(this.#sourceMsAt(monotonicMs));
  }

  snapshot({ takenAt, groups, position, replayedMs }: Snapshot): void {
    const { eventId, series, onInterrupted } = this.#options;
    this.#made = [];
    this.#isRestored = false;
    for (const total of this.#totals) Object.assign(total, NONE);
    for (const { eventId: of, ticket, count } of groups) {
      if (of !== eventId) continue;
      const total = this.#totals[this.#sector(ticket)];
      if (!total) continue;
      if (ticket.entrou) total.admitted += count;
      if (ticket.isValidTicket) total.valid += count;
      if (isInvalidInside(ticket)) total.invalid += count;
    }
    this.#instant = takenAt;
    this.#countedUntilMs = Number.NEGATIVE_INFINITY;
    const nowMs = this.#options.clock(takenAt.sourceMs);
    series.begin(nowMs, this.#totals, this.#sharedUntilMs(position, replayedMs));
    this.#position = position;
    if (this.#staleSinceMs !== undefined) onInterrupted(this.#options.clock(this.#staleSinceMs), nowMs);
    this.#staleSinceMs = undefined;
  }

  change(change: TicketChange, madeAtMs: number): void {
    const { eventId } = this.#options;
    const before = change.before?.eventId === eventId ? change.before : undefined;
    const after = change.after?.eventId === eventId ? change.after : undefined;
    if (!before && !after) return;
    this.#turnTo(madeAtMs);
    if (before && after && before.setor === after.setor) {
      this.#countWithin(before, after);
      return;
    }
    if (before) this.#count(before, -1);
    if (after) this.#count(after, 1);
    const wasIn = change.before?.entrou === true;
    const isIn = change.after?.entrou === true;
    if (wasIn && isIn) {
      // The holder moves to another sector or event while inside.
      if (before) this.#of(before).moved -= 1;
      if (after) this.#of(after).moved += 1;
    } else if (isIn && after) {
      this.#of(after).entered += 1;
    } else if (wasIn && before) {
      this.#of(before).reverted += 1;
    }
  }

  truncate(madeAtMs: number): void {
    this.#turnTo(madeAtMs);
    for (const [sector, total] of this.#totals.entries()) {
      const pending = this.#ofSector(sector);
      pending.admitted -= total.admitted;
      pending.reverted += total.admitted;
      pending.valid -= total.valid;
      pending.invalid -= total.invalid;
      Object.assign(total, NONE);
    }
  }

  restored(eventId: string | undefined): void {
    if (eventId === undefined || eventId === this.#options.eventId) this.#isRestored = true;
  }

  commit(): void {
    const [isRestored, made] = [this.#isRestored, this.#made];
    this.#isRestored = false;
    this.#made = [];
    const { series, clock } = this.#options;
    for (const { madeAtMs, changes } of made.toSorted((one, other) => one.madeAtMs - other.madeAtMs)) {
      // The clock of the server where a change was made may be ahead.
      const atMs = clock(Math.min(madeAtMs, this.#sourceNowMs()));
      if (!isRestored) {
        series.commit(atMs, changes);
        continue;
      }
      // Entries of this minute are unknown: as after a set clock, observation restarts with the current totals.
      series.interrupt(atMs);
      series.begin(atMs, this.#totals, Infinity, true);
    }
  }

  caughtUpTo(instant: SourceInstant): void {
    const { series, clock, onMinutes } = this.#options;
    this.#instant = instant;
    if (instant.sourceMs < this.#countedUntilMs) return;
    const known = series.advanceTo(clock(instant.sourceMs));
    if (known.length > 0) onMinutes(known);
  }

  clockSet(_byMs: number, now: SourceInstant): void {
    const { series, clock } = this.#options;
    // The time that the clock would read had it not been set.
    if (this.#instant) series.interrupt(clock(this.#sourceMsAt(now.readAtMs)));
    this.#instant = now;
    this.#countedUntilMs = this.#sourceNowMs();
  }

  stale(_reason: StaleReason, sinceMs: number): void {
    // Before the first snapshot, nothing is interrupted.
    if (this.#instant) this.#staleSinceMs = this.#sourceMsAt(sinceMs);
  }

  /** Returns until when what was counted before is also of the server of this snapshot. */
  #sharedUntilMs(position: LogPosition, replayedMs: number | null): number {
    if (this.#position === undefined) {
      // Of the minutes recorded since, one may be of the former primary, whose counts this server may lack in part.
      const isRecent = replayedMs !== null && this.#sourceNowMs() - replayedMs < RECENT_MS;
      return isRecent ? this.#options.clock(replayedMs) : Infinity;
    }
    if (shortTimelineAt(this.#position) === shortTimelineAt(position)) return Infinity;
    // A server that was promoted twice since, or gone back to, has replayed something else last.
    const isNext = isNextTimeline(position, this.#position);
    return isNext && replayedMs !== null ? this.#options.clock(replayedMs) : -Infinity;
  }

  #sourceNowMs(): number {
    return this.#sourceMsAt(performance.now());
  }

  /** Extrapolates the source's clock from its last instant, before the first one this machine's. */
  #sourceMsAt(monotonicMs: number): number {
    const { sourceMs, readAtMs } = this.#instant ?? { sourceMs: Date.now(), readAtMs: performance.now() };
    return sourceMs + monotonicMs - readAtMs;
  }

  /** Starts a new group for changes made at `madeAtMs`. */
  #turnTo(madeAtMs: number): void {
    if (this.#made.at(-1)?.madeAtMs === madeAtMs) return;
    this.#made.push({ madeAtMs, changes: [] });
    this.#pending = [];
  }

  /** Counts a change that leaves the ticket in its sector, as nearly all do. */
  #countWithin(before: ObservedTicket, after: ObservedTicket): void {
    const pending = this.#of(after);
    const total = this.#totals[pending.sector];
    if (!total) return;
    const admitted = Number(after.entrou) - Number(before.entrou);
    const valid = Number(after.isValidTicket) - Number(before.isValidTicket);
    const invalid = Number(isInvalidInside(after)) - Number(isInvalidInside(before));
    pending.admitted += admitted;
    total.admitted += admitted;
    pending.valid += valid;
    total.valid += valid;
    pending.invalid += invalid;
    total.invalid += invalid;
    if (admitted > 0) pending.entered += 1;
    else if (admitted < 0) pending.reverted += 1;
  }

  /** Counts a ticket that appears in a sector or disappears from it. */
  #count(ticket: ObservedTicket, weight: 1 | -1): void {
    const pending = this.#of(ticket);
    const total = this.#totals[pending.sector];
    if (!total) return;
    if (ticket.entrou) {
      pending.admitted += weight;
      total.admitted += weight;
    }
    if (ticket.isValidTicket) {
      pending.valid += weight;
      total.valid += weight;
    }
    if (isInvalidInside(ticket)) {
      pending.invalid += weight;
      total.invalid += weight;
    }
  }

  #of(ticket: ObservedTicket): Pending {
    return this.#ofSector(this.#sector(ticket));
  }

  #ofSector(sector: number): Pending {
    let pending = this.#pending[sector];
    if (!pending) {
      pending = { sector, admitted: 0, entered: 0, reverted: 0, moved: 0, valid: 0, invalid: 0 };
      this.#pending[sector] = pending;
      this.#made.at(-1)?.changes.push(pending);
    }
    return pending;
  }

  #sector({ setor }: TicketKind): number {
    return (setor === null ? undefined : this.#sectorOf.get(setor)) ?? this.#others;
  }
}

function isInvalidInside({ entrou, isValidTicket }: TicketKind): boolean {
  return entrou && !isValidTicket;
}
