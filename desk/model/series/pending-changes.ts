/** The changes of one bucket, by sector. */
export class BucketChanges {
  readonly admitted: Int32Array;
  readonly valid: Int32Array;
  readonly entered: Int32Array;
  readonly reverted: Int32Array;
  readonly lots: Int32Array;
  /** The time of the last commit that is no late batch. */
  readonly lastAtMs: Float64Array;

  constructor(sectorCount: number) {
    this.admitted = new Int32Array(sectorCount);
    this.valid = new Int32Array(sectorCount);
    this.entered = new Int32Array(sectorCount);
    this.reverted = new Int32Array(sectorCount);
    this.lots = new Int32Array(sectorCount);
    this.lastAtMs = new Float64Array(sectorCount).fill(-Infinity);
  }
}

/** The changes of buckets that have not elapsed. */
export class PendingChanges {
  readonly #sectorCount: number;
  readonly #buckets = new Map<number, BucketChanges>();

  constructor(sectorCount: number) {
    this.#sectorCount = sectorCount;
  }

  at(bucketMs: number): BucketChanges {
    let changes = this.#buckets.get(bucketMs);
    if (!changes) {
      changes = new BucketChanges(this.#sectorCount);
      this.#buckets.set(bucketMs, changes);
    }
    return changes;
  }

  /** Removes and returns the changes of the bucket that begins then. */
  take(bucketMs: number): BucketChanges | undefined {
    const changes = this.#buckets.get(bucketMs);
    this.#buckets.delete(bucketMs);
    return changes;
  }

  /** Returns the beginnings of the buckets with changes, in no order. */
  bucketsMs(): readonly number[] {
    return [...this.#buckets.keys()];
  }
}
