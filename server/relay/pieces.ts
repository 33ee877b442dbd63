import type { StateAddress } from './subjects.ts';
import { MAX_STATE_BYTES, type PieceMessage } from './wire.ts';

/** States that may be put together at the same time. */
const MAX_OPEN = 16;
/** All of a state's pieces are published within one turn of a loop. */
const MAX_AGE_MS = 5_000;

interface Open {
  readonly id: string;
  readonly count: number;
  readonly pieces: Map<number, Buffer>;
  readonly begunAtMs: number;
  bytes: number;
}

/**
 * Puts states together from their pieces. Of each counter, event and part there is only the newest; what is not whole
 * after MAX_AGE_MS, or would be too large, is dropped: it is said again. It never holds more than MAX_HELD_BYTES.
 */
export class PieceAssembly {
  readonly #open = new Map<string, Open>();
  #bytes = 0;

  /** What it holds now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The whole text, with its last piece. `nowMs`: of `performance.now()`. */
  add(
    { counter, eventId, part }: StateAddress,
    { piece: { id, index, count }, bytes }: PieceMessage,
    nowMs: number,
  ): Buffer | undefined {
    const key = `${counter}.${eventId}.${part}`;
    for (const [other, { begunAtMs }] of this.#open) if (nowMs - begunAtMs > MAX_AGE_MS) this.#drop(other);
    const known = this.#open.get(key);
    if (known && (known.id !== id || known.count !== count)) this.#drop(key);
    let open = this.#open.get(key);
    if (!open) {
      if (this.#open.size >= MAX_OPEN) return undefined;
      open = { id, count, pieces: new Map(), begunAtMs: nowMs, bytes: 0 };
      this.#open.set(key, open);
    }
    if (open.pieces.has(index)) return undefined;
    open.pieces.set(index, bytes);
    open.bytes += bytes.length;
    this.#bytes += bytes.length;
    if (open.bytes > MAX_STATE_BYTES || this.#bytes > MAX_HELD_BYTES) {
      this.#drop(key);
      return undefined;
    }
    if (open.pieces.size < count) return undefined;
    const { pieces } = open;
    this.#drop(key);
    return Buffer.concat(Array.from({ length: count }, (_, n) => pieces.get(n) ?? Buffer.alloc(0)));
  }

  #drop(key: string): void {
    this.#bytes -= this.#open.get(key)?.bytes ?? 0;
    this.#open.delete(key);
  }
}

const MAX_HELD_BYTES = 2 * MAX_STATE_BYTES;
