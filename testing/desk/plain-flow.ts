import type { SectorChange } from '../../desk/model/series/flow-series.ts';
import type { SectorTotals } from '../../desk/model/series/series-reading.ts';
import { isAtOnce, isLateBatch, type LateBatch } from '../../desk/model/series/late-batches.ts';
import {
  BUCKET_MS,
  bucketOf,
  flowOf,
  type Minute,
  MINUTE_MS,
  minuteOf,
} from '../../desk/model/series/minute.ts';

interface TimedChange extends SectorChange {
  readonly atMs: number;
  /** The bucket in which it counts, or is going to. */
  bucketMs: number;
  lots: number;
  isPending: boolean;
}

interface ObservedBoundary {
  readonly totals: readonly SectorTotals[];
  readonly run: number;
}

const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * A plain and slow model of desk/model/series/flow-series.ts: it keeps every change with its time, and recounts each minute.
 */
export class PlainFlow {
  readonly lots: LateBatch[] = [];
  /** The last minute with more than a sector can pass, by sector and direction. */
  readonly #beyondMs = new Map<string, number>();
  /** When the last upload began, by sector and direction. */
  readonly #uploadMs = new Map<string, number>();
  readonly #sectors: readonly number[];
  readonly #known = new Map<number, Minute>();
  readonly #observed = new Map<number, ObservedBoundary>();
  /** The minutes of each run of the clock. */
  readonly #runs: Set<number>[] = [new Set()];
  /** Minutes with commits that count in other minutes. */
  readonly #visited = new Set<number>();
  readonly #breaksMs: number[] = [];
  readonly #best: number[];
  #totals: readonly SectorTotals[] = [];
  /** Changes since these totals. */
  #changes: TimedChange[] = [];
  readonly #allChanges: TimedChange[] = [];
  /** The running bucket. */
  #runningMs: number | undefined;
  #firstMinuteMs: number | undefined;
  #isBetweenRuns = false;

  constructor(sectorCount: number) {
    this.#sectors = Array.from({ length: sectorCount }, (_, sector) => sector);
    this.#best = this.#sectors.map(() => -Infinity);
  }

