import { type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import type { FlowRecord } from '../record/record.ts';

/**
 * A process that has read the record again may become the one that writes it within so many ticks: PostgreSQL frees the
 * lock of a lost session a moment after a new session can begin.
 */
const HANDOVER_TICKS = 10;

export interface InterruptionsOptions extends EntryContext {
  readonly log: EventLog;
  readonly record: FlowRecord;
  /** Whether it is this process that notes what it finds. */
  readonly mayNote: () => boolean;
}

/** Notes, once it is over, that a database could not be reached: that of the tickets, or that of the record. */
export class Interruptions {
  readonly #options: InterruptionsOptions;
  /** When the record was last seen to be there, in whichever hands; `undefined`: it is still being opened. */
  #recordThereAtMs: number | undefined;
  #recordAwayFromMs: number | undefined;
  /** When it was read again; the process that writes from then on notes the loss. */
  #recordBackAtMs: number | undefined;
  #ticksBack = 0;

  constructor(options: InterruptionsOptions) {
    this.#options = options;
  }

  /** The tickets are watched again, by a new session. */
  tickets(fromMs: number, toMs: number): void {
    this.#note('tickets', fromMs, toMs);
  }

  /** The whole record has been read: for the first time, or after a loss, however short that was. */
  recordRead(): void {
    if (!this.#options.record.wasAddedTo) this.#recordLost();
    this.#recordThereAtMs = this.#options.nowMs();
  }

  /** Is called each second. */
  tick(): void {
    const { record, nowMs } = this.#options;
    if (record.state.kind === 'away') {
      // It is still being opened for the first time.
      if (record.state.reason !== 'starting' && !record.wasAddedTo) this.#recordLost();
      return;
    }
    this.#recordThereAtMs = nowMs();
    if (this.#recordAwayFromMs === undefined) return;
    this.#recordBackAtMs ??= this.#recordThereAtMs;
    this.#ticksBack += 1;
    if (record.state.kind === 'standby' && this.#ticksBack <= HANDOVER_TICKS) return;
    // Where another process writes by now, that one notes the loss.
    this.#note('record', this.#recordAwayFromMs, this.#recordBackAtMs);
    this.#recordAwayFromMs = undefined;
    this.#recordBackAtMs = undefined;
  }

  #recordLost(): void {
    this.#recordAwayFromMs ??= this.#recordThereAtMs;
    this.#recordBackAtMs = undefined;
    this.#ticksBack = 0;
  }

  #note(what: 'tickets' | 'record', fromMs: number, toMs: number): void {
    const { log, mayNote } = this.#options;
    if (!mayNote() || toMs <= fromMs) return;
    const data = { what, fromMs: Math.round(fromMs), toMs: Math.round(toMs) };
    const id = `interrupted:${what}:${data.fromMs}`;
    log.note(id, () => makeEntry(this.#options, id, { kind: 'interrupted', sector: null, data }));
  }
}
