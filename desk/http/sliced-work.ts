import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** As the fan-out's: a wall waits no longer for its next frame. */
const SLICE_MS = 10;
const CLOCK_EVERY = 8;

/**
 * Makes long texts a slice at a time, whoever asks: one slice of one of them, and then as much time for everything else.
 */
export class SlicedWork {
  #last: Promise<unknown> = Promise.resolve();

  /** The lines of all batches in pieces, made as they are asked for. */
  async *pieces(batches: AsyncIterable<Iterable<string>>): AsyncGenerator<string> {
    for await (const lines of batches) {
      const iterator = lines[Symbol.iterator]();
      for (let isLast = false; !isLast;) {
        const slice = await this.#inTurn(() => takeSlice(iterator));
        if (slice.text !== '') yield slice.text;
        ({ isLast } = slice);
      }
    }
  }

  #inTurn<T>(work: () => T): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.then(
      () => pause(SLICE_MS),
      () => {},
    );
    return done;
  }
}

function takeSlice(lines: Iterator<string>): { readonly text: string; readonly isLast: boolean } {
  const startMs = performance.now();
  let text = '';
  for (let count = 1; count % CLOCK_EVERY !== 0 || performance.now() - startMs < SLICE_MS; count += 1) {
    const { value, done } = lines.next();
    if (done === true) return { text, isLast: true };
    text += value;
  }
  return { text, isLast: false };
}
