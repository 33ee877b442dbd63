import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RecordState } from './record.ts';
import type { RecordContents } from './record-contents.ts';
import type { RecordLimits } from './record-limits.ts';
import type { RecordSession } from './record-session.ts';
import { shouldYield, type Candidacy } from './candidacy.ts';
import { writeWaiting } from './write-waiting.ts';

export interface RecordLeadershipOptions {
  /** Of the rows. */
  readonly codes: readonly string[];
  readonly limits: RecordLimits;
  readonly contents: RecordContents;
  readonly signal: AbortSignal;
  readonly onRole: (kind: Exclude<RecordState['kind'], 'away'>) => void;
  readonly log: Logger;
}

/** Minutes of another process are told in their order; what it adds behind that is read with the lock, or anew. */
const POLLED_BACK_MS = 15 * 60_000;
/** Whoever waits for the lock has asked for it by then, also by a slow connection. */
const YIELD_PINGS = 3;
/** Whoever wrote last has found the database again by then, where its others have. */
const RETURN_PINGS = 2;

/**
 * Takes turns with other processes at writing the record. A database that was restarted, or another one that took its
 * place, has no locks: whoever wrote last asks first, as it alone may know of entries that the other one lacks; beside a
 * writer it gets the lock from it, to write them.
 */
export class RecordLeadership {
  readonly #options: RecordLeadershipOptions;
  #isLeader = false;
  #shouldYield = false;
  #isReachable = true;
  /** As far as this process knows; at first, nobody did. */
  #lastLeader: 'nobody' | 'this' | 'another' = 'nobody';
  #wake: () => void = () => {};

  constructor(options: RecordLeadershipOptions) {
    this.#options = options;
  }

  /** There is something to write, or to look at. */
  wake(): void {
    this.#wake();
  }

  /** As FlowRecord has it. */
  yieldLeadership(): boolean {
    this.#shouldYield = this.#isLeader;
    this.#wake();
    return this.#shouldYield;
  }

  /** As FlowRecord has it. */
  setReachable(isReachable: boolean): void {
    if (isReachable === this.#isReachable) return;
    this.#isReachable = isReachable;
    this.#wake();
  }

  /** Until the record stops. @throws whatever ends the session. */
  async use(session: RecordSession): Promise<void> {
    const { contents, signal } = this.#options;
    try {
      if (this.#lastLeader === 'another') await this.#standAside(session, RETURN_PINGS);
      while (!signal.aborted) {
        await this.#waitForLock(session);
        // Nobody else adds anything from here on, but for a restore.
        contents.add(await session.readLog(), await session.readMinutes(0, contents.minutesMs()));
        // Before it is said that it can be written: a full disk, say, lets everything but that through.
        await this.#write(session);
        this.#shouldYield = false;
        this.#lastLeader = 'this';
        this.#enter('writer');
        contents.listener?.leader();
        await this.#lead(session);
      }
    } finally {
      this.#isLeader = false;
    }
  }

  /** Returns when the record stops, or somebody else may have the lock. */
  async #lead(session: RecordSession): Promise<void> {
    const { contents, limits, signal, log } = this.#options;
    let lookedAtMs = -Infinity;
    while (!signal.aborted) {
      await session.announce(this.#candidacy);
      const hadNothing = contents.waiting.isEmpty;
      if (!hadNothing) await this.#write(session);
      // Also while there is always something to write.
      if (hadNothing || performance.now() - lookedAtMs >= limits.pingEveryMs) {
        lookedAtMs = performance.now();
        const { returned, others } = await session.ping();
        if (returned) contents.listener?.returned?.(returned);
        if (shouldYield(this.#candidacy, others)) {
          log.info({ own: this.#candidacy, others: [...others] }, 'letting another process record');
          await this.#yield(session);
          return;
        }
      }
      if (this.#shouldYield) {
        this.#shouldYield = false;
        if (!(await session.isAlone())) {
          await this.#yield(session);
          return;
        }
        contents.listener?.leader();
      }
      await this.#untilWoken();
    }
  }

  get #candidacy(): Candidacy {
    if (this.#options.contents.waiting.lostCount > 0) return 'holding';
    return this.#isReachable ? 'ready' : 'unreached';
  }

  /** What was taken to be written is. */
  async #yield(session: RecordSession): Promise<void> {
    this.#enter('standby');
    await this.#write(session);
    await session.unlock();
    await this.#standAside(session, YIELD_PINGS);
  }

  /** Somebody else may take it meanwhile. */
  async #standAside(session: RecordSession, forPings: number): Promise<void> {
    for (let pings = 0; pings < forPings; pings += 1) {
      await this.#pauseForPing();
      await session.ping();
    }
  }

  async #waitForLock(session: RecordSession): Promise<void> {
    const { contents, limits } = this.#options;
    let polledAtMs = performance.now();
    for (;;) {
      await session.announce(this.#candidacy);
      if (await session.lock()) return;
      this.#lastLeader = 'another';
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
    this.#isLeader = kind === 'writer';
    this.#options.onRole(kind);
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
