import { Boundaries } from './boundaries.ts';
import { ClockRuns } from './clock-runs.ts';
import { KnownMinutes } from './known-minutes.ts';
import { type Lot, Uploads } from './lots.ts';
import { BUCKET_MS, bucketOf, KEPT_MS, type Minute, MINUTE_MS, minuteOf } from './minute.ts';
import { type BucketChanges, PendingChanges } from './pending-changes.ts';
import { RecentLots } from './recent-lots.ts';
import { RunningMinute } from './running-minute.ts';
import { SeriesAt } from './series-at.ts';
import type { SectorTotals, SeriesReading } from './series-reading.ts';

/** What one commit changed in one sector, which is named once in it. `admitted` is `entered - reverted + moved`. */
export interface SectorChange {
  /** Its place among the rows of the venue; behind the last: the others. */
  readonly sector: number;
  readonly admitted: number;
  /** Tickets that became admitted, or appeared so. */
  readonly entered: number;
  /** Admitted tickets that are so no longer, or disappeared. */
  readonly reverted: number;
  /** Admitted tickets that came from other sectors and events, less those that went there. */
  readonly moved: number;
  readonly valid: number;
}

export interface FlowSeriesOptions {
  /** How many sectors there are, the others included. */
  readonly sectorCount: number;
  /** Told of each lot once: at its commit, at the boundary after several, or when a minute is known that is one as a whole. */
  readonly onLot?: (lot: Lot) => void;
  /**
   * Told of each boundary when it has been passed, in order; `behindMs`: how much later than it the time is that is being
   * passed.
   */
  readonly onBoundary?: (boundaryMs: number, behindMs: number) => void;
}

/** After the clock was set, commits that far ahead of it were made before. */
const AHEAD_MS = MINUTE_MS;

/**
 * One event over time. It counts at boundaries, the multiples of ten seconds. A boundary is watched if all that was
 * committed before it is told when it is passed; a minute is known if both its ends were watched, or if the record has it.
 * All times are milliseconds since 1970 by the flow's clock.
 *
 *                begin                       interrupt
 *   before it ──────────► within a run of ──────────────► between two runs
 *                         the clock       ◄──────────────
 *                                           pass, begin
 */
export class FlowSeries implements SeriesReading {
  readonly sectorCount: number;
  readonly #onLot: (lot: Lot) => void;
  readonly #onBoundary: (boundaryMs: number, behindMs: number) => void;
  readonly #clockRuns = new ClockRuns();
  readonly #known: KnownMinutes;
  readonly #boundaries: Boundaries;
  readonly #lots = new RecentLots();
  readonly #uploads: Uploads;
  readonly #pending: PendingChanges;
  readonly #running: RunningMinute;
  /** As of the last commit. */
  readonly #admitted: Int32Array;
  readonly #valid: Int32Array;
  readonly #lastEntryMs: Float64Array;
  /** The end of the running bucket; `undefined` before `begin`. */
  #nextMs: number | undefined;
  /** The minute in which watching began: the clock went through those before it, and nobody watched. */
  #firstMinuteMs: number | undefined;
  #isBetweenRuns = false;
  /** Where the run of the clock begins: what flowed from before it on is not known. */
  #runFromMs = -Infinity;

