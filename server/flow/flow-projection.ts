import { performance } from 'node:perf_hooks';
import type { FlowSeries, SectorChange } from '../../domain/flow/flow-series.ts';
import type { Minute } from '../../domain/flow/minute.ts';
import type { Row } from '../../domain/event-state.ts';
import type { TicketKind } from '../../domain/tally.ts';
import type { FlowClock } from './flow-clock.ts';
import type {
  ClockReading,
  FeedObserver,
  ObservedTicket,
  Snapshot,
  TicketChange,
} from '../observing/ticket-feed.ts';

export interface FlowProjectionOptions {
  readonly eventId: string;
  /** Of the venue. The sector of a ticket is the place of its row; codes of no row come last, together. */
  readonly rows: readonly Row[];
  readonly series: FlowSeries;
  readonly clock: FlowClock;
  /** These became known. */
  readonly onMinutes: (minutes: readonly Minute[]) => void;
  /** The database's clock was set by so much, in milliseconds. */
  readonly onClockSet: (byMs: number) => void;
  /** The tickets are watched again, and were not in between. */
  readonly onInterrupted: (fromMs: number, toMs: number) => void;
}

/** A clock that is so much further, or less far, than the time that went by has been set. */
const CLOCK_SET_MS = 5_000;

/** An answer that takes longer says less of the clock than a quicker one before it. */
const SLOW_ANSWER_MS = 1_000;

/**
 * A commit takes its time a moment before it stands in the log. One that stands there so much later is still counted in
 * its own minute; it costs that a minute is known later by as much.
 */
const COMMIT_DELAY_MS = 1_000;

/** What a commit does to a sector, while its changes come. */
type Pending = { -readonly [Key in keyof SectorChange]: SectorChange[Key] };

/** Projects what a feed tells onto the series of one event: what entered, by commit time. */
export class FlowProjection implements Pick<
  FeedObserver,
  'snapshot' | 'change' | 'truncate' | 'restored' | 'commit' | 'reached'
