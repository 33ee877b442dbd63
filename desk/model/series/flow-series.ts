import { Boundaries } from './boundaries.ts';
import { ClockRuns } from './clock-runs.ts';
import { ConfirmedMinutes } from './confirmed-minutes.ts';
import { LastEntries } from './last-entries.ts';
import { type LateBatch, Uploads } from './late-batches.ts';
import { BUCKET_MS, bucketOf, KEPT_MS, type Minute, MINUTE_MS, minuteOf } from './minute.ts';
import { type BucketChanges, PendingChanges } from './pending-changes.ts';
import { RecentLateBatches } from './recent-late-batches.ts';
import { RunningMinute } from './running-minute.ts';
import { SeriesAt } from './series-at.ts';
import type { SectorTotals, SeriesReading } from './series-reading.ts';

/** What one commit changed in one sector; a commit names each sector once. `admitted` is `entered - reverted + moved`. */
export interface SectorChange {
  /** The index of the venue's row; the last index is that of the others. */
  readonly sector: number;
  readonly admitted: number;
  /** Tickets that became admitted, or appeared so. */
  readonly entered: number;
  /** Admitted tickets that are so no longer, or disappeared. */
  readonly reverted: number;
  /** Admitted tickets that came from other sectors and events, less those that went there. */
  readonly moved: number;
  readonly valid: number;
  /** The change of those admitted whose ticket is not valid; absent: none. */
  readonly invalid?: number;
}

export interface FlowSeriesOptions {
  readonly sectorCount: number;
  /** Is called once for each late batch: at its commit, at the boundary after several commits, or with the whole minute. */
  readonly onLateBatch?: (batch: LateBatch) => void;
  /** Is called for each boundary in order; `behindMs`: by how much the series has advanced beyond it. */
  readonly onBoundary?: (boundaryMs: number, behindMs: number) => void;
}

/** A commit that is further ahead of the clock than this was made before the clock was set. */
const AHEAD_MS = MINUTE_MS;

/**
 * One event over time, counted at boundaries: the multiples of ten seconds. A boundary is observed if every commit before
 * it has been passed on by the time that the series advances to it. A minute is confirmed if both its ends were observed,
 * or if the record has it. All times are milliseconds since 1970 by the flow's clock.
 *
 *                begin                       interrupt
 *   before it ──────────► within a run of ──────────────► between two runs
 *                         the clock       ◄──────────────
 *                                           advanceTo, begin
 */
export class FlowSeries implements SeriesReading {
  readonly sectorCount: number;
  readonly #onLateBatch: (batch: LateBatch) => void;
  readonly #onBoundary: (boundaryMs: number, behindMs: number) => void;
  readonly #clockRuns = new ClockRuns();
  readonly #confirmed: ConfirmedMinutes;
  readonly #boundaries: Boundaries;
  readonly #lots = new RecentLateBatches();
  readonly #uploads: Uploads;
  readonly #pending: PendingChanges;
  readonly #running: RunningMinute;
  readonly #admitted: Int32Array;
  readonly #valid: Int32Array;
  readonly #invalid: Int32Array;
  readonly #lastEntries = new LastEntries();
  /** The end of the running bucket; `undefined` before `begin`. */
  #nextMs: number | undefined;
  /** The minute in which observation began. */
  #firstMinuteMs: number | undefined;
  /** Whether the sectors counted other tickets before that. */
  #isCutBeforeFirst = false;
  #isBetweenRuns = false;
  /** Where the current run of the clock begins: no flow is known across it. */
  #runFromMs = -Infinity;

