import type { DeskCommand } from '../model/log/desk-command.ts';
import { checkCommand, contentOf } from './check-command.ts';
import { CommandRefused, type RecordedRow } from './desk.ts';
import { type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import { type FlowRecord, RecordUnavailableError } from '../record/record.ts';
import { isSameEntry } from './same-entry.ts';

export interface OperatorCommandsOptions extends EntryContext {
  readonly log: EventLog;
  readonly record: Pick<FlowRecord, 'storedAt'>;
  /** Before the first counts, no entry can have the figures of its moment. */
  readonly hasCounts: () => boolean;
}

/** Adds what operators say to the log, one after the other: whether the second makes sense depends on the first. */
export class OperatorCommands {
  readonly #options: OperatorCommandsOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: OperatorCommandsOptions) {
    this.#options = options;
  }

  /** As `Desk.command`. */
  execute(command: DeskCommand, by: string, untilMs = Infinity): Promise<RecordedRow> {
    const result = this.#last.then(() => this.#execute(command, by, untilMs));
    this.#last = result.catch(() => {});
    return result;
  }

  async #execute(command: DeskCommand, by: string, untilMs: number): Promise<RecordedRow> {
    const { log, hasCounts, record } = this.#options;
    if (!hasCounts()) throw new RecordUnavailableError('The tickets have not been counted yet');
    const content = contentOf(command);
    const there = log.get(command.id);
    if (there) {
      const stored = record.storedAt;
      // The database that takes the place of the one that had it may lack it.
      if (!stored) throw new RecordUnavailableError('The record is away: what it holds is not known now');
      if (isSameEntry(there, content, by)) return { ...there, stored };
      throw new CommandRefused('id-in-use', 'another command has this id');
    }
    if (Date.now() > untilMs) throw new CommandRefused('too-late', 'the command was given too long ago');
    checkCommand(command, log.state, (id) => log.get(id), this.#options.nowMs());
    const stored = record.storedAt;
    return { ...(await log.append(makeEntry(this.#options, command.id, content, { by }))), stored };
  }
}
