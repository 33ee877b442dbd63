import { type Minute, MINUTE_MS } from '../../domain/flow/minute.ts';

/**
 * Since when there is something to record of an event: it has a ticket, or its log has an entry. A server that waits for
 * the tickets of an event records nothing of it, so that a record can be restored beside it.
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

  /** `sinceMs`: by the flow's clock; -Infinity where it began before anything was watched here. The first one counts. */
  begin(sinceMs: number): void {
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = sinceMs;
    this.#onBegun();
  }

  /** Those that had not ended then. */
  recordable(minutes: readonly Minute[]): readonly Minute[] {
    const sinceMs = this.#sinceMs ?? Infinity;
    return minutes.filter(({ minuteMs }) => minuteMs + MINUTE_MS > sinceMs);
  }
}