  constructor({
    sectorCount,
    onLateBatch = () => undefined,
    onBoundary = () => undefined,
  }: FlowSeriesOptions) {
    this.sectorCount = sectorCount;
    this.#onLateBatch = onLateBatch;
    this.#onBoundary = onBoundary;
    this.#confirmed = new ConfirmedMinutes(sectorCount, this.#clockRuns, (batch) => {
      this.#lots.addMinute(batch.sector, batch.atMs, batch.count);
      if (batch.count > 0) this.#lastEntries.forget(batch.sector, batch.atMs, MINUTE_MS);
      onLateBatch(batch);
    });
    this.#uploads = new Uploads(sectorCount);
    this.#boundaries = new Boundaries(sectorCount);
    this.#pending = new PendingChanges(sectorCount);
    this.#running = new RunningMinute(sectorCount);
    this.#admitted = new Int32Array(sectorCount);
    this.#valid = new Int32Array(sectorCount);
    this.#invalid = new Int32Array(sectorCount);
  }

  /**
   * Observation begins, or resumes after a break, with the totals of each sector at `atMs`. Boundaries between the last one
   * and `atMs` were not observed. If there are none, the difference counts in the running bucket. A minute that began after
   * `sharedUntilMs` is not confirmed: its beginning was counted of tickets that another server had, and this one has not.
   * `isRestored`: nobody entered, however many more are in.
   */
  begin(atMs: number, totals: readonly SectorTotals[], sharedUntilMs = Infinity, isRestored = false): void {
    if (totals.length !== this.sectorCount) {
      throw new RangeError(`totals of ${totals.length} sectors, not of ${this.sectorCount}`);
    }
    for (const [sector, { admitted, valid, invalid = 0 }] of totals.entries()) {
      if (this.#nextMs !== undefined && !isRestored && admitted > at(this.#admitted, sector))
        this.#lastEntries.set(sector, atMs);
      this.#admitted[sector] = admitted;
      this.#valid[sector] = valid;
      this.#invalid[sector] = invalid;
    }
    if (this.#nextMs === undefined) this.#noteUnobserved();
    const firstMs = boundaryFrom(atMs);
    if (this.#isBetweenRuns) this.#startRun(firstMs);
    else if (this.#nextMs === undefined || firstMs > this.#nextMs) this.#goTo(firstMs);
    this.#firstMinuteMs ??= this.#minuteMs;
    if (this.#isCutBeforeFirst) this.#confirmed.cutBefore(this.#firstMinuteMs);
    this.#settleAll();
    if (this.#minuteMs > sharedUntilMs) this.#running.disownStart();
    this.#running.resume(this.#admitted, this.#valid);
  }

  /** Takes commits in the order of the log, after `begin`. One that is earlier than the last boundary counts in the running bucket. */
  commit(atMs: number, changes: readonly SectorChange[]): void {
    if (this.#nextMs === undefined) throw new Error('a commit came before the totals');
    if (changes.length === 0) return;
    const bucketMs = bucketOf(atMs);
    const isLate = !this.#isBetweenRuns && bucketMs < this.#nextMs - BUCKET_MS;
    if (isLate) this.#clockRuns.visit(minuteOf(atMs));
    const countedMs = isLate ? this.#nextMs - BUCKET_MS : bucketMs;
    const bucket = this.#pending.at(countedMs);
    for (const change of changes) {
      this.#count(change, bucket);
      const { sector, admitted, entered, moved } = change;
      const count = admitted - moved;
      if (moved !== 0) this.#lots.addToBucket(sector, countedMs, moved);
      if (this.#isLateBatch(sector, count, countedMs)) {
        this.#addLateBatch(bucket, countedMs, { sector, atMs, count });
      } else {
        bucket.lastAtMs[sector] = Math.max(at(bucket.lastAtMs, sector), atMs);
        if (entered > 0) this.#lastEntries.set(sector, atMs, countedMs);
      }
    }
  }

  /** Every commit before `atMs` has been passed on. Returns the minutes that this confirms, in order. */
  advanceTo(atMs: number): readonly Minute[] {
    if (this.#nextMs === undefined) return [];
    // After a day without an update the clock counts as set.
    if (atMs - this.#nextMs > KEPT_MS) this.interrupt(this.#nextMs);
    if (this.#isBetweenRuns) {
      this.#startRun(boundaryFrom(atMs));
      this.#settleAll(atMs);
    }
    const confirmed: Minute[] = [];
    while (this.#nextMs <= atMs) {
      const boundaryMs = this.#nextMs;
      const minute = this.#passBoundary(boundaryMs);
      if (minute) confirmed.push(minute);
      this.#onBoundary(boundaryMs, atMs - boundaryMs);
    }
    return confirmed;
  }

  /**
   * The clock was set, or the totals changed without entries. Without that the clock would read `expectedMs` now. That minute
   * stays unconfirmed, and so do the unconfirmed minutes that the clock runs through again. The next `begin` or `advanceTo`
   * gives the new time.
   */
  interrupt(expectedMs: number): void {
    if (this.#nextMs === undefined) return;
    this.#settleAll();
    if (!this.#isBetweenRuns) this.#clockRuns.end(minuteOf(expectedMs));
    this.#isBetweenRuns = true;
  }

  /**
   * Takes minutes from the record, before or after `begin`: they replace those observed here, and their ends count as
   * observed. Returns the minutes after them that this confirms, in order: none that had ended by `sinceMs`, when the record's
   * event was not here yet.
   */
  restore(minutes: readonly Minute[], sinceMs = -Infinity): readonly Minute[] {
    this.#lastEntries.restore(minutes);
    this.#lots.restore(minutes);
    const nowMs = this.#nextMs === undefined ? undefined : this.#minuteMs;
    const confirmed = this.#confirmed.restore(minutes, { nowMs, sinceMs });
    if (nowMs !== undefined) this.#noteUnobserved();
    return confirmed;
  }

  /** Minutes from before observation began are of sectors that counted other tickets: no flow is known across. */
  cutBeforeFirst(): void {
    this.#isCutBeforeFirst = true;
    if (this.#firstMinuteMs !== undefined) this.#confirmed.cutBefore(this.#firstMinuteMs);
  }

  get lastBoundaryMs(): number | undefined {
    return this.#nextMs === undefined ? undefined : this.#nextMs - BUCKET_MS;
  }

  get totals(): readonly SectorTotals[] {
    return Array.from(this.#admitted, (admitted, sector) => {
      return { admitted, valid: at(this.#valid, sector), invalid: at(this.#invalid, sector) };
    });
  }

  /** Returns the confirmed minutes that begin in [fromMs, toMs), in order. */
  minutes(fromMs: number, toMs: number): readonly Minute[] {
    return this.#confirmed.minutes(fromMs, toMs);
  }

  /** Returns the series as of the end of a minute, from confirmed minutes alone; `undefined` without any before it. */
  at(endMs: number): { readonly newestMs: number; readonly series: SeriesReading } | undefined {
    const newestMs = this.#confirmed.confirmedMs(0, endMs).at(-1);
    const [newest] = newestMs === undefined ? [] : this.#confirmed.minutes(newestMs, newestMs + 1);
    return newest && { newestMs: newest.minuteMs, series: new SeriesAt(this.#confirmed, newest, endMs) };
  }

  confirmedMs(fromMs: number, toMs: number): readonly number[] {
    return this.#confirmed.confirmedMs(fromMs, toMs);
  }

  isConfirmed(minuteMs: number): boolean {
    return this.#confirmed.isConfirmed(minuteMs);
  }

  flow(minuteMs: number, sector?: number): number | undefined {
    return this.#confirmed.flow(minuteMs, sector);
  }

  admittedAt(boundaryMs: number, sector: number): number | undefined {
    return this.#boundaries.admittedAt(boundaryMs, sector) ?? this.#confirmed.admittedAt(boundaryMs, sector);
  }

  flowBetween(fromMs: number, toMs: number, sector: number): number | undefined {
    if (fromMs < this.#runFromMs) return undefined;
    const before = this.admittedAt(fromMs, sector);
    const after = this.admittedAt(toMs, sector);
    if (before === undefined || after === undefined) return undefined;
    return after - before - this.#lots.sum(sector, fromMs, toMs, (ms) => this.admittedAt(ms, sector));
  }

  /** Leaves what came before `fromMs` out of the best rates. */
  countBestFrom(fromMs: number): void {
    this.#confirmed.countBestFrom(minuteOf(fromMs));
  }

  bestRate(sector?: number): number | undefined {
    return this.#confirmed.bestRate(sector);
  }

  lastEntryAtMs(sector: number): number | undefined {
    return this.#lastEntries.atMs(sector);
  }

  /** The beginning of the running minute. */
  get #minuteMs(): number {
    return minuteOf((this.#nextMs ?? 0) - BUCKET_MS);
  }

  #count(
    { sector, admitted, entered, reverted, valid, invalid = 0 }: SectorChange,
    bucket: BucketChanges,
  ): void {
    this.#admitted[sector] = at(this.#admitted, sector) + admitted;
    this.#valid[sector] = at(this.#valid, sector) + valid;
    this.#invalid[sector] = at(this.#invalid, sector) + invalid;
    bucket.admitted[sector] = at(bucket.admitted, sector) + admitted;
    bucket.valid[sector] = at(bucket.valid, sector) + valid;
    bucket.entered[sector] = at(bucket.entered, sector) + entered;
    bucket.reverted[sector] = at(bucket.reverted, sector) + reverted;
  }

  /** Whoever is in and was not at the end of the last known minute has entered since, at a time that nobody observed. */
  #noteUnobserved(): void {
    const newestMs = this.#confirmed.confirmedMs(0, Infinity).at(-1);
    if (newestMs === undefined || this.#isCutBeforeFirst) return;
    const [fromMs, known = []] = [newestMs + MINUTE_MS, this.#confirmed.admittedAtEnd(newestMs)];
    // What came after an end that was observed here, or still is to be, was observed, too: it may be a late batch.
    const isToCome = this.#nextMs !== undefined && fromMs >= this.#nextMs;
    if (isToCome || this.#boundaries.admittedAt(fromMs, 0) !== undefined) return;
    for (const [sector, admitted] of this.#admitted.entries()) {
      if (admitted > (known[sector] ?? 0)) this.#lastEntries.noteBy(sector, fromMs);
    }
  }

  #isLateBatch(sector: number, count: number, bucketMs: number): boolean {
    const valid = at(this.#valid, sector);
    return this.#confirmed.isLateBatch(sector, count, valid) || this.#isUpload(sector, count, bucketMs);
  }

  #isUpload(sector: number, count: number, bucketMs: number): boolean {
    const isAtOnce = this.#confirmed.isAtOnce(sector, count, at(this.#valid, sector));
    return isAtOnce && this.#uploads.isOne(sector, count, bucketMs);
  }

  #addLateBatch(bucket: BucketChanges, bucketMs: number, batch: LateBatch): void {
    const { sector, count } = batch;
    bucket.lots[sector] = at(bucket.lots, sector) + count;
    this.#lots.addToBucket(sector, bucketMs, count);
    this.#onLateBatch(batch);
  }

  #passBoundary(boundaryMs: number): Minute | undefined {
    const bucketMs = boundaryMs - BUCKET_MS;
    const changes = this.#pending.take(bucketMs);
    if (changes) {
      this.#findUploads(changes, bucketMs);
      this.#running.add(changes);
    }
    this.#boundaries.set(boundaryMs, this.#running.admitted);
    const endedMs = this.#minuteMs;
    this.#nextMs = boundaryMs + BUCKET_MS;
    if (this.#minuteMs === endedMs) return undefined;
    const isNew = endedMs >= (this.#firstMinuteMs ?? endedMs);
    const minute = isNew ? this.#confirmed.end(endedMs, this.#running) : undefined;
    this.#running.start(true);
    this.#clockRuns.advanceTo(this.#minuteMs);
    return minute;
  }

  /** Finds entries of several commits that came faster than turnstiles can pass people. */
  #findUploads(changes: BucketChanges, bucketMs: number): void {
    for (const [sector, entered] of changes.entered.entries()) {
      const count = entered - at(changes.reverted, sector) - at(changes.lots, sector);
      if (!this.#isUpload(sector, count, bucketMs)) continue;
      if (count > 0) this.#lastEntries.forget(sector, bucketMs, BUCKET_MS);
      this.#addLateBatch(changes, bucketMs, { sector, atMs: at(changes.lastAtMs, sector), count });
    }
  }

  /** Makes `firstMs` the next observed boundary. */
  #goTo(firstMs: number): void {
    const beforeMs = this.#nextMs === undefined ? undefined : this.#minuteMs;
    this.#nextMs = firstMs;
    if (this.#minuteMs !== beforeMs) this.#running.start(false);
    this.#clockRuns.advanceTo(this.#minuteMs);
  }

  #startRun(firstMs: number): void {
    this.#isBetweenRuns = false;
    this.#boundaries.clear();
    this.#lots.clear();
    this.#runFromMs = firstMs;
    this.#goTo(firstMs);
    this.#running.start(false);
  }

  /** Counts all pending changes now, except those within a minute after `atMs`. */
  #settleAll(atMs = -Infinity): void {
    for (const bucketMs of this.#pending.bucketsMs()) {
      if (bucketMs >= boundaryFrom(atMs) - BUCKET_MS && bucketMs <= atMs + AHEAD_MS) continue;
      const changes = this.#pending.take(bucketMs);
      if (!changes) continue;
      this.#clockRuns.visit(minuteOf(bucketMs));
      if (minuteOf(bucketMs) < this.#minuteMs) changes.lots.fill(0);
      this.#running.add(changes);
    }
  }
}

function boundaryFrom(atMs: number): number {
  return Math.ceil(atMs / BUCKET_MS) * BUCKET_MS;
}

function at(column: Int32Array | Float64Array, sector: number): number {
  const value = column[sector];
  if (value === undefined) throw new RangeError(`there is no sector ${sector}`);
  return value;
}
