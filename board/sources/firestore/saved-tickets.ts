import type { Logger } from 'pino';
import { errorMessage } from '../../../database/setup-error.ts';
import type { ResumeFile } from './resume-file.ts';
import type { TicketMemory } from './ticket-memory.ts';

/** The memory in its file: a restart reads no ticket again. Without the file everything works as well, and costs more. */
export class SavedTickets {
  readonly #file: ResumeFile;
  readonly #memory: TicketMemory;
  readonly #withinMs: number;
  readonly #log: Logger;
  #savedReadTimeUs = 0;

  constructor(file: ResumeFile, memory: TicketMemory, withinMs: number, log: Logger) {
    this.#file = file;
    this.#memory = memory;
    this.#withinMs = withinMs;
    this.#log = log;
  }

  async restore(): Promise<void> {
    try {
      const copy = await this.#file.read(this.#withinMs);
      if (!copy) return;
      this.#memory.restore(copy);
      this.#log.info({ tickets: this.#memory.size }, 'resuming from the saved tickets');
    } catch (error) {
      this.#log.warn({ reason: errorMessage(error) }, 'the saved tickets cannot be used: all are read again');
    }
  }

  /** Where there is anything new. */
  async save(): Promise<void> {
    const copy = this.#memory.readTimeUs === this.#savedReadTimeUs ? undefined : this.#memory.copy();
    if (!copy) return;
    this.#savedReadTimeUs = copy.readTimeUs;
    try {
      await this.#file.write(copy);
    } catch (error) {
      this.#log.warn(
        { reason: errorMessage(error) },
        'the tickets cannot be saved: a restart reads all again',
      );
    }
  }
}
