import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LogEntry, LogRow } from '../../../domain/flow/flow-log.ts';
import type { Minute } from '../../../domain/flow/minute.ts';
import { ConnectionFaultError } from '../../database/connection-fault.ts';
import { type Primary, PrimaryWatch } from '../../database/primary/primary-watch.ts';
import { retryDelayMs } from '../../database/retry-delay.ts';
import { errorMessage } from '../../database/setup-error.ts';
import { type FlowRecord, type RecordListener, type RecordState, RecordUnavailableError } from './record.ts';
import { isRefusedRow, toRecordError } from './record-fault.ts';
import { RECORD_LIMITS, type RecordLimits } from './record-limits.ts';
import { type Reading, RecordSession, type RecordSessionOptions } from './record-session.ts';
import { RecentRows } from './recent-rows.ts';
import { type WaitingEntry, WaitingWrites } from './waiting-writes.ts';

/** `url` may name several hosts: the primary among them is written to. */
export interface PostgresRecordOptions extends Omit<RecordSessionOptions, 'limits'> {
  readonly log: Logger;
  readonly limits?: RecordLimits;
}

/** One statement: enough of them fill a second, none takes one. */
const ROWS_AT_ONCE = 2_000;
/** Minutes of another process are told in their order; what it adds behind that is read with the lock, or anew. */
const POLLED_BACK_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
const NOTHING_READ: Reading = { minutes: [], foreignMs: [] };
/** Whoever waits for the lock has asked for it by then, also by a slow connection. */
const OFFERED_PINGS = 3;
/** Of the second in which `stop` is done: to write what waits, then to end the session. */
const FLUSH_LIMIT_MS = 400;
const END_LIMIT_MS = 300;

/**
 * Keeps the record in PostgreSQL, one session after the other, for ever.
 *
 *        ┌──────────────────────────────────────────────────────────────────────────┐
 *        ▼                                                                          │ pause, longer after each failure
 *      away ── the primary found, connected, ──▶ standby ── lock, the rest read, ──▶ writer
 *        ▲     checked, all read                   │ ▲     what waits written         │ │
 *        │                                         │ └──────── offered to others ─────┘ │
 *        └── any failure, silence, another host ───┴────────────────────────────────────┘
 *            that leads
 *
 * The lock is the session's: a session that ends lets go of it, and PostgreSQL ends a silent one. A database that was
 * restarted, or another one that took its place, has no locks: the first process to ask writes. A former primary that is
 * still up is left within a second or two. A commit whose answer was
 * lost is finished before its session lets go of the lock, so that the next writer finds it.
 */
export class PostgresRecord implements FlowRecord {
  readonly isKept = true;
  readonly #options: PostgresRecordOptions;
  readonly #limits: RecordLimits;
  readonly #hosts: PrimaryWatch;
  readonly #stopping = new AbortController();
  readonly #waiting = new WaitingWrites();
  readonly #recent = new RecentRows();
  #listener: RecordListener | undefined;
  #running: Promise<void> = Promise.resolve();
  #session: RecordSession | undefined;
  /** The system identifier of the last primary. */
  #followed: string | undefined;
  #awaitsPromotion = false;
  #state: RecordState = { kind: 'away', reason: 'starting' };
  #recordedMs = new Set<number>();
  #lastMinuteMs: number | undefined;
  #minutesWritten = 0;
  #failures = 0;
  #reportedReason = '';
  #isOffered = false;
  #wake: () => void = () => {};

  constructor(options: PostgresRecordOptions) {
    this.#options = options;
    this.#limits = options.limits ?? RECORD_LIMITS;
    this.#hosts = new PrimaryWatch(options.url, options.place);
  }

  get state(): RecordState {
    return this.#state;
  }

  get minutesWritten(): number {
    return this.#minutesWritten;
  }

  get minutesWaiting(): number {
    return this.#waiting.minuteCount;
  }

  get lastMinuteMs(): number | undefined {
    return this.#lastMinuteMs;
  }

  run(listener: RecordListener): void {
    this.#listener = listener;
    this.#running = this.#runForever();
  }

