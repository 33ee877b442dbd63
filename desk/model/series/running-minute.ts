import type { BucketChanges } from './pending-changes.ts';

/** The counts at the last boundary, and the changes of the running minute up to it. */
export class RunningMinute {
  readonly admitted: Int32Array;
  readonly valid: Int32Array;
  readonly entered: Int32Array;
  readonly reverted: Int32Array;
  readonly lots: Int32Array;
  readonly #startAdmitted: Int32Array;
  #isStartObserved = false;
  #isWhole = false;
  #isStartForeign = false;

  constructor(sectorCount: number) {
    this.admitted = new Int32Array(sectorCount);
    this.valid = new Int32Array(sectorCount);
    this.entered = new Int32Array(sectorCount);
    this.reverted = new Int32Array(sectorCount);
    this.lots = new Int32Array(sectorCount);
    this.#startAdmitted = new Int32Array(sectorCount);
  }

  /** The admitted counts at its beginning, if that was observed. */
  get startAdmitted(): Int32Array | undefined {
    return this.#isStartObserved ? this.#startAdmitted : undefined;
  }

  /** Whether the minute has been observed from its beginning without an interruption. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Whether no count at its beginning is one of the tickets that are counted now. */
  get isStartForeign(): boolean {
    return this.#isStartForeign;
  }

  start(isObserved: boolean): void {
    this.#isStartForeign = false;
    this.#startAdmitted.set(this.admitted);
    this.#isStartObserved = isObserved;
    this.#isWhole = isObserved;
    this.entered.fill(0);
    this.reverted.fill(0);
    this.lots.fill(0);
  }

  /** The counts at its beginning were of other tickets than those that are counted now. */
  disownStart(): void {
    this.#isStartForeign = true;
    this.#isStartObserved = false;
    this.#isWhole = false;
  }

  add(changes: BucketChanges): void {
    addTo(this.admitted, changes.admitted);
    addTo(this.valid, changes.valid);
    addTo(this.entered, changes.entered);
    addTo(this.reverted, changes.reverted);
    addTo(this.lots, changes.lots);
  }

  /** Sets the counts after a break. */
  resume(admitted: Int32Array, valid: Int32Array): void {
    this.admitted.set(admitted);
    this.valid.set(valid);
    this.#isWhole = false;
  }
}

function addTo(sums: Int32Array, addends: Int32Array): void {
  for (let place = 0; place < sums.length; place += 1) {
    sums[place] = (sums[place] ?? 0) + (addends[place] ?? 0);
  }
}
