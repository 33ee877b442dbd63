import type { LogRow } from '../../model/log/flow-log.ts';
import { elapsedMs, type Instant } from '../../../page/trust/page-clock.ts';
import type { MissingCommand } from '../desk-view.ts';
import type { GivenCommand } from './send-command.ts';

/** A counter that does not lead the record reads it once a second. */
const READ_WITHIN_MS = 3_000;
/** No operator gives more in a match. */
const MAX_COMMANDS = 1_000;

interface Answered extends GivenCommand {
  readonly at: Instant;
  readonly retry: () => void;
}

const NONE: readonly MissingCommand[] = [];

/**
 * Compares the commands that were answered with success with the current server's log. They are missing from it if another
 * database has replaced the one that recorded them, and has not received them.
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

  /**
   * `log`: `undefined` where the server has not read its record. `receivedAt`: when the state came for which it is complete.
   * Returns the same list while its content is the same.
   */
  missingIn(log: readonly LogRow[] | undefined, receivedAt: Instant): readonly MissingCommand[] {
    if (this.#answered.size === 0 || log === undefined) return NONE;
    const ids = new Set(log.map(({ id }) => id));
    const missing = [...this.#answered.values()].filter(
      ({ command, at }) => !ids.has(command.id) && elapsedMs(at, receivedAt) > READ_WITHIN_MS,
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