  writeMinutes(minutes: readonly Minute[]): void {
    for (const minute of minutes) {
      if (!this.#recordedMs.has(minute.minuteMs)) this.#waiting.addMinute(minute);
    }
    this.#wake();
  }

  async append(entry: LogEntry): Promise<LogRow> {
    if (this.#state.kind !== 'writer') throw new RecordUnavailableError(unavailable(this.#state));
    const appended = this.#waiting.append(entry);
    this.#wake();
    return appended;
  }

  note(entry: LogEntry): void {
    if (this.#recent.has(entry.id)) return;
    const lost = this.#waiting.addNote(entry);
    if (lost > 0)
      this.#options.log.error({ lost }, 'the record is away for too long: entries of the log are lost');
    this.#wake();
  }

  withdraw(ids: readonly string[]): void {
    this.#waiting.withdraw(ids);
  }

  offer(): boolean {
    this.#isOffered = this.#state.kind === 'writer';
    this.#wake();
    return this.#isOffered;
  }

  async stop(): Promise<void> {
    this.#listener = undefined;
    const giveUpAtMs = performance.now() + FLUSH_LIMIT_MS;
    while (this.#state.kind === 'writer' && !this.#waiting.isEmpty && performance.now() < giveUpAtMs) {
      await pause(5);
    }
    this.#stopping.abort();
    this.#wake();
    await Promise.all([this.#session?.end(END_LIMIT_MS), this.#hosts.end()]);
    await this.#running;
  }

  async #runForever(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const primary = await this.#findPrimary();
      if (signal.aborted) return;
      if (primary) await this.#record(primary);
      if (signal.aborted) return;
      this.#failures += 1;
      const { maxRetryDelayMs, promotionPollMs } = this.#limits;
      await this.#pause(
        this.#awaitsPromotion ? promotionPollMs : retryDelayMs(this.#failures, maxRetryDelayMs),
      );
    }
  }

  async #findPrimary(): Promise<Primary | undefined> {
    try {
      const primary = await this.#hosts.find({ followed: this.#followed });
      this.#awaitsPromotion = false;
      this.#followed = primary.found?.systemId;
      return primary;
    } catch (error) {
      this.#awaitsPromotion = error instanceof ConnectionFaultError && error.fault.awaitsPromotion === true;
      this.#leave(toRecordError(error, this.#options.place).message);
      return undefined;
    }
  }

  /** In one session, for as long as it lasts. */
  async #record(primary: Primary): Promise<void> {
    const session = new RecordSession({ ...this.#options, url: primary.url, limits: this.#limits });
    this.#session = session;
    let retired: unknown;
    const unfollow = this.#hosts.follow(primary, {
      everyMs: this.#limits.hostsEveryMs,
      onRetired: (error) => {
        retired = error;
        void session.end(END_LIMIT_MS);
        this.#wake();
      },
      // The feed tells of them.
      onWarning: () => {},
    });
    try {
      await this.#use(session);
      this.#leave('stopped');
    } catch (error) {
      this.#leave(toRecordError(retired ?? error, this.#options.place).message);
    }
    unfollow();
    // Not before it has let go of the lock, if it can be told to.
    if (!this.#stopping.signal.aborted) await session.end();
  }

  /** Until the record stops. @throws whatever ends the session. */
  async #use(session: RecordSession): Promise<void> {
    await session.check();
    await this.#load(session);
    while (!this.#stopping.signal.aborted) {
      await this.#waitForLock(session);
      // Nobody else adds anything from here on.
      this.#tell(await session.readLog(), await session.readMinutes(0, this.#recordedMs));
      // Before it is said that it can be written: a full disk, say, lets everything but that through.
      await this.#write(session);
      this.#isOffered = false;
      this.#enter({ kind: 'writer' });
      this.#listener?.writer();
      await this.#writeUntilLetGo(session);
    }
  }