  constructor({ sectorCount, onLot = () => undefined, onBoundary = () => undefined }: FlowSeriesOptions) {
    this.sectorCount = sectorCount;
    this.#onLot = onLot;
    this.#onBoundary = onBoundary;
    this.#known = new KnownMinutes(sectorCount, this.#clockRuns, (lot) => {
      this.#lots.addMinute(lot.sector, lot.atMs, lot.count);
      onLot(lot);
    });
    this.#uploads = new Uploads(sectorCount);
    this.#boundaries = new Boundaries(sectorCount);
    this.#pending = new PendingChanges(sectorCount);
    this.#running = new RunningMinute(sectorCount);
    this.#admitted = new Int32Array(sectorCount);
    this.#valid = new Int32Array(sectorCount);
    this.#lastEntryMs = new Float64Array(sectorCount).fill(NaN);
  }

  /**
   * Watching begins, or begins anew after a break: the totals, one a sector, were right at `atMs`. Boundaries that were
   * not passed before, up to `atMs`, were not watched. If there is none, the running bucket gets the difference.
   */
  begin(atMs: number, totals: readonly SectorTotals[]): void {
    if (totals.length !== this.sectorCount) {
      throw new RangeError(`totals of ${totals.length} sectors, not of ${this.sectorCount}`);
    }
    for (const [sector, { admitted, valid }] of totals.entries()) {
      if (this.#nextMs !== undefined && admitted > at(this.#admitted, sector))
        this.#lastEntryMs[sector] = atMs;
      this.#admitted[sector] = admitted;
      this.#valid[sector] = valid;
    }
    const firstMs = boundaryFrom(atMs);
    if (this.#isBetweenRuns) this.#startRun(firstMs);
    else if (this.#nextMs === undefined || firstMs > this.#nextMs) this.#goTo(firstMs);
    this.#firstMinuteMs ??= this.#minuteMs;
    this.#settleAll();
    this.#running.resume(this.#admitted, this.#valid);
  }

  /** In the order of the log, after `begin`. A time before the last boundary that was passed counts in the running bucket. */
  commit(atMs: number, changes: readonly SectorChange[]): void {
    if (this.#nextMs === undefined) throw new Error('a commit was told before the totals');
    if (changes.length === 0) return;
    const bucketMs = bucketOf(atMs);
    const isLate = !this.#isBetweenRuns && bucketMs < this.#nextMs - BUCKET_MS;
    if (isLate) this.#clockRuns.visit(minuteOf(atMs));
    const countedMs = isLate ? this.#nextMs - BUCKET_MS : bucketMs;
    const bucket = this.#pending.at(countedMs);
    for (const change of changes) {
      this.#count(change, bucket);
      const { sector, admitted, entered } = change;
      if (entered > 0) this.#lastEntryMs[sector] = atMs;
      if (this.#isLot(sector, admitted, countedMs)) {
        this.#addLot(bucket, countedMs, { sector, atMs, count: admitted });
      } else {
        bucket.lastAtMs[sector] = Math.max(at(bucket.lastAtMs, sector), atMs);
      }
    }
  }

  /** Every commit before `atMs` has been told. Returns the minutes that became known by that, in order. */
  pass(atMs: number): readonly Minute[] {
    if (this.#nextMs === undefined) return [];
    // A day without a word is another clock.
    if (atMs - this.#nextMs > KEPT_MS) this.interrupt(this.#nextMs);
    if (this.#isBetweenRuns) {
      this.#startRun(boundaryFrom(atMs));
      this.#settleAll(atMs);
    }
    const known: Minute[] = [];
    while (this.#nextMs <= atMs) {
      const boundaryMs = this.#nextMs;
      const minute = this.#passBoundary(boundaryMs);
      if (minute) known.push(minute);
      this.#onBoundary(boundaryMs, atMs - boundaryMs);
    }
    return known;
  }

  /**
   * The clock was set, or what is in changed otherwise than by entries. The clock would read `expectedMs` now. The minute in
   * which that happened stays unknown, and so do those that the clock goes through once more, as far as they are not known,
   * those before the first `begin` among them. The next `begin` or `pass` says what the time is now.
   */
  interrupt(expectedMs: number): void {
    if (this.#nextMs === undefined) return;
    this.#settleAll();
    if (!this.#isBetweenRuns) this.#clockRuns.end(minuteOf(expectedMs));
    this.#isBetweenRuns = true;
  }

  /**
   * Minutes that the record holds, before or after `begin`; they replace what is known of them here. Their ends are watched
   * boundaries. Returns the minutes that became known by that, in order: not these, but ones that follow them.
   */
  restore(minutes: readonly Minute[]): readonly Minute[] {
    for (const { minuteMs, sectors } of minutes) {
      for (const [sector, { entered, net }] of sectors.entries()) {
        if ((entered ?? net) <= 0 || at(this.#lastEntryMs, sector) >= minuteMs) continue;
        this.#lastEntryMs[sector] = minuteMs;
      }
    }
    this.#lots.restore(minutes);
    return this.#known.restore(minutes, this.#nextMs === undefined ? undefined : this.#minuteMs);
  }

  get passedMs(): number | undefined {
    return this.#nextMs === undefined ? undefined : this.#nextMs - BUCKET_MS;
  }

  get totals(): readonly SectorTotals[] {
    return Array.from(this.#admitted, (admitted, sector) => ({ admitted, valid: at(this.#valid, sector) }));
  }

  /** The known minutes that begin at `fromMs` or later and before `toMs`, in order. */
  minutes(fromMs: number, toMs: number): readonly Minute[] {
    return this.#known.minutes(fromMs, toMs);
  }

  /** As of a minute's end, `endMs`, from minutes alone; `undefined` where none is known before it. */
  at(endMs: number): { readonly newestMs: number; readonly series: SeriesReading } | undefined {
    const newestMs = this.#known.knownMs(0, endMs).at(-1);
    const [newest] = newestMs === undefined ? [] : this.#known.minutes(newestMs, newestMs + 1);
    return newest && { newestMs: newest.minuteMs, series: new SeriesAt(this.#known, newest, endMs) };
  }

  /** When these begin. */
  knownMs(fromMs: number, toMs: number): readonly number[] {
    return this.#known.knownMs(fromMs, toMs);
  }

  /** Whether the minute that begins then is known. */
  known(minuteMs: number): boolean {
    return this.#known.isKnown(minuteMs);
  }

  flow(minuteMs: number, sector?: number): number | undefined {
    return this.#known.flow(minuteMs, sector);
  }

  admittedAt(boundaryMs: number, sector: number): number | undefined {
    return (
      this.#boundaries.admittedAt(boundaryMs, sector) ??
      this.#known.admittedAtEnd(boundaryMs - MINUTE_MS)?.[sector]
    );
  }

  flowBetween(fromMs: number, toMs: number, sector: number): number | undefined {
    if (fromMs < this.#runFromMs) return undefined;
    const before = this.admittedAt(fromMs, sector);
    const after = this.admittedAt(toMs, sector);
    if (before === undefined || after === undefined) return undefined;
    return after - before - this.#lots.sum(sector, fromMs, toMs, (ms) => this.admittedAt(ms, sector));
  }

  bestRate(sector?: number): number | undefined {
    return this.#known.bestRate(sector);
  }

  lastEntryAtMs(sector: number): number | undefined {
    const atMs = at(this.#lastEntryMs, sector);
    return Number.isNaN(atMs) ? undefined : atMs;
  }

  /** The running one. */
  get #minuteMs(): number {
    return minuteOf((this.#nextMs ?? 0) - BUCKET_MS);
  }

  #count({ sector, admitted, entered, reverted, valid }: SectorChange, bucket: BucketChanges): void {
    this.#admitted[sector] = at(this.#admitted, sector) + admitted;
    this.#valid[sector] = at(this.#valid, sector) + valid;
    bucket.admitted[sector] = at(bucket.admitted, sector) + admitted;
    bucket.valid[sector] = at(bucket.valid, sector) + valid;
    bucket.entered[sector] = at(bucket.entered, sector) + entered;
    bucket.reverted[sector] = at(bucket.reverted, sector) + reverted;
  }

  /** Of a commit. */
  #isLot(sector: number, count: number, bucketMs: number): boolean {
    const valid = at(this.#valid, sector);
    return this.#known.isLot(sector, count, valid) || this.#isUpload(sector, count, bucketMs);
  }

  #isUpload(sector: number, count: number, bucketMs: number): boolean {
    const isAtOnce = this.#known.isAtOnce(sector, count, at(this.#valid, sector));
    return isAtOnce && this.#uploads.isOne(sector, count, bucketMs);
  }

  #addLot(bucket: BucketChanges, bucketMs: number, lot: Lot): void {
    const { sector, count } = lot;
    bucket.lots[sector] = at(bucket.lots, sector) + count;
    this.#lots.addToBucket(sector, bucketMs, count);
    this.#onLot(lot);
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
    const minute = isNew ? this.#known.end(endedMs, this.#running) : undefined;
    this.#running.start(true);
    this.#clockRuns.goOn(this.#minuteMs);
    return minute;
  }

  /** Entries that come one by one, too fast for turnstiles. */
  #findUploads(changes: BucketChanges, bucketMs: number): void {
    for (const [sector, admitted] of changes.admitted.entries()) {
      const count = admitted - at(changes.lots, sector);
      if (!this.#isUpload(sector, count, bucketMs)) continue;
      this.#addLot(changes, bucketMs, { sector, atMs: at(changes.lastAtMs, sector), count });
    }
  }

  /** The next boundary that is watched is `firstMs`. */
  #goTo(firstMs: number): void {
    const beforeMs = this.#nextMs === undefined ? undefined : this.#minuteMs;
    this.#nextMs = firstMs;
    if (this.#minuteMs !== beforeMs) this.#running.start(false);
    this.#clockRuns.goOn(this.#minuteMs);
  }

  #startRun(firstMs: number): void {
    this.#isBetweenRuns = false;
    this.#boundaries.clear();
    this.#lots.clear();
    this.#runFromMs = firstMs;
    this.#goTo(firstMs);
    this.#running.start(false);
  }

  /** Counts what is pending now, whatever its time; with `atMs` not what is to come within a minute from then. */
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
