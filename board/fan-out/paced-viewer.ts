import type { Frame, Viewer } from './fan-out.ts';

/** A viewer that asks for a longer interval gets this one: its heartbeats would come too late. */
const LONGEST_MS = 1_500;
/** A link that was narrow for a while is tried with more: the interval halves so often. */
const HALVED_EVERY_MS = 300_000;

/**
 * A viewer whose link carried less than it was sent: it counts as slow for an interval after each frame, so that it skips
 * what changes meanwhile. What a link's own buffers hold cannot be seen from here: the page measures it, and asks.
 */
export class PacedViewer implements Viewer {
  readonly #viewer: Viewer;
  readonly #intervalMs: number;
  readonly #sinceMs = performance.now();
  #isFull = false;

  constructor(viewer: Viewer, intervalMs: number) {
    this.#viewer = viewer;
    this.#intervalMs = Math.min(intervalMs, LONGEST_MS);
  }

  get expiresAtMs(): number {
    return this.#viewer.expiresAtMs;
  }

  send(frame: Frame): boolean {
    this.#isFull = !this.#viewer.send(frame);
    return false;
  }

  onDrain(resume: () => void): void {
    const halvings = Math.floor((performance.now() - this.#sinceMs) / HALVED_EVERY_MS);
    setTimeout(
      () => (this.#isFull ? this.#viewer.onDrain(resume) : resume()),
      this.#intervalMs / 2 ** halvings,
    ).unref();
  }

  end(): void {
    this.#viewer.end();
  }

  cut(): void {
    this.#viewer.cut();
  }
}
