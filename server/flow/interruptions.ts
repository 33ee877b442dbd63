import { type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import type { FlowRecord } from './record/record.ts';

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

  constructor(options: InterruptionsOptions) {
    this.#options = options;
  }

  /** The tickets are watched again, by a new session. */
  tickets(fromMs: number, toMs: number): void {
    this.#note('tickets', fromMs, toMs);
  }

  /** The record is away, or was and has been read anew, however short that was. */
  recordLost(): void {
    this.#recordAwayFromMs ??= this.#recordThereAtMs;
  }

  /** Each second. */
  tick(): void {
    const { record, nowMs } = this.#options;
    if (record.state.kind === 'away') {
      this.recordLost();
      return;
    }
    this.#recordThereAtMs = nowMs();
    // The process that writes then says it.
    if (this.#recordAwayFromMs !== undefined)
      this.#note('record', this.#recordAwayFromMs, this.#recordThereAtMs);
    this.#recordAwayFromMs = undefined;
  }

  #note(what: 'tickets' | 'record', fromMs: number, toMs: number): void {
    const { log, mayNote } = this.#options;
    if (!mayNote() || toMs <= fromMs) return;
    const data = { what, fromMs: Math.round(fromMs), toMs: Math.round(toMs) };
    const id = `interrupted:${what}:${data.fromMs}`;
    log.note(id, () => makeEntry(this.#options, id, { kind: 'interrupted', sector: null, data }));
  }
}
