import { BUCKET_MS } from './minute.ts';

const KEPT_MS = 40 * 60_000;
const SLOTS = KEPT_MS / BUCKET_MS + 1;

/** Admitted counts at each observed boundary between two buckets, for the last forty minutes. */
export class Boundaries {
  readonly #sectorCount: number;
  readonly #atMs = new Float64Array(SLOTS).fill(NaN);
  readonly #admitted: Int32Array;

  constructor(sectorCount: number) {
    this.#sectorCount = sectorCount;
    this.#admitted = new Int32Array(SLOTS * sectorCount);
  }

  set(atMs: number, admitted: Int32Array): void {
    const slot = slotOf(atMs);
    this.#atMs[slot] = atMs;
    this.#admitted.set(admitted, slot * this.#sectorCount);
  }

  admittedAt(atMs: number, sector: number): number | undefined {
    const slot = slotOf(atMs);
    return this.#atMs[slot] === atMs ? this.#admitted[slot * this.#sectorCount + sector] : undefined;
  }

  clear(): void {
    this.#atMs.fill(NaN);
  }
}

/** Two boundaries that are kept at the same time never share a slot. */
function slotOf(atMs: number): number {
  const slot = (atMs / BUCKET_MS) % SLOTS;
  return slot < 0 ? slot + SLOTS : slot;
}
