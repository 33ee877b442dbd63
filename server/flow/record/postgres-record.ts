import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LogEntry, LogRow } from '../../../domain/flow/flow-log.ts';
import type { Minute } from '../../../domain/flow/minute.ts';
import { ConnectionFaultError } from '../../database/connection-fault.ts';
import { type Primary, PrimaryWatch } from '../../database/primary/primary-watch.ts';
import { retryDelayMs } from '../../database/retry-delay.ts';
import { type FlowRecord, type RecordListener, type RecordState, RecordUnavailableError } from './record.ts';
import { RecordContents } from './record-contents.ts';
import { toRecordError } from './record-fault.ts';
import { RECORD_LIMITS, type RecordLimits } from './record-limits.ts';
import { RecordSession, type RecordSessionOptions } from './record-session.ts';
import { writeWaiting } from './write-waiting.ts';

/** `url` may name several hosts: the primary among them is written to. */
export interface PostgresRecordOptions extends Omit<RecordSessionOptions, 'limits'> {
  readonly log: Logger;
  readonly limits?: RecordLimits;
}

/** Minutes of another process are told in their order; what it adds behind that is read with the lock, or anew. */
const POLLED_BACK_MS = 15 * 60_000;
/** Whoever waits for the lock has asked for it by then, also by a slow connection. */
const OFFERED_PINGS = 3;
/** Whoever wrote last has found the database again by then, where its others have. */
const YIELDED_PINGS = 2;
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
 * restarted, or another one that took its place, has no locks: whoever wrote last asks first, as it alone may know of
 * entries that the other one lacks. A former primary that is still up is left within a second or two. A commit whose
 * answer was lost is finished before its session lets go of the lock, so that the next writer finds it.
 */
