import type { IncompleteCount } from '../../domain/event-state.ts';
import type { LogState } from '../model/log/log-state.ts';
import { incompleteCounts } from '../model/log/uncounted.ts';

/** `evacuatedAtMs`: when the current evacuation began; null without one. */
export type IncompleteListener = (
  incomplete: readonly IncompleteCount[],
  evacuatedAtMs: number | null,
) => void;

/**
 * Publishes for the walls which counts are incomplete and since when an evacuation holds: once the log is read, and at each
 * change.
 */
export class IncompleteWatch {
  readonly #listener: IncompleteListener;
  #state: LogState | undefined;
  #published = '';

  constructor(listener: IncompleteListener) {
    this.#listener = listener;
  }

  look(state: LogState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#publish(incompleteCounts(state.uncounted), state.evacuatedAtMs);
  }

  /** The log cannot be read, and may have a mark. */
  unknown(): void {
    this.#publish([{ row: null, fromMs: null, toMs: null }], null);
  }

  #publish(...args: Parameters<IncompleteListener>): void {
    const text = JSON.stringify(args);
    if (text === this.#published) return;
    this.#published = text;
    this.#listener(...args);
  }

  /** After a new snapshot the next look publishes again, at a position of that snapshot. */
  snapshot(): void {
    this.#state = undefined;
    this.#published = '';
  }
}
