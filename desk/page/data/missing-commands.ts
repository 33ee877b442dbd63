import type { LogRow } from '../../model/log/flow-log.ts';
import { elapsedMs, type Instant } from '../../../page/trust/page-clock.ts';
import type { MissingCommand } from '../desk-view.ts';
import type { GivenCommand } from './send-command.ts';

/** A counter that does not write the record reads it once a second. */
const READ_WITHIN_MS = 3_000;
/** More than an operator gives in a match. */
const MAX_COMMANDS = 1_000;

interface Answered extends GivenCommand {
  readonly at: Instant;
  readonly retry: () => void;
}

const NONE: readonly MissingCommand[] = [];

/**
 * The commands of this page that were answered with success, held against the log of whichever server tells now: where a
 * database has taken the place of the one that recorded them, and has not got them yet, they are not recorded.
 */
export class AnsweredCommands {
  readonly #answered = new Map<string, Answered>();
  readonly #onChange: () => void;
  #missing = NONE;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  add(given: GivenCommand, retry: () => void, at: Instant): void {
    this.#answered.set(given.command.id, { ...given, at, retry });
    const [oldest] = this.#answered.keys();
    if (this.#answered.size > MAX_COMMANDS && oldest !== undefined) this.#answered.delete(oldest);
  }

  /** `toldAt`: when the server told of a state that this log is whole for. The same list again while it has the same. */
  missingIn(log: readonly LogRow[], toldAt: Instant): readonly MissingCommand[] {
    if (this.#answered.size === 0) return NONE;
    const ids = new Set(log.map(({ id }) => id));
    const missing = [...this.#answered.values()].filter(
      ({ command, at }) => !ids.has(command.id) && elapsedMs(at, toldAt) > READ_WITHIN_MS,
    );
    const isSame =
      missing.length === this.#missing.length &&
      missing.every(({ command }, index) => command.id === this.#missing[index]?.command.id);
    if (!isSame) this.#missing = missing.map((answered) => this.#show(answered));
    return this.#missing;
  }

  #show({ command, givenAt, retry }: Answered): MissingCommand {
    const drop = (): void => {
      this.#answered.delete(command.id);
      this.#onChange();
    };
    return { command, givenAt, retry, drop };
  }
}
