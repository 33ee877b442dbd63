/** What changed within one bucket, by sector. */
export class BucketChanges {
  readonly admitted: Int32Array;
  readonly valid: Int32Array;
  readonly entered: Int32Array;
  readonly reverted: Int32Array;
  readonly lots: Int32Array;
  /** When the last commit was made that is no lot. */
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

/** Commits that were told, and whose bucket has not been passed. */
export class PendingChanges {
  readonly #sectorCount: number;
  readonly #buckets = new Map<number, BucketChanges>();

  constructor(sectorCount: number) {
    this.#sectorCount = sectorCount;
  }

  /** Of the bucket that begins then. */
  at(bucketMs: number): BucketChanges {
    let changes = this.#buckets.get(bucketMs);
    if (!changes) {
      changes = new BucketChanges(this.#sectorCount);
      this.#buckets.set(bucketMs, changes);
    }
    return changes;
  }

  /** Takes the bucket that begins then out, where something changed in it. */
  take(bucketMs: number): BucketChanges | undefined {
    const changes = this.#buckets.get(bucketMs);
    this.#buckets.delete(bucketMs);
    return changes;
  }

  /** When the buckets begin in which something changed, in no order. */
  bucketsMs(): readonly number[] {
    return [...this.#buckets.keys()];
  }
}
