import type { IncompleteCount } from '../../domain/event-state.ts';
import type { LogState } from '../model/log/log-state.ts';
import { incompleteCounts } from '../model/log/uncounted.ts';

/** `evacuatedAtMs`: since when an evacuation holds; null: none does. */
export type IncompleteListener = (
  incomplete: readonly IncompleteCount[],
  evacuatedAtMs: number | null,
) => void;

/**
 * Tells the walls which counts are not whole and since when an evacuation holds, as the log says it: the first time that it is
 * looked at, and whenever it is another.
 */
export class IncompleteWatch {
  readonly #tell: IncompleteListener;
  #state: LogState | undefined;
  #told = '';

  constructor(tell: IncompleteListener) {
    this.#tell = tell;
  }

  look(state: LogState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#publish(incompleteCounts(state.uncounted), state.evacuatedAtMs);
  }

  /** The log cannot be read: it may have a mark. */
  unknown(): void {
    this.#publish([{ row: null, fromMs: null, toMs: null }], null);
  }

  #publish(...said: Parameters<IncompleteListener>): void {
    const text = JSON.stringify(said);
    if (text === this.#told) return;
    this.#told = text;
    this.#tell(...said);
  }

  /** There is a new snapshot: at the next look it is told once more, at a position of that. */
  snapshot(): void {
    this.#state = undefined;
    this.#told = '';
  }
}