  /** Returns when the record stops, or somebody else may have the lock. */
  async #writeUntilLetGo(session: RecordSession): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#waiting.isEmpty) await session.ping();
      else await this.#write(session);
      if (this.#isOffered) {
        this.#isOffered = false;
        if (!(await session.isAlone())) {
          await this.#letGo(session);
          return;
        }
        this.#listener?.writer();
      }
      await this.#untilWoken();
    }
  }

  /** What was taken to be written is. */
  async #letGo(session: RecordSession): Promise<void> {
    this.#enter({ kind: 'standby' });
    await this.#write(session);
    await session.unlock();
    for (let pings = 0; pings < OFFERED_PINGS; pings += 1) {
      await this.#pause(this.#limits.pingEveryMs);
      this.#stopping.signal.throwIfAborted();
      await session.ping();
    }
  }

  async #load(session: RecordSession): Promise<void> {
    const log = await session.readLog();
    const reading = await session.readMinutes(0);
    this.#recordedMs = new Set();
    this.#lastMinuteMs = undefined;
    this.#remember(log, reading);
    if (reading.foreignMs.length > 0) {
      this.#options.log.warn(
        { minutes: reading.foreignMs.length },
        'minutes were recorded for a venue with other sectors: they stay in the record, and are not shown',
      );
    }
    const lost = this.#recent.missingIn(log);
    if (lost.length > 0) {
      this.#options.log.warn(
        { entries: lost.length },
        'the database has lost entries of the log: they are written again',
      );
      for (const entry of lost) this.#waiting.addNote(entry);
    }
    this.#recent.add(log);
    this.#listener?.loaded({ minutes: reading.minutes, log });
  }

  async #waitForLock(session: RecordSession): Promise<void> {
    const { pingEveryMs, pollEveryMs } = this.#limits;
    let polledAtMs = performance.now();
    while (!(await session.lock())) {
      this.#enter({ kind: 'standby' });
      await this.#pause(pingEveryMs);
      this.#stopping.signal.throwIfAborted();
      if (performance.now() - polledAtMs < pollEveryMs) continue;
      polledAtMs = performance.now();
      const fromMs = (this.#lastMinuteMs ?? 0) - POLLED_BACK_MS;
      const known = [...this.#recordedMs].filter((minuteMs) => minuteMs >= fromMs);
      this.#tell(await session.readLog(), await session.readMinutes(fromMs, known));
    }
  }

  async #write(session: RecordSession): Promise<void> {
    while (!this.#waiting.isEmpty) {
      const entry = this.#waiting.nextEntry();
      if (entry) await this.#writeEntry(session, entry);
      const minutes = this.#waiting.nextMinutes(minutesAtOnce(this.#options.codes));
      if (minutes.length > 0) await this.#writeMinutes(session, minutes);
    }
  }

  async #writeEntry(session: RecordSession, waiting: WaitingEntry): Promise<void> {
    try {
      const { row, isNew } = await session.addEntry(waiting.entry);
      this.#waiting.settled(waiting);
      if (isNew) this.#tell([row]);
      waiting.resolve?.(row);
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      this.#waiting.settled(waiting);
      waiting.reject?.(error as Error);
      const { id, kind } = waiting.entry;
      this.#options.log.error({ id, kind, reason: errorMessage(error) }, 'an entry of the log was refused');
    }
  }

  async #writeMinutes(session: RecordSession, minutes: readonly Minute[]): Promise<void> {
    const minutesMs = minutes.map(({ minuteMs }) => minuteMs);
    try {
      const added = new Set(await session.addMinutes(minutes));
      this.#minutesWritten += added.size;
      this.#waiting.recordedMinutes(minutesMs);
      this.#tell([], { minutes: minutes.filter(({ minuteMs }) => added.has(minuteMs)), foreignMs: [] });
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      this.#waiting.recordedMinutes(minutesMs);
      this.#options.log.error({ minutesMs, reason: errorMessage(error) }, 'minutes were refused');
    }
  }

  /** What is in the record now. */
  #remember(log: readonly LogRow[], { minutes, foreignMs }: Reading): void {
    const minutesMs = [...minutes.map(({ minuteMs }) => minuteMs), ...foreignMs];
    for (const minuteMs of minutesMs) {
      this.#recordedMs.add(minuteMs);
      this.#lastMinuteMs = Math.max(this.#lastMinuteMs ?? minuteMs, minuteMs);
    }
    for (const minuteMs of this.#recordedMs) {
      if (minuteMs <= (this.#lastMinuteMs ?? 0) - DAY_MS) this.#recordedMs.delete(minuteMs);
    }
    this.#waiting.recordedMinutes(minutesMs);
    this.#waiting.recordedEntries(log);
  }

  /** What was added since it was loaded. */
  #tell(log: readonly LogRow[], reading: Reading = NOTHING_READ): void {
    this.#remember(log, reading);
    this.#recent.add(log);
    if (log.length > 0 || reading.minutes.length > 0) this.#listener?.rows(log, reading.minutes);
  }

  #enter(state: RecordState): void {
    this.#failures = 0;
    if (this.#state.kind === state.kind) return;
    this.#state = state;
    this.#reportedReason = '';
    this.#options.log.info(state.kind === 'writer' ? 'recording' : 'another process records');
  }

  #leave(reason: string): void {
    this.#state = { kind: 'away', reason };
    this.#waiting.rejectAppends(unavailable(this.#state));
    if (this.#stopping.signal.aborted || reason === this.#reportedReason) return;
    // One line per reason, not one per attempt.
    this.#reportedReason = reason;
    this.#options.log.warn({ reason }, 'not recording');
  }

  /** Until there is something to write, or the database must hear from us. */
  async #untilWoken(): Promise<void> {
    if (!this.#waiting.isEmpty) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#limits.pingEveryMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #pause(delayMs: number): Promise<void> {
    await pause(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

function minutesAtOnce(codes: readonly string[]): number {
  return Math.max(1, Math.floor(ROWS_AT_ONCE / (codes.length + 1)));
}

function unavailable(state: RecordState): string {
  return state.kind === 'away' ? `The record is away: ${state.reason}` : 'Another process records this event';
}
