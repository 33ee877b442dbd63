import type { Row } from '../../domain/event-state.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RecordState } from './record.ts';
import type { RecordContents } from './record-contents.ts';
import type { RecordLimits } from './record-limits.ts';
import type { RecordSession } from './record-session.ts';
import { isOutranked, type Candidacy } from './candidacy.ts';
import { writeWaiting } from './write-waiting.ts';

export interface RecordLeadershipOptions {
  readonly rows: readonly Row[];
  readonly limits: RecordLimits;
  readonly contents: RecordContents;
  readonly signal: AbortSignal;
  readonly onRole: (kind: Exclude<RecordState['kind'], 'away'>) => void;
  readonly log: Logger;
}

/** A poll reads this far back for minutes of another process; the lock's next holder reads all of them. */
const POLLED_BACK_MS = 15 * 60_000;
/** Within this many pings every waiting process tries to take the lock, also over a slow connection. */
const YIELD_PINGS = 3;
/** Within this many pings the last leader has found the database again, if others have. */
const RETURN_PINGS = 2;

/**
 * Takes the lock of the record, leads while it holds it, and yields to preferred candidates. A database that was restarted or
 * replaced has no locks: the last leader tries first, since it alone may have entries that this database lacks. A leader yields
 * to a candidate with such entries.
 */
export class RecordLeadership {
  readonly #options: RecordLeadershipOptions;
  #isLeader = false;
  #isYielding = false;
  #isReachable = true;
  /** Who led last, as far as this process knows. */
  #lastLeader: 'nobody' | 'this' | 'another' = 'nobody';
  #wake: () => void = () => {};

  constructor(options: RecordLeadershipOptions) {
    this.#options = options;
  }

  /** Continues at once, to write or to look. */
  wake(): void {
    this.#wake();
  }

  yieldLeadership(): boolean {
    this.#isYielding = this.#isLeader;
    this.#wake();
    return this.#isYielding;
  }

  setReachable(isReachable: boolean): void {
    if (isReachable === this.#isReachable) return;
    this.#isReachable = isReachable;
    this.#wake();
  }

  /** Returns when the record stops. @throws whatever ends the session */
  async use(session: RecordSession): Promise<void> {
    const { contents, signal } = this.#options;
    try {
      if (this.#lastLeader === 'another') await this.#standAside(session, RETURN_PINGS);
      while (!signal.aborted) {
        await this.#waitForLock(session);
        // From here on nobody else adds anything, except a restore.
        contents.add(await session.readLog(), await session.readMinutes(0, contents.minutesMs()));
        // A full disk, for example, permits everything but this write.
        await this.#write(session);
        this.#isYielding = false;
        this.#lastLeader = 'this';
        this.#enter('writer');
        contents.listener?.leader();
        await this.#lead(session);
      }
    } finally {
      this.#isLeader = false;
    }
  }

  /** Returns when the record stops, or this process has yielded. */
  async #lead(session: RecordSession): Promise<void> {
    const { contents, limits, signal, log } = this.#options;
    let lookedAtMs = -Infinity;
    while (!signal.aborted) {
      await session.announce(this.#candidacy);
      const hadNothing = contents.waiting.isEmpty;
      if (!hadNothing) await this.#write(session);
      // This also happens while there is always something to write.
      if (hadNothing || performance.now() - lookedAtMs >= limits.pingEveryMs) {
        lookedAtMs = performance.now();
        const { returned, others } = await session.ping();
        if (returned) contents.listener?.returned?.(returned);
        if (isOutranked(this.#candidacy, others)) {
          log.info({ own: this.#candidacy, others: [...others] }, 'letting another process record');
          await this.#yield(session);
          return;
        }
      }
      if (this.#isYielding) {
        this.#isYielding = false;
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

  /** Writes what has been accepted, then releases the lock. */
  async #yield(session: RecordSession): Promise<void> {
    this.#enter('standby');
    await this.#write(session);
    await session.unlock();
    await this.#standAside(session, YIELD_PINGS);
  }

  /** Waits so that another process can take the lock. */
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
    const { contents, rows, log } = this.#options;
    // The rows and the others.
    await writeWaiting(session, contents, log, rows.length + 1);
  }

  #enter(kind: 'writer' | 'standby'): void {
    this.#isLeader = kind === 'writer';
    this.#options.onRole(kind);
  }

  /** Returns when there is something to write, or the session needs a ping. */
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

  /** @throws if the record stops meanwhile */
  async #pauseForPing(): Promise<void> {
    await pause(this.#options.limits.pingEveryMs, undefined, { signal: this.#options.signal });
  }
}
