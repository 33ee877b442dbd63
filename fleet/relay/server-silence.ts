import { performance } from 'node:perf_hooks';
import { RoundTrip } from './round-trip.ts';

/**
 * A server is pinged so often, and silent when it has not answered for SILENCE_MS, or longer over a slow link; slow after half
 * of that.
 */
const PING_EVERY_MS = 250;
const SILENCE_MS = 1_000;

export interface SilenceListeners {
  readonly onSlow: () => void;
  readonly onSilent: () => void;
}

/** Pings servers of NATS, one connection after the other, and remembers how slow the link was. */
export class ServerSilence {
  readonly #roundTrip = new RoundTrip();
  #unansweredSinceMs: number | undefined;

  /** How much longer than over a quick link an answer may take. */
  allowanceMs(nowMs: number): number {
    return this.#roundTrip.allowanceMs(nowMs);
  }

  /** Whether the last ping has no answer yet, and is late. */
  isSlow(nowMs: number): boolean {
    return this.#unansweredMs(nowMs) > (SILENCE_MS + this.allowanceMs(nowMs)) / 2;
  }

  /** `flush` resolves once the server has answered. Returns how to stop; the listeners are called again and again. */
  watch(flush: () => Promise<void>, { onSlow, onSilent }: SilenceListeners): () => void {
    let lookedAtMs = performance.now();
    let isStopped = false;
    this.#unansweredSinceMs = undefined;
    const answered = (): void => {
      if (isStopped) return;
      const nowMs = performance.now();
      this.#roundTrip.note(this.#unansweredMs(nowMs), nowMs);
      this.#unansweredSinceMs = undefined;
    };
    const timer = setInterval(() => {
      const nowMs = performance.now();
      // This process was held up: the answer may have arrived and not been read yet.
      const wasHeldUp = nowMs - lookedAtMs > PING_EVERY_MS + SILENCE_MS / 2;
      lookedAtMs = nowMs;
      if (this.#unansweredSinceMs === undefined) {
        this.#unansweredSinceMs = nowMs;
        flush().then(answered, () => {});
      } else if (wasHeldUp) this.#unansweredSinceMs = nowMs;
      else if (this.#unansweredMs(nowMs) > SILENCE_MS + this.allowanceMs(nowMs)) onSilent();
      else if (this.isSlow(nowMs)) onSlow();
    }, PING_EVERY_MS);
    return () => {
      isStopped = true;
      clearInterval(timer);
    };
  }

  #unansweredMs(nowMs: number): number {
    return nowMs - (this.#unansweredSinceMs ?? nowMs);
  }
}
