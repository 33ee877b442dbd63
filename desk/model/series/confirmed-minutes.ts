import { BestRates, SUSTAINED_MINUTES } from './best-rates.ts';
import type { ClockRuns } from './clock-runs.ts';
import { isAtOnce, isLateBatch, type LateBatch } from './late-batches.ts';
import { MinuteStore } from './minute-store.ts';
import { KEPT_MS, type Minute, MINUTE_MS } from './minute.ts';
import type { RunningMinute } from './running-minute.ts';

const NEVER = -Infinity;

/**
 * The confirmed minutes of a day with their flow. A minute is confirmed once both its ends are known, or by the record; from
 * then on only the record changes it.
 */
export class ConfirmedMinutes {
  readonly #sectorCount: number;
  readonly #onLateBatch: (batch: LateBatch) => void;
  readonly #clockRuns: ClockRuns;
  readonly #store: MinuteStore;
  #bestRates: BestRates;
  #bestFromMs = -Infinity;
  /** The minutes whose start is not the end of the one before. */
  readonly #cutMs = new Set<number>();
  /** The last minute with more entries than a sector can pass; negative where they were reverted. */
  readonly #lastBeyondMs: Float64Array;

  constructor(sectorCount: number, clockRuns: ClockRuns, onLateBatch: (batch: LateBatch) => void) {
    this.#sectorCount = sectorCount;
    this.#clockRuns = clockRuns;
    this.#onLateBatch = onLateBatch;
    this.#store = new MinuteStore(sectorCount);
    this.#bestRates = this.bestRatesOf([]);
    this.#lastBeyondMs = new Float64Array(sectorCount).fill(NEVER);
  }

