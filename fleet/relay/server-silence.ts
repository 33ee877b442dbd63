import { performance } from 'node:perf_hooks';
import { RoundTrip } from './round-trip.ts';

/** A server is pinged so often, and silent when it has not answered for SILENCE_MS, or longer over a slow link. */
const PING_EVERY_MS = 250;
const SILENCE_MS = 1_000;

/** Pings servers of NATS, one connection after the other, and remembers how slow the link was. */
export class ServerSilence {
  readonly #roundTrip = new RoundTrip();

  /** How much longer than over a quick link an answer may take. */
  allowanceMs(nowMs: number): number {
    return this.#roundTrip.allowanceMs(nowMs);
  }

  /** `flush` resolves once the server has answered. Returns how to stop; `onSilent` is called more than once. */
  watch(flush: () => Promise<void>, onSilent: () => void): () => void {
    let lookedAtMs = performance.now();
    let unansweredSinceMs: number | undefined;
    const answered = (): void => {
      const nowMs = performance.now();
      this.#roundTrip.note(nowMs - (unansweredSinceMs ?? nowMs), nowMs);
      unansweredSinceMs = undefined;
    };
    const timer = setInterval(() => {
      const nowMs = performance.now();
      // This process was held up: the answer may have arrived and not been read yet.
      const wasHeldUp = nowMs - lookedAtMs > PING_EVERY_MS + SILENCE_MS / 2;
      lookedAtMs = nowMs;
      if (unansweredSinceMs === undefined) {
        unansweredSinceMs = nowMs;
        flush().then(answered, () => {});
      } else if (wasHeldUp) unansweredSinceMs = nowMs;
      else if (nowMs - unansweredSinceMs > SILENCE_MS + this.#roundTrip.allowanceMs(nowMs)) onSilent();
    }, PING_EVERY_MS);
    return () => clearInterval(timer);
  }
}
