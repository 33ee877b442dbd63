import type { CommandRefusal, DeskCommand } from '../model/log/desk-command.ts';
import type { DeskState } from '../model/desk-state.ts';
import type { LogRow, Source, StoredAt } from '../model/log/flow-log.ts';
import type { UsualCurve } from '../model/forecast/usual-curve.ts';
import type { Minute } from '../model/series/minute.ts';
import { OperatorError } from '../../domain/operator-error.ts';

/** At hand where it is asked of this process; of another one it comes. */
type Asked<T> = T | Promise<T>;

/**
 * The flow of one event, as its desks see it and add to its log. What another process is asked rejects with a
 * DeskUnavailableError where none answers.
 */
export interface Desk {
  readonly eventId: string;
  /** Of the rows, in the order of a minute's sectors; the last, '', is of the others. */
  readonly sectors: readonly string[];
  /** Of its minutes. */
  readonly source: Source;
  /** As of now. It is made anew: whoever asks may keep it. */
  state(): Asked<DeskState>;
  /**
   * As it was shown at a minute's end, `endMs`, as far as minutes and log tell (decisions/0026); its `source` is not live
   * where that minute is not known. `undefined` where none is known before it, or that minute is not over.
   */
  stateAt(endMs: number): Asked<DeskState | undefined>;
  /** Known minutes that begin in [fromMs, toMs), in order. */
  minutes(fromMs: number, toMs: number): Asked<readonly Minute[]>;
  /** Of a sector by its place, or without one of the whole ground; null where too few earlier matches tell. */
  usualCurve(sector?: number): Asked<UsualCurve | null>;
  /** Rows that follow `afterSeq`, in order, without one missing; the first `limit` of them. */
  log(afterSeq: number, limit?: number): Asked<readonly LogRow[]>;
  /**
   * Resolves with the row after its commit; the same command again, with the row that is there. `by`: the operator's name
   * as declared. Rejects with a CommandRefused, or a RecordUnavailableError: nobody can write now, or it is not known
   * whether it was written, and the same command may be sent again. `untilMs`: the latest time by the clock of the machine
   * that writes; what comes later, from wherever it was held up, is refused.
   */
  command(command: DeskCommand, by: string, untilMs?: number): Promise<RecordedRow>;
  /** Calls `listener` with each minute as it becomes known, in order. Returns how it ends. */
  onMinute(listener: (minute: Minute) => void): () => void;
}

/** `stored`: where it was recorded; `undefined`: that is not told. */
export type RecordedRow = LogRow & { readonly stored?: StoredAt | undefined };

/** No process that watches the event answers. */
export class DeskUnavailableError extends OperatorError {
  override readonly name = 'DeskUnavailableError';
}

/** The command makes no sense as things stand: sent again, it makes none either. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  readonly reason: CommandRefusal;

  /** `message` is for whoever sent it. */
  constructor(reason: CommandRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}
