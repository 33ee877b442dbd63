import { performance } from 'node:perf_hooks';
import { chunk } from '../fan-out/chunk.ts';
import type { Frame } from '../fan-out/fan-out.ts';

/** A line that readers of server-sent events pass over. */
export const COMMENT: Frame = chunk(':\n');

/** How often some of the streams are looked at: all at once would hold the event loop. */
const TICK_MS = 50;

/** A stream, as far as its silence goes. */
export interface QuietStream {
  /** Sends a comment where nothing was sent since the last call. */
  breakSilence(): void;
}

/**
 * Keeps streams from being silent for longer than `everyMs`: a proxy before several edges takes a silent stream for one of a
 * hung edge. A stream on which counts are sent anyway costs nothing more.
 */
export class QuietStreams {
  readonly #everyMs: number;
  readonly #streams = new Set<QuietStream>();
  #round = this.#streams.values();
  readonly #timer: NodeJS.Timeout;
  #tickedAtMs = performance.now();
  /** Checks that are due, in part. */
  #due = 0;

  constructor(everyMs: number) {
    // Whatever was sent just after a look is seen at the next one, and its silence at the one after that.
    this.#everyMs = everyMs / 2;
    this.#timer = setInterval(this.#tick, TICK_MS);
  }

  /** Returns how to remove the stream; removing it twice is harmless. */
  add(stream: QuietStream): () => void {
    this.#streams.add(stream);
    return () => void this.#streams.delete(stream);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#streams.clear();
  }

  readonly #tick = (): void => {
    const nowMs = performance.now();
    const { size } = this.#streams;
    // After a pause of this process, all at once: the proxy has received nothing meanwhile.
    this.#due = Math.min(size, this.#due + (size * (nowMs - this.#tickedAtMs)) / this.#everyMs);
    this.#tickedAtMs = nowMs;
    for (; this.#due >= 1; this.#due -= 1) this.#next()?.breakSilence();
  };

  #next(): QuietStream | undefined {
    const next = this.#round.next();
    if (!next.done) return next.value;
    this.#round = this.#streams.values();
    return this.#round.next().value;
  }
}
