import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RecordState } from './record.ts';
import type { RecordContents } from './record-contents.ts';
import type { RecordLimits } from './record-limits.ts';
import type { RecordSession } from './record-session.ts';
import { shouldYield, type Standing } from './standing.ts';
import { writeWaiting } from './write-waiting.ts';

export interface RecordTurnsOptions {
  /** Of the rows. */
  readonly codes: readonly string[];
  readonly limits: RecordLimits;
  readonly contents: RecordContents;
  readonly signal: AbortSignal;
  readonly onTurn: (kind: Exclude<RecordState['kind'], 'away'>) => void;
  readonly log: Logger;
}

/** Minutes of another process are told in their order; what it adds behind that is read with the lock, or anew. */
const POLLED_BACK_MS = 15 * 60_000;
/** Whoever waits for the lock has asked for it by then, also by a slow connection. */
const OFFERED_PINGS = 3;
/** Whoever wrote last has found the database again by then, where its others have. */
const YIELDED_PINGS = 2;

/**
 * Takes turns with other processes at writing the record. A database that was restarted, or another one that took its
 * place, has no locks: whoever wrote last asks first, as it alone may know of entries that the other one lacks; beside a
 * writer it gets the lock from it, to write them.
 */
export class RecordTurns {
  readonly #options: RecordTurnsOptions;
  #isWriter = false;
  #isOffered = false;
  #isReached = true;
  /** As far as this process knows; at first, nobody did. */
  #lastWriter: 'nobody' | 'this' | 'another' = 'nobody';
  #wake: () => void = () => {};

  constructor(options: RecordTurnsOptions) {
    this.#options = options;
  }

  /** There is something to write, or to look at. */
  wake(): void {
    this.#wake();
  }

  /** As FlowRecord has it. */
  offer(): boolean {
    this.#isOffered = this.#isWriter;
    this.#wake();
    return this.#isOffered;
  }

  /** As FlowRecord has it. */
  reached(isReached: boolean): void {
    if (isReached === this.#isReached) return;
    this.#isReached = isReached;
    this.#wake();
  }

  /** Until the record stops. @throws whatever ends the session. */
  async use(session: RecordSession): Promise<void> {
    const { contents, signal } = this.#options;
    try {
      if (this.#lastWriter === 'another') await this.#leaveLock(session, YIELDED_PINGS);
      while (!signal.aborted) {
        await this.#waitForLock(session);
        // Nobody else adds anything from here on, but for a restore.
        contents.add(await session.readLog(), await session.readMinutes(0, contents.minutesMs()));
        // Before it is said that it can be written: a full disk, say, lets everything but that through.
        await this.#write(session);
        this.#isOffered = false;
        this.#lastWriter = 'this';
        this.#enter('writer');
        contents.listener?.writer();
        await this.#writeUntilLetGo(session);
      }
    } finally {
      this.#isWriter = false;
    }
  }

  /** Returns when the record stops, or somebody else may have the lock. */
  async #writeUntilLetGo(session: RecordSession): Promise<void> {
    const { contents, limits, signal, log } = this.#options;
    let lookedAtMs = -Infinity;
    while (!signal.aborted) {
      await session.announce(this.#standing);
      const hadNothing = contents.waiting.isEmpty;
      if (!hadNothing) await this.#write(session);
      // Also while there is always something to write.
      if (hadNothing || performance.now() - lookedAtMs >= limits.pingEveryMs) {
        lookedAtMs = performance.now();
        const { returned, others } = await session.ping();
        if (returned) contents.listener?.returned?.(returned);
        if (shouldYield(this.#standing, others)) {
          log.info({ own: this.#standing, others: [...others] }, 'letting another process record');
          await this.#letGo(session);
          return;
        }
      }
      if (this.#isOffered) {
        this.#isOffered = false;
        if (!(await session.isAlone())) {
          await this.#letGo(session);
          return;
        }
        contents.listener?.writer();
      }
      await this.#untilWoken();
    }
  }

  get #standing(): Standing {
    if (this.#options.contents.waiting.lostCount > 0) return 'holding';
    return this.#isReached ? 'ready' : 'unreached';
  }

  /** What was taken to be written is. */
  async #letGo(session: RecordSession): Promise<void> {
    this.#enter('standby');
    await this.#write(session);
    await session.unlock();
    await this.#leaveLock(session, OFFERED_PINGS);
  }

  /** Somebody else may take it meanwhile. */
  async #leaveLock(session: RecordSession, forPings: number): Promise<void> {
    for (let pings = 0; pings < forPings; pings += 1) {
      await this.#pauseForPing();
      await session.ping();
    }
  }

  async #waitForLock(session: RecordSession): Promise<void> {
    const { contents, limits } = this.#options;
    let polledAtMs = performance.now();
    for (;;) {
      await session.announce(this.#standing);
      if (await session.lock()) return;
      this.#lastWriter = 'another';
      this.#enter('standby');
      await this.#pauseForPing();
      if (performance.now() - polledAtMs < limits.pollEveryMs) continue;
      polledAtMs = performance.now();
      const fromMs = (contents.lastMinuteMs ?? 0) - POLLED_BACK_MS;
      contents.add(await session.readLog(), await session.readMinutes(fromMs, contents.minutesMs(fromMs)));
    }
  }

  async #write(session: RecordSession): Promise<void> {
    const { contents, codes, log } = this.#options;
    // Of the rows, and of the others.
    await writeWaiting(session, contents, log, codes.length + 1);
  }

  #enter(kind: 'writer' | 'standby'): void {
    this.#isWriter = kind === 'writer';
    this.#options.onTurn(kind);
  }

  /** Until there is something to write, or the database must hear from us. */
  async #untilWoken(): Promise<void> {
    const { contents, limits } = this.#options;
    if (!contents.waiting.isEmpty) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limits.pingEveryMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** @throws where the record stops meanwhile. */
  async #pauseForPing(): Promise<void> {
    await pause(this.#options.limits.pingEveryMs, undefined, { signal: this.#options.signal });
  }
}
