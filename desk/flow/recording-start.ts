import { type Minute, MINUTE_MS } from '../model/series/minute.ts';

/**
 * Knows when recording began: with the event's first ticket, or the first entry of its log. A server that waits for the
 * tickets of an event records nothing, so that the event's record can be restored meanwhile.
 */
export class RecordingStart {
  readonly #onBegun: () => void;
  #sinceMs: number | undefined;

  constructor(onBegun: () => void) {
    this.#onBegun = onBegun;
  }

  get hasBegun(): boolean {
    return this.#sinceMs !== undefined;
  }

  /** The flow's time when recording began; Infinity before it has. */
  get sinceMs(): number {
    return this.#sinceMs ?? Infinity;
  }

  /**
   * Only the first call counts. `sinceMs` is the flow's time, or -Infinity if the event began before this process observed it.
   */
  begin(sinceMs: number): void {
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = sinceMs;
    this.#onBegun();
  }

  /** Returns the minutes that had not ended when recording began. */
  recordable(minutes: readonly Minute[]): readonly Minute[] {
    return minutes.filter(({ minuteMs }) => minuteMs + MINUTE_MS > this.sinceMs);
  }
}