export class PostgresRecord implements FlowRecord {
  readonly isKept = true;
  readonly #options: PostgresRecordOptions;
  readonly #limits: RecordLimits;
  readonly #hosts: PrimaryWatch;
  readonly #stopping = new AbortController();
  readonly #contents = new RecordContents();
  #running: Promise<void> = Promise.resolve();
  #session: RecordSession | undefined;
  /** The system identifier of the last primary. */
  #followed: string | undefined;
  #awaitsPromotion = false;
  #state: RecordState = { kind: 'away', reason: 'starting' };
  #failures = 0;
  #reportedReason = '';
  #isOffered = false;
  /** As far as this process knows; at first, nobody did. */
  #lastWriter: 'nobody' | 'this' | 'another' = 'nobody';
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
    return this.#contents.minutesWritten;
  }

  get minutesWaiting(): number {
    return this.#contents.waiting.minuteCount;
  }

  get lastMinuteMs(): number | undefined {
    return this.#contents.lastMinuteMs;
  }

  run(listener: RecordListener): void {
    this.#contents.listener = listener;
    this.#running = this.#runForever();
  }

  writeMinutes(minutes: readonly Minute[]): void {
    for (const minute of minutes) {
      if (!this.#contents.hasMinute(minute.minuteMs)) this.#contents.waiting.addMinute(minute);
    }
    this.#wake();
  }

  async append(entry: LogEntry): Promise<LogRow> {
    if (this.#state.kind !== 'writer') throw new RecordUnavailableError(unavailable(this.#state));
    const appended = this.#contents.waiting.append(entry);
    this.#wake();
    return appended;
  }

  note(entry: LogEntry): void {
    if (this.#contents.hasEntry(entry.id)) return;
    const lost = this.#contents.waiting.addNote(entry);
    if (lost > 0)
      this.#options.log.error({ lost }, 'the record is away for too long: entries of the log are lost');
    this.#wake();
  }

  withdraw(ids: readonly string[]): void {
    this.#contents.waiting.withdraw(ids);
  }

  offer(): boolean {
    this.#isOffered = this.#state.kind === 'writer';
    this.#wake();
    return this.#isOffered;
  }

  async stop(): Promise<void> {
    this.#contents.listener = undefined;
    const giveUpAtMs = performance.now() + FLUSH_LIMIT_MS;
    while (
      this.#state.kind === 'writer' &&
      !this.#contents.waiting.isEmpty &&
      performance.now() < giveUpAtMs
    ) {
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
      const thorough = this.#followed === undefined && this.#failures === 0;
      const primary = await this.#hosts.find({ followed: this.#followed, thorough });
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
    if (this.#lastWriter === 'another') await this.#leaveLock(session, YIELDED_PINGS);
    while (!this.#stopping.signal.aborted) {
      await this.#waitForLock(session);
      // Nobody else adds anything from here on, but for a restore.
      this.#contents.add(await session.readLog(), await session.readMinutes(0, this.#contents.minutesMs()));
      // Before it is said that it can be written: a full disk, say, lets everything but that through.
      await this.#write(session);
      this.#isOffered = false;
      this.#lastWriter = 'this';
      this.#enter({ kind: 'writer' });
      this.#contents.listener?.writer();
      await this.#writeUntilLetGo(session);
    }
  }

  /** Returns when the record stops, or somebody else may have the lock. */
  async #writeUntilLetGo(session: RecordSession): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#contents.waiting.isEmpty) await session.ping();
      else await this.#write(session);
      if (this.#isOffered) {
        this.#isOffered = false;
        if (!(await session.isAlone())) {
          await this.#letGo(session);
          return;
        }
        this.#contents.listener?.writer();
      }
      await this.#untilWoken();
    }
  }

  /** What was taken to be written is. */
  async #letGo(session: RecordSession): Promise<void> {
    this.#enter({ kind: 'standby' });
    await this.#write(session);
    await session.unlock();
    await this.#leaveLock(session, OFFERED_PINGS);
  }

  /** Somebody else may take it meanwhile. */
  async #leaveLock(session: RecordSession, forPings: number): Promise<void> {
    for (let pings = 0; pings < forPings; pings += 1) {
      await this.#pause(this.#limits.pingEveryMs);
      this.#stopping.signal.throwIfAborted();
      await session.ping();
    }
  }

  async #load(session: RecordSession): Promise<void> {
    const log = await session.readLog();
    const reading = await session.readMinutes(0);
    const lost = this.#contents.load(log, reading);
    if (reading.foreignMs.length > 0) {
      this.#options.log.warn(
        { minutes: reading.foreignMs.length },
        'minutes were recorded for a venue with other sectors: they stay in the record, and are not shown',
      );
    }
    if (lost > 0) {
      this.#options.log.warn(
        { entries: lost },
        'the database has lost entries of the log: they are written again',
      );
    }
  }

  async #waitForLock(session: RecordSession): Promise<void> {
    const { pingEveryMs, pollEveryMs } = this.#limits;
    let polledAtMs = performance.now();
    while (!(await session.lock())) {
      this.#lastWriter = 'another';
      this.#enter({ kind: 'standby' });
      await this.#pause(pingEveryMs);
      this.#stopping.signal.throwIfAborted();
      if (performance.now() - polledAtMs < pollEveryMs) continue;
      polledAtMs = performance.now();
      const fromMs = (this.#contents.lastMinuteMs ?? 0) - POLLED_BACK_MS;
      const known = this.#contents.minutesMs(fromMs);
      this.#contents.add(await session.readLog(), await session.readMinutes(fromMs, known));
    }
  }

  async #write(session: RecordSession): Promise<void> {
    const { log, codes } = this.#options;
    // Of the rows, and of the others.
    await writeWaiting(session, this.#contents, log, codes.length + 1);
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
    this.#contents.waiting.rejectAppends(unavailable(this.#state));
    if (this.#stopping.signal.aborted || reason === this.#reportedReason) return;
    // One line per reason, not one per attempt.
    this.#reportedReason = reason;
    this.#options.log.warn({ reason }, 'not recording');
  }

  /** Until there is something to write, or the database must hear from us. */
  async #untilWoken(): Promise<void> {
    if (!this.#contents.waiting.isEmpty) return;
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

function unavailable(state: RecordState): string {
  return state.kind === 'away' ? `The record is away: ${state.reason}` : 'Another process records this event';
}
