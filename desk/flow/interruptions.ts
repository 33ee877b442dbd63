import { type EntryContext, makeEntry } from './entry-maker.ts';
import type { EventLog } from './event-log.ts';
import type { FlowRecord } from '../record/record.ts';

/**
 * A process that has read the record again may become its leader within this many ticks: PostgreSQL frees the lock of a lost
 * session a moment after a new session can begin.
 */
const HANDOVER_TICKS = 10;

export interface InterruptionsOptions extends EntryContext {
  readonly log: EventLog;
  readonly record: FlowRecord;
  /** Whether this process writes its findings into the log. */
  readonly mayNote: () => boolean;
}

/** Records, once they are over, interruptions of the tickets' database and of the record's. */
export class Interruptions {
  readonly #options: InterruptionsOptions;
  /** When the record was last available, under any leader; `undefined` while it is being opened. */
  #recordThereAtMs: number | undefined;
  #recordAwayFromMs: number | undefined;
  /** When it was read again; the leader from then on notes the loss. */
  #recordBackAtMs: number | undefined;
  #ticksBack = 0;

  constructor(options: InterruptionsOptions) {
    this.#options = options;
  }

  /** A new session observes the tickets again. */
  tickets(fromMs: number, toMs: number): void {
    this.#note('tickets', fromMs, toMs);
  }

  /** The whole record has been read: at first, or after any loss. */
  recordRead(): void {
    if (!this.#options.record.wasAddedTo) this.#recordLost();
    this.#recordThereAtMs = this.#options.nowMs();
  }

  tick(): void {
    const { record, nowMs } = this.#options;
    if (record.state.kind === 'away') {
      if (record.state.reason === 'starting' || record.wasAddedTo) return;
      // Where it was away as this process began, who saw it go may be gone.
      this.#recordThereAtMs ??= nowMs();
      this.#recordLost();
      return;
    }
    this.#recordThereAtMs = nowMs();
    if (this.#recordAwayFromMs === undefined) return;
    this.#recordBackAtMs ??= this.#recordThereAtMs;
    this.#ticksBack += 1;
    if (record.state.kind === 'standby' && this.#ticksBack <= HANDOVER_TICKS) return;
    // If another process is leader by now, it notes the loss.
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
