import type { Frame, Viewer } from './fan-out.ts';

/** The longest interval, however long a viewer asks for: heartbeats would come too late with a longer one. */
const MAX_INTERVAL_MS = 1_500;
/** The interval halves this often, as the link may have become faster. */
const HALVED_EVERY_MS = 300_000;

/**
 * A viewer whose link was too slow for its frames. After each frame it counts as slow for an interval, so that it skips the
 * frames of that time. The server cannot see how much the buffers of a link hold: the page measures that, and requests an
 * interval.
 */
export class PacedViewer implements Viewer {
  readonly #viewer: Viewer;
  readonly #intervalMs: number;
  readonly #sinceMs = performance.now();
  #isFull = false;

  constructor(viewer: Viewer, intervalMs: number) {
    this.#viewer = viewer;
    this.#intervalMs = Math.min(intervalMs, MAX_INTERVAL_MS);
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
