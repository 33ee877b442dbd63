import type { BucketChanges } from './pending-changes.ts';

/** The counts at the last boundary, and what the running minute brought up to it. */
export class RunningMinute {
  readonly admitted: Int32Array;
  readonly valid: Int32Array;
  readonly entered: Int32Array;
  readonly reverted: Int32Array;
  readonly lots: Int32Array;
  readonly #startAdmitted: Int32Array;
  #isStartWatched = false;
  #isWhole = false;

  constructor(sectorCount: number) {
    this.admitted = new Int32Array(sectorCount);
    this.valid = new Int32Array(sectorCount);
    this.entered = new Int32Array(sectorCount);
    this.reverted = new Int32Array(sectorCount);
    this.lots = new Int32Array(sectorCount);
    this.#startAdmitted = new Int32Array(sectorCount);
  }

  /** How many were in at its beginning, where that was watched. */
  get startAdmitted(): Int32Array | undefined {
    return this.#isStartWatched ? this.#startAdmitted : undefined;
  }

  /** Whether it was watched from its beginning on without an interruption. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The next minute begins. */
  start(isWatched: boolean): void {
    this.#startAdmitted.set(this.admitted);
    this.#isStartWatched = isWatched;
    this.#isWhole = isWatched;
    this.entered.fill(0);
    this.reverted.fill(0);
    this.lots.fill(0);
  }

  add(changes: BucketChanges): void {
    addTo(this.admitted, changes.admitted);
    addTo(this.valid, changes.valid);
    addTo(this.entered, changes.entered);
    addTo(this.reverted, changes.reverted);
    addTo(this.lots, changes.lots);
  }

  /** After a break: these are the counts, however they came about. */
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
