import { BestRates, SUSTAINED_MINUTES } from './best-rates.ts';
import type { ClockRuns } from './clock-runs.ts';
import { isAtOnce, isLot, type Lot } from './lots.ts';
import { MinuteStore } from './minute-store.ts';
import { KEPT_MS, type Minute, MINUTE_MS } from './minute.ts';
import type { RunningMinute } from './running-minute.ts';

/**
 * Which minutes are known, and what they brought. A minute becomes known when the second of its ends does, or by the
 * record; from then on it stays as it is, unless the record has it otherwise.
 */
export class KnownMinutes {
  readonly #sectorCount: number;
  readonly #onLot: (lot: Lot) => void;
  readonly #clockRuns: ClockRuns;
  readonly #store: MinuteStore;
  readonly #bestRates: BestRates;
  /** The last minute that brought a sector more than it can pass; less than zero where so many were taken back. */
  readonly #lastBeyondMs: Float64Array;

  constructor(sectorCount: number, clockRuns: ClockRuns, onLot: (lot: Lot) => void) {
    this.#sectorCount = sectorCount;
    this.#clockRuns = clockRuns;
    this.#onLot = onLot;
    this.#store = new MinuteStore(sectorCount);
    this.#bestRates = new BestRates(sectorCount);
    this.#lastBeyondMs = new Float64Array(sectorCount).fill(-Infinity);
  }

  /** The end of the running minute, which is passed now, was watched. Returns the minute if it becomes known by that. */
  end(minuteMs: number, running: RunningMinute): Minute | undefined {
    if (this.#store.isKnown(minuteMs)) return undefined;
    this.#store.setEnd(minuteMs, running);
    const startAdmitted = running.startAdmitted ?? this.#store.admittedAtEnd(minuteMs - MINUTE_MS);
    if (!startAdmitted || this.#clockRuns.isSpoiled(minuteMs)) return undefined;
    return this.#setKnown(minuteMs, startAdmitted, running.isWhole ? running : undefined);
  }

  /** Returns the minutes that became known by these, in order. */
  restore(minutes: readonly Minute[], nowMs: number | undefined): readonly Minute[] {
    const newestMs = nowMs ?? minutes.reduce((newest, { minuteMs }) => Math.max(newest, minuteMs), -Infinity);
    const kept = minutes.filter(({ minuteMs }) => Math.abs(newestMs - minuteMs) <= KEPT_MS);
    for (const minute of kept) this.#store.restore(minute);
    this.#includeBestRates(kept);
    return kept
      .toSorted((a, b) => a.minuteMs - b.minuteMs)
      .map(({ minuteMs }) => this.#becomeKnownAfter(minuteMs))
      .filter((minute) => minute !== undefined);
  }

  minutes(fromMs: number, toMs: number): readonly Minute[] {
    const minutes = this.#store.knownMs(fromMs, toMs).map((minuteMs) => this.#store.minute(minuteMs));
    return minutes.filter((minute) => minute !== undefined);
  }

  minute(minuteMs: number): Minute | undefined {
    return this.#store.minute(minuteMs);
  }

  knownMs(fromMs: number, toMs: number): readonly number[] {
    return this.#store.knownMs(fromMs, toMs);
  }

  isKnown(minuteMs: number): boolean {
    return this.#store.isKnown(minuteMs);
  }

  flow(minuteMs: number, sector: number | undefined): number | undefined {
    if (sector !== undefined) return this.#store.flow(minuteMs, sector);
    return this.#store.flowOf([minuteMs])?.reduce((sum, flow) => sum + flow, 0);
  }

  /** How many were in at its end, by sector, where that was watched. Not to be kept. */
  admittedAtEnd(minuteMs: number): Int32Array | undefined {
    return this.#store.admittedAtEnd(minuteMs);
  }

  /** Of these minutes alone, of which each is known. */
  bestRatesOf(minutesMs: readonly number[]): BestRates {
    const rates = new BestRates(this.#sectorCount);
    for (const minuteMs of minutesMs) rates.include(this.#store, minuteMs);
    return rates;
  }

  /** Whether somebody entered in the minute, or, where that was not watched, whether more were in at its end. */
  hasEntries(minuteMs: number, sector: number): boolean {
    return this.#store.hasEntries(minuteMs, sector);
  }

  bestRate(sector: number | undefined): number | undefined {
    return this.#bestRates.best(sector);
  }

  isLot(sector: number, count: number, valid: number): boolean {
    return isLot(count, this.#bestRates.best(sector) ?? 0, valid);
  }

  isAtOnce(sector: number, count: number, valid: number): boolean {
    return isAtOnce(count, this.#bestRates.best(sector) ?? 0, valid);
  }

  /** The minute after a restored one has its beginning now: its end may have been watched before. */
  #becomeKnownAfter(restoredMs: number): Minute | undefined {
    const minuteMs = restoredMs + MINUTE_MS;
    const startAdmitted = this.#store.admittedAtEnd(restoredMs);
    if (!startAdmitted || !this.#store.admittedAtEnd(minuteMs)) return undefined;
    if (this.#store.isKnown(minuteMs) || this.#clockRuns.isSpoiled(minuteMs)) return undefined;
    return this.#setKnown(minuteMs, startAdmitted, undefined);
  }

  /** `details` of a minute that was watched without an interruption. */
  #setKnown(
    minuteMs: number,
    startAdmitted: Int32Array,
    details: Pick<RunningMinute, 'entered' | 'reverted'> | undefined,
  ): Minute | undefined {
    const { admitted, valid, lots } = this.#store.end(minuteMs);
    const net = admitted.map((count, sector) => count - (startAdmitted[sector] ?? 0));
    for (const [sector, count] of net.entries()) {
      const rest = count - (lots[sector] ?? 0);
      const isRestBeyond = this.isLot(sector, rest, valid[sector] ?? 0);
      if (!isRestBeyond && !this.isLot(sector, count, valid[sector] ?? 0)) continue;
      const way = Math.sign(isRestBeyond ? rest : count);
      const goesOn = this.#lastBeyondMs[sector] === way * (minuteMs - MINUTE_MS);
      this.#lastBeyondMs[sector] = way * minuteMs;
      if (goesOn || !isRestBeyond) continue;
      lots[sector] = count;
      this.#onLot({ sector, atMs: minuteMs, count: rest });
    }
    this.#store.setKnown(minuteMs, { net, lots, details });
    const minute = this.#store.minute(minuteMs);
    if (minute) this.#includeBestRates([minute]);
    return minute;
  }

  /** Of all five minutes on end that one of these is in. */
  #includeBestRates(minutes: readonly Minute[]): void {
    const endsMs = new Set<number>();
    for (const { minuteMs } of minutes) {
      for (let n = 0; n < SUSTAINED_MINUTES; n += 1) endsMs.add(minuteMs + n * MINUTE_MS);
    }
    for (const endMs of endsMs) this.#bestRates.include(this.#store, endMs);
  }
}