  get minutes(): readonly Minute[] {
    return [...this.#known.values()].toSorted((a, b) => a.minuteMs - b.minuteMs);
  }

  get totals(): readonly SectorTotals[] {
    return this.#countedBefore(Infinity);
  }

  /** Boundaries observed since the clock was last set; only a later boundary ends the run. */
  get boundaries(): ReadonlyMap<number, readonly SectorTotals[]> {
    const current = [...this.#observed].filter(([, { run }]) => run === this.#runs.length);
    return new Map(current.map(([atMs, { totals }]) => [atMs, totals]));
  }

  bestRate(sector: number): number | undefined {
    return this.#best[sector] === -Infinity ? undefined : this.#best[sector];
  }

  begin(atMs: number, totals: readonly SectorTotals[]): void {
    const bucketMs = Math.ceil(atMs / BUCKET_MS) * BUCKET_MS - BUCKET_MS;
    if (this.#isBetweenRuns) this.#startRun(bucketMs);
    else this.#goTo(Math.max(bucketMs, this.#runningMs ?? -Infinity));
    this.#firstMinuteMs ??= minuteOf(this.#runningMs ?? 0);
    for (const change of this.#changes) this.#settle(change);
    this.#totals = totals;
    this.#changes = [];
    this.#breaksMs.push(this.#runningMs ?? 0);
  }

  commit(atMs: number, changes: readonly SectorChange[]): void {
    const earliestMs = this.#isBetweenRuns ? -Infinity : (this.#runningMs ?? 0);
    if (atMs < earliestMs && changes.length > 0) this.#visit(minuteOf(atMs));
    for (const change of changes) {
      const bucketMs = Math.max(bucketOf(atMs), earliestMs);
      const added = { ...change, atMs, bucketMs, lots: 0, isPending: true };
      this.#changes.push(added);
      this.#allChanges.push(added);
      const { sector } = change;
      const count = passedIn(change);
      const isBeyond = isLateBatch(count, this.bestRate(sector) ?? 0, this.totals[sector]?.valid ?? 0);
      if (!isBeyond && !this.#isUpload(sector, count, bucketMs)) continue;
      added.lots = count;
      this.lots.push({ sector, atMs, count });
    }
  }

  advanceTo(atMs: number): readonly Minute[] {
    if (this.#runningMs === undefined) return [];
    if (atMs - this.#runningMs > DAY_MS + BUCKET_MS) {
      this.interrupt(this.#runningMs);
    }
    if (this.#isBetweenRuns) {
      this.#startRun(Math.ceil(atMs / BUCKET_MS) * BUCKET_MS - BUCKET_MS);
      for (const change of this.#changes) {
        const isAhead = change.bucketMs >= this.#runningMs && change.bucketMs <= atMs + MINUTE_MS;
        if (!isAhead) this.#settle(change);
      }
    }
    const minutes: Minute[] = [];
    for (let boundaryMs = this.#runningMs + BUCKET_MS; boundaryMs <= atMs; boundaryMs += BUCKET_MS) {
      this.#observed.set(boundaryMs, { totals: this.#countedBefore(boundaryMs), run: this.#runs.length });
      const ended = this.#changes.filter((change) => change.isPending && change.bucketMs < boundaryMs);
      for (const change of ended) change.isPending = false;
      for (const sector of this.#sectors) {
        const passed = ended.filter((change) => change.sector === sector && change.lots === 0);
        const count = passed.reduce((sum, change) => sum + passedIn(change), 0);
        if (!this.#isUpload(sector, count, boundaryMs - BUCKET_MS)) continue;
        for (const change of passed) change.lots = passedIn(change);
        this.lots.push({ sector, atMs: Math.max(...passed.map(({ atMs: toldMs }) => toldMs)), count });
      }
      if (boundaryMs % MINUTE_MS === 0) minutes.push(...this.#recount(boundaryMs - MINUTE_MS));
      this.#goTo(boundaryMs);
    }
    return minutes;
  }

  interrupt(expectedMs: number): void {
    if (this.#runningMs === undefined) return;
    for (const change of this.#changes) this.#settle(change);
    if (!this.#isBetweenRuns) this.#goThrough(expectedMs);
    this.#isBetweenRuns = true;
  }

  restore(minutes: readonly Minute[]): readonly Minute[] {
    const newestMs =
      this.#runningMs === undefined
        ? Math.max(...minutes.map(({ minuteMs }) => minuteMs))
        : minuteOf(this.#runningMs);
    const kept = minutes.filter(({ minuteMs }) => Math.abs(minuteMs - newestMs) <= DAY_MS);
    for (const minute of kept) this.#known.set(minute.minuteMs, minute);
    const inOrder = kept.toSorted((a, b) => a.minuteMs - b.minuteMs);
    for (const { minuteMs, sectors } of inOrder) {
      for (const [sector, { net, moved, valid }] of sectors.entries()) {
        const count = net - (moved ?? 0);
        if (!isLateBatch(count, this.bestRate(sector) ?? 0, valid)) continue;
        const ways = count > 0 ? ['in', 'back'] : ['back', 'in'];
        const lastMs = Math.max(...ways.map((way) => this.#beyondMs.get(`${sector} ${way}`) ?? -Infinity));
        if (minuteMs <= lastMs) continue;
        this.#beyondMs.delete(`${sector} ${ways[1]}`);
        this.#beyondMs.set(`${sector} ${ways[0]}`, minuteMs);
      }
    }
    this.#raiseBest();
    return inOrder.flatMap(({ minuteMs }) => this.#recount(minuteMs + MINUTE_MS));
  }

  /** Bursts within a minute of the first one are an upload; for four minutes after that they are flow. */
  #isUpload(sector: number, count: number, bucketMs: number): boolean {
    if (!isAtOnce(count, this.bestRate(sector) ?? 0, this.totals[sector]?.valid ?? 0)) return false;
    const key = `${sector} ${count > 0 ? 'in' : 'back'}`;
    const sinceMs = Math.abs(bucketMs - (this.#uploadMs.get(key) ?? -Infinity));
    if (sinceMs >= 5 * MINUTE_MS) this.#uploadMs.set(key, bucketMs);
    return sinceMs < MINUTE_MS || sinceMs >= 5 * MINUTE_MS;
  }

  /** Returns the minute if it is confirmed now. */
  #recount(minuteMs: number): readonly Minute[] {
    const end = this.#observed.get(minuteMs + MINUTE_MS);
    if (!end || this.#known.has(minuteMs)) return [];
    if (minuteMs < (this.#firstMinuteMs ?? 0)) return [];
    const runs = [...this.#runs, this.#visited].filter((run) => run.has(minuteMs));
    if (runs.length > 1) return [];
    const start = this.#observed.get(minuteMs);
    const isStartObserved = start !== undefined && start.run === end.run;
    const startTotals = isStartObserved ? start.totals : this.#known.get(minuteMs - MINUTE_MS)?.sectors;
    if (!startTotals) return [];
    const isWithin = (ms: number) => minuteOf(ms) === minuteMs;
    const isWhole = isStartObserved && !this.#breaksMs.some(isWithin);
    const sectors = this.#sectors.map((sector) => {
      const changes = this.#allChanges.filter(
        (change) => change.sector === sector && isWithin(change.bucketMs),
      );
      const sum = (read: (change: TimedChange) => number) =>
        changes.reduce((total, change) => total + read(change), 0);
      const { admitted, valid } = end.totals[sector] ?? { admitted: 0, valid: 0 };
      const net = admitted - (startTotals[sector]?.admitted ?? 0);
      const passed = isWhole ? sum(passedIn) : net;
      const inBatches = sum((change) => change.lots);
      const isBeyond = (count: number): boolean => isLateBatch(count, this.bestRate(sector) ?? 0, valid);
      const beyond = [passed - inBatches, passed].find(isBeyond) ?? 0;
      const way = beyond > 0 ? 'in' : 'back';
      const goesOn = this.#beyondMs.get(`${sector} ${way}`) === minuteMs - MINUTE_MS;
      const isWholeBatch = isBeyond(passed - inBatches) && !goesOn;
      if (beyond !== 0) {
        this.#beyondMs.delete(`${sector} ${way === 'in' ? 'back' : 'in'}`);
        this.#beyondMs.set(`${sector} ${way}`, minuteMs);
      }
      if (isWholeBatch) this.lots.push({ sector, atMs: minuteMs, count: passed - inBatches });
      return {
        admitted,
        net,
        entered: isWhole ? sum((change) => change.entered) : null,
        reverted: isWhole ? sum((change) => change.reverted) : null,
        moved: isWhole ? sum((change) => change.moved) : null,
        valid,
        lots: isWholeBatch ? passed : inBatches,
      };
    });
    this.#known.set(minuteMs, { minuteMs, sectors });
    this.#raiseBest();
    return [{ minuteMs, sectors }];
  }

  #countedBefore(boundaryMs: number): readonly SectorTotals[] {
    return this.#sectors.map((sector) => {
      const changes = this.#changes.filter(
        (change) => change.sector === sector && (!change.isPending || change.bucketMs < boundaryMs),
      );
      const { admitted, valid, invalid = 0 } = this.#totals[sector] ?? { admitted: 0, valid: 0 };
      return {
        admitted: changes.reduce((sum, change) => sum + change.admitted, admitted),
        valid: changes.reduce((sum, change) => sum + change.valid, valid),
        invalid: changes.reduce((sum, change) => sum + (change.invalid ?? 0), invalid),
      };
    });
  }

  #goTo(bucketMs: number): void {
    this.#goThrough(bucketMs);
    this.#runningMs = bucketMs;
  }

  /** Counts changes from the running bucket on. */
  #goThrough(toMs: number): void {
    for (let ms = minuteOf(this.#runningMs ?? toMs); ms <= toMs; ms += MINUTE_MS) this.#runs.at(-1)?.add(ms);
  }

  #visit(minuteMs: number): void {
    if (!this.#runs.some((run) => run.has(minuteMs))) this.#visited.add(minuteMs);
  }

  #startRun(bucketMs: number): void {
    this.#isBetweenRuns = false;
    this.#runs.push(new Set());
    this.#runningMs = undefined;
    this.#goTo(bucketMs);
  }

  /** Counts a change now, at any time. */
  #settle(change: TimedChange): void {
    if (!change.isPending) return;
    const runningMs = this.#runningMs ?? 0;
    const isOfEarlierMinute = minuteOf(change.bucketMs) < minuteOf(runningMs);
    this.#visit(minuteOf(change.bucketMs));
    change.isPending = false;
    change.bucketMs = runningMs;
    if (isOfEarlierMinute) change.lots = 0;
  }

  #raiseBest(): void {
    for (const minuteMs of this.#known.keys()) {
      const five = Array.from({ length: 5 }, (_, n) => this.#known.get(minuteMs + n * MINUTE_MS));
      for (const sector of this.#sectors) {
        const flows = five.map((minute) => minute?.sectors[sector]);
        const sum = flows.reduce((total, row) => total + (row ? flowOf(row) : -Infinity), 0);
        this.#best[sector] = Math.max(this.#best[sector] ?? -Infinity, sum / 5);
      }
    }
  }
}

/** Who passed the gates: nobody did with a ticket that was moved. */
function passedIn({ entered, reverted }: SectorChange): number {
  return entered - reverted;
}
