import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LogEntry, LogRow, StoredAt } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import type { Primary } from '../../database/primary/primary-watch.ts';
import type { ServerAddress } from '../../database/primary/at-primary.ts';
import { retryDelayMs } from '../../database/retry-delay.ts';
import { unlessAborted } from '../../database/unless-aborted.ts';
import { type FlowRecord, type RecordListener, type RecordState, RecordUnavailableError } from './record.ts';
import { RecordContents } from './record-contents.ts';
import { isTakenPlace, toRecordError } from './record-fault.ts';
import { RECORD_LIMITS, type RecordLimits } from './record-limits.ts';
import { RecordHosts } from './record-hosts.ts';
import { RecordSession, type RecordSessionOptions } from './record-session.ts';
import { RecordLeadership } from './record-leadership.ts';

/** `url` may name several hosts: the record is written to the primary among them. */
export interface PostgresRecordOptions
  extends Omit<RecordSessionOptions, 'limits'>, Pick<ServerAddress, 'started'> {
  readonly log: Logger;
  readonly limits?: RecordLimits;
}

/** `stop` takes at most a second: FLUSH_LIMIT_MS to write what waits, then END_LIMIT_MS to end the session. */
const FLUSH_LIMIT_MS = 400;
const END_LIMIT_MS = 300;

/**
 * Keeps the record in PostgreSQL, one session after the other, until it is stopped.
 *
 *        ┌──────────────────────────────────────────────────────────────────────────┐
 *        ▼                                                                          │ pause, longer after each failure
 *      away ── the primary found, connected, ──▶ standby ── lock, the rest read, ──▶ writer
 *        ▲     checked, all read                   │ ▲     what waits written         │ │
 *        │                                         │ └───────── leadership yielded ────┘ │
 *        └── any failure, silence, another host ───┴────────────────────────────────────┘
 *            that leads
 *
 * The session holds the lock: it is released with the session, and PostgreSQL ends a silent session. A former primary that is
 * still up is left within a second or two. A commit whose answer was lost ends before its session releases the lock, so that
 * the next leader finds it.
 */
export class PostgresRecord implements FlowRecord {
  readonly isKept = true;
  readonly #options: PostgresRecordOptions;
  readonly #limits: RecordLimits;
  readonly #hosts: RecordHosts;
  readonly #stopping = new AbortController();
  readonly #contents = new RecordContents();
  readonly #leadership: RecordLeadership;
  #running: Promise<void> = Promise.resolve();
  #session: RecordSession | undefined;
  #state: RecordState = { kind: 'away', reason: 'starting' };
  #wasAddedTo = false;
  #failures = 0;
  #reportedReason = '';
  #storedAt: StoredAt | undefined;

  constructor(options: PostgresRecordOptions) {
    this.#options = options;
    this.#limits = options.limits ?? RECORD_LIMITS;
    this.#hosts = new RecordHosts(options.url, options.place, this.#limits);
    this.#leadership = new RecordLeadership({
      rows: options.rows,
      limits: this.#limits,
      contents: this.#contents,
      signal: this.#stopping.signal,
      onRole: (kind) => this.#enter({ kind }),
      log: options.log,
    });
  }

  get wasAddedTo(): boolean {
    return this.#wasAddedTo;
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

  get entriesLost(): number {
    return this.#contents.waiting.lostCount;
  }

  get storedAt(): StoredAt | undefined {
    return this.#state.kind === 'away' ? undefined : this.#storedAt;
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
    this.#leadership.wake();
  }

  async append(entry: LogEntry): Promise<LogRow> {
    if (this.#state.kind !== 'writer') throw new RecordUnavailableError(unavailable(this.#state));
    const appended = this.#contents.waiting.append(entry);
    this.#leadership.wake();
    return appended;
  }

  note(entry: LogEntry): void {
    if (this.#contents.hasEntry(entry.id)) return;
    const lost = this.#contents.waiting.addNote(entry);
    if (lost > 0)
      this.#options.log.error({ lost }, 'record unavailable for too long: entries of the log are lost');
    this.#leadership.wake();
  }

  withdraw(ids: readonly string[]): void {
    this.#contents.waiting.withdraw(ids);
  }

  setReachable(isReachable: boolean): void {
    this.#leadership.setReachable(isReachable);
  }

  yieldLeadership(): boolean {
    return this.#leadership.yieldLeadership();
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
    this.#leadership.wake();
    await Promise.all([this.#session?.end(END_LIMIT_MS), this.#hosts.end()]);
    await this.#running;
  }

  async #runForever(): Promise<void> {
    const { signal } = this.#stopping;
    const { started } = this.#options;
    if (started) await unlessAborted(started, signal).catch(() => {});
    while (!signal.aborted) {
      const primary = await this.#findPrimary();
      if (signal.aborted) return;
      if (primary) await this.#record(primary);
      if (signal.aborted) return;
      this.#failures += 1;
      const { maxRetryDelayMs, promotionPollMs } = this.#limits;
      const delayMs = retryDelayMs(this.#failures, maxRetryDelayMs);
      await this.#pause(this.#hosts.awaitPromotion ? promotionPollMs : delayMs);
    }
  }

  async #findPrimary(): Promise<Primary | undefined> {
    try {
      return await this.#hosts.find(this.#failures === 0);
    } catch (error) {
      this.#wasAddedTo = false;
      this.#leave(toRecordError(error, this.#options.place).message);
      return undefined;
    }
  }

  async #record(primary: Primary): Promise<void> {
    const session = new RecordSession({ ...this.#options, url: primary.url, limits: this.#limits });
    this.#session = session;
    let retired: unknown;
    const unfollow = this.#hosts.follow(primary, (error) => {
      retired = error;
      void session.end(END_LIMIT_MS);
      this.#leadership.wake();
    });
    try {
      await this.#use(session);
      this.#leave('stopped');
    } catch (error) {
      this.#wasAddedTo = isTakenPlace(retired ?? error);
      this.#leave(toRecordError(retired ?? error, this.#options.place).message);
    }
    unfollow();
    // The next session starts after this one has released the lock, if it answers.
    if (!this.#stopping.signal.aborted) await session.end();
  }

  /** Returns when the record stops. @throws whatever ends the session */
  async #use(session: RecordSession): Promise<void> {
    await session.check();
    this.#storedAt = await session.storedAt();
    await this.#load(session);
    await this.#leadership.use(session);
  }

  async #load(session: RecordSession): Promise<void> {
    const log = await session.readLog();
    const reading = await session.readMinutes(0);
    const lost = this.#contents.load(log, reading);
    if (reading.foreignMs.length > 0) {
      this.#options.log.warn(
        { minutes: reading.foreignMs.length },
        'minutes were recorded for a venue without some of these sectors: they stay in the record, and are not shown',
      );
    }
    if (lost > 0) {
      this.#options.log.warn(
        { entries: lost },
        'the database has lost entries of the log: they are written again',
      );
    }
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
    if (this.#wasAddedTo) this.#options.log.info({ reason }, 'reading the record again');
    else this.#options.log.warn({ reason }, 'not recording');
  }

  async #pause(delayMs: number): Promise<void> {
    await pause(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

function unavailable(state: RecordState): string {
  return state.kind === 'away'
    ? `The record is unavailable: ${state.reason}`
    : 'Another process records this event';
}
