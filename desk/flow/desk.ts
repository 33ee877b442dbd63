import type { CommandRefusal, DeskCommand } from '../model/log/desk-command.ts';
import type { DeskState } from '../model/desk-state.ts';
import type { LogRow, Source, StoredAt } from '../model/log/flow-log.ts';
import type { UsualCurve } from '../model/forecast/usual-curve.ts';
import type { Minute } from '../model/series/minute.ts';
import { OperatorError } from '../../domain/operator-error.ts';

/** Synchronous in this process, asynchronous from another one. */
type Asked<T> = T | Promise<T>;

/**
 * The flow of one event for its desks, with the commands that add to its log. Where another process is asked and does not
 * answer, promises reject with a DeskUnavailableError.
 */
export interface Desk {
  readonly eventId: string;
  /** The codes of a minute's sectors in order; the last, '', is that of the others. */
  readonly sectors: readonly string[];
  /** The source of its minutes. */
  readonly source: Source;
  /** Returns the current state in a new object. */
  state(): Asked<DeskState>;
  /**
   * Returns the state that was displayed at the end of a minute, as far as minutes and log show (decisions/0026). Its `source`
   * is not live if that minute is unconfirmed. `undefined` if no minute before it is confirmed, or the minute is not over.
   */
  stateAt(endMs: number): Asked<DeskState | undefined>;
  /** Returns the confirmed minutes that begin in [fromMs, toMs), in order. */
  minutes(fromMs: number, toMs: number): Asked<readonly Minute[]>;
  /** Returns the curve of the sector with this index or of the whole ground; null with too few earlier matches. */
  usualCurve(sector?: number): Asked<UsualCurve | null>;
  /** Returns the first `limit` rows after `afterSeq`, in order and without a gap. */
  log(afterSeq: number, limit?: number): Asked<readonly LogRow[]>;
  /**
   * Resolves with the row after its commit; for a repeated command, with the existing row. `by` is the operator's name as
   * declared. A command that arrives after `untilMs`, by the clock of the machine that writes, is refused.
   *
   * @throws CommandRefused
   * @throws RecordUnavailableError where nobody can write, or the outcome is unknown: the same command may be sent again.
   */
  command(command: DeskCommand, by: string, untilMs?: number): Promise<RecordedRow>;
  /** Calls `listener` with each confirmed minute, in order. Returns a function that unsubscribes. */
  onMinute(listener: (minute: Minute) => void): () => void;
}

/** `stored`: the database that holds the row; `undefined` where it is not known. */
export type RecordedRow = LogRow & { readonly stored?: StoredAt | undefined };

/** No process that observes the event answers. */
export class DeskUnavailableError extends OperatorError {
  override readonly name = 'DeskUnavailableError';
}

/** The command contradicts the log; repeating it does not help. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  readonly reason: CommandRefusal;

  /** `message` is for the client. */
  constructor(reason: CommandRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}
