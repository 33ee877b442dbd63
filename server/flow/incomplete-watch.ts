import type { IncompleteCount } from '../../domain/event-state.ts';
import type { LogState } from '../../domain/flow/log-state.ts';
import { incompleteCounts } from '../../domain/flow/uncounted.ts';

/** Tells the walls which counts are not whole, as the log says it: the first time that it is looked at, and whenever it is another. */
export class IncompleteWatch {
  readonly #tell: (incomplete: readonly IncompleteCount[]) => void;
  #state: LogState | undefined;
  #told = '';

  constructor(tell: (incomplete: readonly IncompleteCount[]) => void) {
    this.#tell = tell;
  }

  look(state: LogState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#publish(incompleteCounts(state.uncounted));
  }

  /** The log cannot be read: it may have a mark. */
  unknown(): void {
    this.#publish([{ row: null, fromMs: null, toMs: null }]);
  }

  #publish(incomplete: readonly IncompleteCount[]): void {
    const text = JSON.stringify(incomplete);
    if (text === this.#told) return;
    this.#told = text;
    this.#tell(incomplete);
  }

  /** There is a new snapshot: at the next look it is told once more, at a position of that. */
  snapshot(): void {
    this.#state = undefined;
    this.#told = '';
  }
}
