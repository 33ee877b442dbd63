import { isDeepStrictEqual } from 'node:util';
import type { DeskCommand } from '../model/log/desk-command.ts';
import type { LogEntry } from '../model/log/flow-log.ts';
import { checkCommand, contentOf } from './check-command.ts';
import { CommandRefused, type RecordedRow } from './desk.ts';
import { type EntryContent, type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import { type FlowRecord, RecordUnavailableError } from '../record/record.ts';

export interface OperatorCommandsOptions extends EntryContext {
  readonly log: EventLog;
  readonly record: Pick<FlowRecord, 'storedAt'>;
  /** An entry needs counts for its figures. */
  readonly hasCounts: () => boolean;
}

/** Adds commands of operators to the log, one after the other, since each is checked against those before it. */
export class OperatorCommands {
  readonly #options: OperatorCommandsOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: OperatorCommandsOptions) {
    this.#options = options;
  }

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
      // A database that has replaced the one with the row may lack it.
      if (!stored)
        throw new RecordUnavailableError('The record is unavailable: its contents are not known now');
      if (isSameEntry(there, content, by)) return { ...there, stored };
      throw new CommandRefused('id-in-use', 'another command has this id');
    }
    if (Date.now() > untilMs) throw new CommandRefused('too-late', 'the command was given too long ago');
    const { state } = log;
    checkCommand(
      command,
      { state, find: (id) => log.get(id), takeBacks: log.of('take-back') },
      this.#options.nowMs(),
    );
    const stored = record.storedAt;
    return { ...(await log.append(makeEntry(this.#options, command.id, content, { by }))), stored };
  }
}

export function isSameEntry(entry: LogEntry, { kind, data, sector }: EntryContent, by: string): boolean {
  return (
    entry.kind === kind && entry.by === by && entry.sector === sector && isDeepStrictEqual(entry.data, data)
  );
}