> {
  readonly #options: FlowProjectionOptions;
  readonly #sectorOf: ReadonlyMap<string, number>;
  readonly #others: number;
  /** By sector, with the changes of the transaction that is being told. */
  readonly #totals: { admitted: number; valid: number }[];
  #pending: (Pending | undefined)[] = [];
  #touched: Pending[] = [];
  /** The transaction that is being told comes from a backup. */
  #isRestored = false;
  #reading: ClockReading | undefined;
  /** By the database's clock: all that was committed by then has been told. */
  #watchedUntilMs: number | undefined;
  /** By the clock as it was set last: what was told until then has its place by the clock before, and counts already. */
  #countedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: FlowProjectionOptions) {
    this.#options = options;
    const { rows } = options;
    this.#sectorOf = new Map(
      rows.flatMap(({ codes }, sector) => codes.map((code) => [code, sector] as const)),
    );
    this.#others = rows.length;
    this.#totals = Array.from({ length: rows.length + 1 }, () => ({ admitted: 0, valid: 0 }));
  }

  /** Whether the event has a ticket that counts in anything. */
  get hasTickets(): boolean {
    return this.#totals.some(({ admitted, valid }) => admitted > 0 || valid > 0);
  }

  /** By the flow's clock. */
  get nowMs(): number {
    return this.#options.clock(this.#databaseNowMs());
  }

  snapshot({ clock, groups }: Snapshot): void {
    const { eventId, series, onInterrupted } = this.#options;
    this.#pending = [];
    this.#touched = [];
    this.#isRestored = false;
    for (const total of this.#totals) Object.assign(total, { admitted: 0, valid: 0 });
    for (const { eventId: of, ticket, count } of groups) {
      if (of !== eventId) continue;
      const total = this.#totals[this.#sector(ticket)];
      if (!total) continue;
      if (ticket.entrou) total.admitted += count;
      if (ticket.isValidTicket) total.valid += count;
    }
    this.#read(clock);
    this.#countedUntilMs = Number.NEGATIVE_INFINITY;
    const nowMs = this.#options.clock(clock.databaseMs);
    series.begin(nowMs, this.#totals);
    if (this.#watchedUntilMs !== undefined) onInterrupted(this.#options.clock(this.#watchedUntilMs), nowMs);
    this.#watchedUntilMs = clock.databaseMs;
  }

  change(change: TicketChange): void {
    const { eventId } = this.#options;
    const before = change.before?.eventId === eventId ? change.before : undefined;
    const after = change.after?.eventId === eventId ? change.after : undefined;
    if (!before && !after) return;
    if (before && after && before.setor === after.setor) {
      this.#countWithin(before, after);
      return;
    }
    if (before) this.#count(before, -1);
    if (after) this.#count(after, 1);
    const wasIn = change.before?.entrou === true;
    const isIn = change.after?.entrou === true;
    if (wasIn && isIn) {
      // To another sector or event, and inside all the while.
      if (before) this.#of(before).moved -= 1;
      if (after) this.#of(after).moved += 1;
    } else if (isIn && after) {
      this.#of(after).entered += 1;
    } else if (wasIn && before) {
      this.#of(before).reverted += 1;
    }
  }

  truncate(): void {
    for (const [sector, total] of this.#totals.entries()) {
      const pending = this.#ofSector(sector);
      pending.admitted -= total.admitted;
      pending.reverted += total.admitted;
      pending.valid -= total.valid;
      Object.assign(total, { admitted: 0, valid: 0 });
    }
  }

  restored(eventId: string | undefined): void {
    if (eventId === undefined || eventId === this.#options.eventId) this.#isRestored = true;
  }

  commit(_lsn: bigint, committedAtMs: number): void {
    const isRestored = this.#isRestored;
    this.#isRestored = false;
    if (this.#touched.length === 0) return;
    const { series, clock } = this.#options;
    const changes = this.#touched;
    this.#touched = [];
    this.#pending = [];
    // A subscription brings the time of another server, whose clock may be ahead.
    const atMs = clock(Math.min(committedAtMs, this.#databaseNowMs()));
    if (!isRestored) return series.commit(atMs, changes);
    // Who entered in this minute is not known: as where the clock is set, watching begins anew with what there is now.
    series.interrupt(atMs);
    series.begin(atMs, this.#totals);
  }

  reached(reading: ClockReading): void {
    const { series, clock, onMinutes } = this.#options;
    this.#read(reading);
    this.#watchedUntilMs = reading.databaseMs;
    const toldUntilMs = reading.databaseMs - COMMIT_DELAY_MS;
    if (toldUntilMs < this.#countedUntilMs) return;
    const known = series.pass(clock(toldUntilMs));
    if (known.length > 0) onMinutes(known);
  }

  #read(reading: ClockReading): void {
    const last = this.#reading;
    if (!last) {
      this.#reading = reading;
      return;
    }
    const byMs = leastSetMs(last, reading);
    if (Math.abs(byMs) < CLOCK_SET_MS) {
      const tookMs = durationMs(reading);
      if (tookMs <= SLOW_ANSWER_MS || tookMs <= durationMs(last)) this.#reading = reading;
      return;
    }
    this.#reading = reading;
    const { series, clock, onClockSet } = this.#options;
    series.interrupt(clock(last.databaseMs + reading.readAtMs - last.readAtMs));
    this.#countedUntilMs = this.#databaseNowMs();
    onClockSet(byMs);
  }

  /** The database's clock now, as far as it can be told from its last reading; before the first one, this machine's. */
  #databaseNowMs(): number {
    const reading = this.#reading;
    return reading ? reading.databaseMs + performance.now() - reading.readAtMs : Date.now();
  }

  /** What nearly every change does: it leaves the ticket in its sector. */
  #countWithin(before: ObservedTicket, after: ObservedTicket): void {
    const pending = this.#of(after);
    const total = this.#totals[pending.sector];
    if (!total) return;
    const admitted = Number(after.entrou) - Number(before.entrou);
    const valid = Number(after.isValidTicket) - Number(before.isValidTicket);
    pending.admitted += admitted;
    total.admitted += admitted;
    pending.valid += valid;
    total.valid += valid;
    if (admitted > 0) pending.entered += 1;
    else if (admitted < 0) pending.reverted += 1;
  }

  /** The ticket appears, or disappears. */
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
  }

  #of(ticket: ObservedTicket): Pending {
    return this.#ofSector(this.#sector(ticket));
  }

  #ofSector(sector: number): Pending {
    let pending = this.#pending[sector];
    if (!pending) {
      pending = { sector, admitted: 0, entered: 0, reverted: 0, moved: 0, valid: 0 };
      this.#pending[sector] = pending;
      this.#touched.push(pending);
    }
    return pending;
  }

  #sector({ setor }: TicketKind): number {
    return (setor === null ? undefined : this.#sectorOf.get(setor)) ?? this.#others;
  }
}

/** By how much the clock was set between two readings, at least: each was taken between its question and its answer. */
function leastSetMs(last: ClockReading, next: ClockReading): number {
  const leastMs = last.databaseMs + next.readAtMs - last.answeredAtMs;
  const mostMs = last.databaseMs + next.answeredAtMs - last.readAtMs;
  return next.databaseMs - Math.min(Math.max(next.databaseMs, leastMs), mostMs);
}

function durationMs({ readAtMs, answeredAtMs }: ClockReading): number {
  return answeredAtMs - readAtMs;
}
