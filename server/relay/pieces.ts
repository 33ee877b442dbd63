import type { StateAddress } from './subjects.ts';
import { MAX_STATE_BYTES, type PieceMessage } from './wire.ts';

/** States of one counter that are put together at the same time. */
const MAX_OPEN_OF_ONE = 4;
/** What one counter may have us hold, and all together: whoever sends pieces without end keeps no other from being heard. */
const MAX_BYTES_OF_ONE = MAX_STATE_BYTES;
const MAX_BYTES = 4 * MAX_STATE_BYTES;
/** The largest state takes about 5 s to be published (piece-queue.ts), where none waits before it. */
const MAX_AGE_MS = 20_000;

interface Open {
  readonly counter: string;
  readonly id: string;
  readonly count: number;
  readonly pieces: Map<number, Buffer>;
  readonly begunAtMs: number;
  bytes: number;
}

/**
 * Puts states together from their pieces. Of each counter, event and part there is only the newest; what is not whole
 * after MAX_AGE_MS, or would be too large, is dropped: it is said again.
 */
export class PieceAssembly {
  /** The oldest first. */
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
    const open = this.#open.get(key) ?? this.#begin(key, { counter, id, count }, nowMs);
    if (open.pieces.has(index)) return undefined;
    open.pieces.set(index, bytes);
    open.bytes += bytes.length;
    this.#bytes += bytes.length;
    if (this.#bytesOf(counter) > MAX_BYTES_OF_ONE) this.#drop(key);
    while (this.#bytes > MAX_BYTES) this.#dropOfLargest();
    if (open.pieces.size < count || !this.#open.has(key)) return undefined;
    const { pieces } = open;
    this.#drop(key);
    return Buffer.concat(Array.from({ length: count }, (_, n) => pieces.get(n) ?? Buffer.alloc(0)));
  }

  #begin(key: string, of: Pick<Open, 'counter' | 'id' | 'count'>, nowMs: number): Open {
    const [oldest, ...others] = this.#of(of.counter);
    if (oldest && others.length + 1 >= MAX_OPEN_OF_ONE) this.#drop(oldest[0]);
    const open = { ...of, pieces: new Map<number, Buffer>(), begunAtMs: nowMs, bytes: 0 };
    this.#open.set(key, open);
    return open;
  }

  /** The oldest state of the counter that has us hold the most: whoever says little is heard. */
  #dropOfLargest(): void {
    const counters = new Set([...this.#open.values()].map(({ counter }) => counter));
    const [largest = ''] = [...counters].toSorted((one, other) => this.#bytesOf(other) - this.#bytesOf(one));
    const [oldest] = this.#of(largest);
    if (oldest) this.#drop(oldest[0]);
  }

  #bytesOf(counter: string): number {
    return this.#of(counter).reduce((sum, [, { bytes }]) => sum + bytes, 0);
  }

  #of(counter: string): [string, Open][] {
    return [...this.#open].filter(([, open]) => open.counter === counter);
  }

  #drop(key: string): void {
    this.#bytes -= this.#open.get(key)?.bytes ?? 0;
    this.#open.delete(key);
  }
}
