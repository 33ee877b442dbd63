import { performance } from 'node:perf_hooks';
import { chunk } from '../fan-out/chunk.ts';
import type { Frame } from '../fan-out/fan-out.ts';

/** A comment of server-sent events, which clients ignore. */
export const COMMENT: Frame = chunk(':\n');

/** Each tick checks a part of the streams: checking all at once would block the event loop. */
const TICK_MS = 50;

/** A stream that must not stay silent. */
export interface QuietStream {
  /** Sends a comment if nothing was sent since the last call. */
  breakSilence(): void;
}

/**
 * Keeps streams from being silent for longer than `everyMs`: a proxy in front of several edges assumes that the edge of a
 * silent stream hangs. Nothing is added to a stream on which counts are sent anyway.
 */
export class QuietStreams {
  readonly #everyMs: number;
  readonly #streams = new Set<QuietStream>();
  #round = this.#streams.values();
  readonly #timer: NodeJS.Timeout;
  #tickedAtMs = performance.now();
  /** How many checks are due; a fraction is carried over to the next tick. */
  #due = 0;

  constructor(everyMs: number) {
    // A frame that is sent just after a check satisfies the next one too: only the one after that notices the silence.
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
    // After a pause of this process all streams are due, as the proxy has received nothing meanwhile.
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