  /** The end of the running minute was observed. Returns the minute if this confirms it. */
  end(minuteMs: number, running: RunningMinute): Minute | undefined {
    if (this.#store.isConfirmed(minuteMs)) return undefined;
    this.#store.setEnd(minuteMs, running);
    if (running.isStartForeign) this.#cutMs.add(minuteMs);
    const before = this.#cutMs.has(minuteMs) ? undefined : this.#store.admittedAtEnd(minuteMs - MINUTE_MS);
    const startAdmitted = running.startAdmitted ?? before;
    if (!startAdmitted || this.#clockRuns.isRepeated(minuteMs)) return undefined;
    return this.#confirm(minuteMs, startAdmitted, running.isWhole ? running : undefined);
  }

  /** The end of the minute before does not confirm this one: it was counted of other tickets. */
  cutBefore(minuteMs: number): void {
    this.#cutMs.add(minuteMs);
  }

  /** Returns the minutes after these that are confirmed by them, in order, unless they had ended by `sinceMs`. */
  restore(
    minutes: readonly Minute[],
    { nowMs, sinceMs }: { readonly nowMs: number | undefined; readonly sinceMs: number },
  ): readonly Minute[] {
    const newestMs = nowMs ?? minutes.reduce((newest, { minuteMs }) => Math.max(newest, minuteMs), -Infinity);
    const kept = minutes.filter(({ minuteMs }) => Math.abs(newestMs - minuteMs) <= KEPT_MS);
    for (const minute of kept) this.#store.restore(minute);
    const inOrder = kept.toSorted((a, b) => a.minuteMs - b.minuteMs);
    // As they were judged: the best rates of later ones are not known yet.
    for (const { minuteMs, sectors } of inOrder) {
      for (const [sector, { net, moved, valid }] of sectors.entries()) {
        const lastMs = this.#lastBeyondMs[sector] ?? NEVER;
        const isNewer = lastMs === NEVER || Math.abs(lastMs) < minuteMs;
        const count = net - (moved ?? 0);
        if (isNewer && this.isLateBatch(sector, count, valid)) {
          this.#lastBeyondMs[sector] = Math.sign(count) * minuteMs;
        }
      }
    }
    this.#includeBestRates(kept);
    return inOrder
      .filter(({ minuteMs }) => minuteMs + 2 * MINUTE_MS > sinceMs)
      .map(({ minuteMs }) => this.#confirmAfter(minuteMs))
      .filter((minute) => minute !== undefined);
  }

  minutes(fromMs: number, toMs: number): readonly Minute[] {
    const minutes = this.#store.confirmedMs(fromMs, toMs).map((minuteMs) => this.#store.minute(minuteMs));
    return minutes.filter((minute) => minute !== undefined);
  }

  minute(minuteMs: number): Minute | undefined {
    return this.#store.minute(minuteMs);
  }

  confirmedMs(fromMs: number, toMs: number): readonly number[] {
    return this.#store.confirmedMs(fromMs, toMs);
  }

  isConfirmed(minuteMs: number): boolean {
    return this.#store.isConfirmed(minuteMs);
  }

  flow(minuteMs: number, sector: number | undefined): number | undefined {
    if (sector !== undefined) return this.#store.flow(minuteMs, sector);
    return this.#store.flowOf([minuteMs])?.reduce((sum, flow) => sum + flow, 0);
  }

  /** Returns the admitted counts at the observed end of a minute, by sector. The caller must not keep the array. */
  admittedAtEnd(minuteMs: number): Int32Array | undefined {
    return this.#store.admittedAtEnd(minuteMs);
  }

  /** Returns the admitted count at this boundary, where a minute ended or a confirmed one begins. */
  admittedAt(boundaryMs: number, sector: number): number | undefined {
    return (
      this.#store.admittedAtEnd(boundaryMs - MINUTE_MS)?.[sector] ??
      this.#store.admittedAtBegin(boundaryMs, sector)
    );
  }

  /** Returns the best rates of these confirmed minutes alone. */
  bestRatesOf(minutesMs: readonly number[]): BestRates {
    const rates = new BestRates(this.#sectorCount, this.#bestFromMs);
    for (const minuteMs of minutesMs) rates.include(this.#store, minuteMs);
    return rates;
  }

  hasEntries(minuteMs: number, sector: number): boolean {
    return this.#store.hasEntries(minuteMs, sector);
  }

  countBestFrom(fromMs: number): void {
    if (fromMs === this.#bestFromMs) return;
    this.#bestFromMs = fromMs;
    this.#bestRates = this.bestRatesOf(this.#store.confirmedMs(0, Infinity));
  }

  bestRate(sector: number | undefined): number | undefined {
    return this.#bestRates.best(sector);
  }

  isLateBatch(sector: number, count: number, valid: number): boolean {
    return isLateBatch(count, this.#bestRates.best(sector) ?? 0, valid);
  }

  isAtOnce(sector: number, count: number, valid: number): boolean {
    return isAtOnce(count, this.#bestRates.best(sector) ?? 0, valid);
  }

  /** Confirms the minute after a restored one, if its end was observed before. */
  #confirmAfter(restoredMs: number): Minute | undefined {
    const minuteMs = restoredMs + MINUTE_MS;
    if (this.#cutMs.has(minuteMs)) return undefined;
    const startAdmitted = this.#store.admittedAtEnd(restoredMs);
    if (!startAdmitted || !this.#store.admittedAtEnd(minuteMs)) return undefined;
    if (this.#store.isConfirmed(minuteMs) || this.#clockRuns.isRepeated(minuteMs)) return undefined;
    return this.#confirm(minuteMs, startAdmitted, undefined);
  }

  /** `details` are those of a minute that was observed without an interruption. */
  #confirm(
    minuteMs: number,
    startAdmitted: Int32Array,
    details: Pick<RunningMinute, 'entered' | 'reverted'> | undefined,
  ): Minute | undefined {
    const { admitted, valid, lots } = this.#store.end(minuteMs);
    const net = admitted.map((count, sector) => count - (startAdmitted[sector] ?? 0));
    for (const [sector, change] of net.entries()) {
      const count = details ? (details.entered[sector] ?? 0) - (details.reverted[sector] ?? 0) : change;
      const rest = count - (lots[sector] ?? 0);
      const isRestBeyond = this.isLateBatch(sector, rest, valid[sector] ?? 0);
      if (!isRestBeyond && !this.isLateBatch(sector, count, valid[sector] ?? 0)) continue;
      const way = Math.sign(isRestBeyond ? rest : count);
      const goesOn = this.#lastBeyondMs[sector] === way * (minuteMs - MINUTE_MS);
      this.#lastBeyondMs[sector] = way * minuteMs;
      if (goesOn || !isRestBeyond) continue;
      lots[sector] = count;
      this.#onLateBatch({ sector, atMs: minuteMs, count: rest });
    }
    this.#store.confirm(minuteMs, { net, lots, details });
    const minute = this.#store.minute(minuteMs);
    if (minute) this.#includeBestRates([minute]);
    return minute;
  }

  /** Includes every five consecutive minutes that contain one of these. */
  #includeBestRates(minutes: readonly Minute[]): void {
    const endsMs = new Set<number>();
    for (const { minuteMs } of minutes) {
      for (let n = 0; n < SUSTAINED_MINUTES; n += 1) endsMs.add(minuteMs + n * MINUTE_MS);
    }
    for (const endMs of endsMs) this.#bestRates.include(this.#store, endMs);
  }
}
