import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import { retryDelayMs } from '../../database/retry-delay.ts';
import type { WaitingListener } from '../flow/event-log.ts';
import type { RecordListener } from '../record/record.ts';
import { type PostResult, postMessage, type WebhookMessage } from './post-message.ts';
import type { WebhookLimits } from './webhook-limits.ts';
import type { WebhookTarget } from './webhook-target.ts';

export interface AlarmWebhookOptions {
  readonly target: WebhookTarget;
  /** Returns `undefined` for an entry that is not sent. */
  readonly toMessage: (entry: LogEntry) => WebhookMessage | undefined;
  /** Whether this process sends recorded, or unrecorded, entries: only the leader of the record does. */
  readonly maySend: (isRecorded: boolean) => boolean;
  /** Is called with the receiver's final answer to an entry, which is to be logged. */
  readonly onAnswered: (entry: LogEntry, status: number) => void;
  /** Returns the time of the flow's clock, as of the entries. */
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly limits: WebhookLimits;
}

/** How soon an unavailable record is noticed. */
const LOOK_EVERY_MS = 500;

/**
 * Sends the log's entries about alarms to the operator's receiver: each at least once, in order, one after the other. Entries
 * without a `notified` row wait, so that another process, or this one after a restart, continues where the log ends. While the
 * record is unavailable, entries that wait for it are sent, too.
 *
 *   waiting ──▶ posted ── taken, or refused for good ──▶ noted in the log
 *      ▲          │
 *      └──────────┘ failed: after a pause, longer each time
 */
export class AlarmWebhook implements RecordListener, WaitingListener {
  readonly #options: AlarmWebhookOptions;
  readonly #stopping = new AbortController();
  /** Aborts the message that is being sent. */
  readonly #cutting = new AbortController();
  #waiting: LogEntry[] = [];
  readonly #answered = new Set<string>();
  readonly #running: Promise<void>;
  #wake: () => void = () => {};
  #failures = 0;
  #failingSinceMs: number | undefined;
  #reason = '';
  #taken = 0;
  #givenUp = 0;

  constructor(options: AlarmWebhookOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Messages of this process that the receiver accepted. */
  get taken(): number {
    return this.#taken;
  }

  get givenUp(): number {
    return this.#givenUp;
  }

  /** A warning for the operator; `undefined` while all is well. */
  get warning(): string | undefined {
    const { quietMs } = this.#options.limits;
    const isQuiet = performance.now() - (this.#failingSinceMs ?? Infinity) < quietMs;
    if (this.#failingSinceMs === undefined || isQuiet) return undefined;
    return `ALARM_WEBHOOK_URL takes no alarm (${this.#waiting.length} wait): ${this.#reason}`;
  }

  loaded({ log }: { readonly log: readonly LogRow[] }): void {
    this.#waiting = this.#waiting.filter((entry) => !isRecorded(entry));
    this.rows(log);
  }

  rows(rows: readonly LogRow[]): void {
    for (const row of rows) if (row.kind === 'notified') this.#answered.add(row.data.id);
    const recorded = new Set(rows.map(({ id }) => id));
    this.#waiting = this.#waiting.filter(({ id }) => !this.#answered.has(id) && !recorded.has(id));
    this.#add(rows);
  }

  noted(entry: LogEntry): void {
    this.#add([entry]);
  }

  withdrawn(ids: readonly string[]): void {
    this.#waiting = this.#waiting.filter((entry) => isRecorded(entry) || !ids.includes(entry.id));
  }

  leader(): void {
    this.#wake();
  }

  /** Waits a moment for the current message. Waiting entries remain in the log. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    const timer = setTimeout(() => this.#cutting.abort(), this.#options.limits.closeGraceMs);
    await this.#running;
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    const { maySend, toMessage } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const entry = this.#waiting.find((one) => maySend(isRecorded(one)));
      const message = entry && toMessage(entry);
      if (!entry || !message) {
        await this.#untilWoken();
      } else if (this.#isTooOld(entry)) {
        this.#giveUp([entry], 'it is too old');
      } else {
        const result = await this.#post(message);
        if (result.kind === 'failed') await this.#fail(result);
        else this.#settle(entry, result);
      }
    }
  }

  async #untilWoken(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#waiting.length > 0 ? setTimeout(resolve, LOOK_EVERY_MS) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #add(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      if (this.#answered.has(entry.id) || this.#isTooOld(entry)) continue;
      if (this.#options.toMessage(entry)) this.#waiting.push(entry);
    }
    const tooMany = this.#waiting.length - this.#options.limits.maxWaiting;
    if (tooMany > 0) this.#giveUp(this.#waiting.slice(0, tooMany), 'too many wait');
    this.#wake();
  }

  /**
   * Uses a timer, since Node may collect a signal of AbortSignal.timeout that AbortSignal.any joins, and then neither fires
   * (nodejs/node#57736, #65995).
   */
  async #post(message: WebhookMessage): Promise<PostResult> {
    const { target, limits } = this.#options;
    const asking = new AbortController();
    const cut = (): void => asking.abort();
    const over = (): void => asking.abort(new DOMException('no answer in time', 'TimeoutError'));
    const timer = setTimeout(over, limits.answerMs);
    this.#cutting.signal.addEventListener('abort', cut);
    try {
      return await postMessage(target, message, asking.signal);
    } finally {
      clearTimeout(timer);
      this.#cutting.signal.removeEventListener('abort', cut);
    }
  }

  #settle(entry: LogEntry, { kind, status }: Exclude<PostResult, { kind: 'failed' }>): void {
    const { log, onAnswered } = this.#options;
    if (this.#failures > 0) log.info({ waiting: this.#waiting.length - 1 }, 'alarms are sent again');
    this.#failures = 0;
    this.#failingSinceMs = undefined;
    this.#reason = '';
    this.#answered.add(entry.id);
    this.#waiting = this.#waiting.filter(({ id }) => id !== entry.id);
    if (kind === 'taken') {
      this.#taken += 1;
    } else {
      this.#givenUp += 1;
      log.error({ id: entry.id, status }, 'the receiver of ALARM_WEBHOOK_URL refuses an alarm for good');
    }
    onAnswered(entry, status);
  }

  async #fail({ reason, retryAfterMs }: Extract<PostResult, { kind: 'failed' }>): Promise<void> {
    const { log, limits } = this.#options;
    if (this.#stopping.signal.aborted) return;
    this.#failures += 1;
    this.#failingSinceMs ??= performance.now();
    // One line per reason, not one per attempt.
    if (reason !== this.#reason) log.warn({ reason }, 'an alarm cannot be sent to ALARM_WEBHOOK_URL');
    this.#reason = reason;
    const delayMs = Math.max(retryDelayMs(this.#failures, limits.maxRetryDelayMs), retryAfterMs);
    const { signal } = this.#stopping;
    await pause(Math.min(delayMs, limits.maxRetryDelayMs), undefined, { signal }).catch(() => {});
  }

  #giveUp(entries: readonly LogEntry[], why: string): void {
    const givenUp = new Set(entries);
    this.#waiting = this.#waiting.filter((entry) => !givenUp.has(entry));
    this.#givenUp += entries.length;
    this.#options.log.error(
      { count: entries.length, why },
      'alarms are not sent to ALARM_WEBHOOK_URL any more',
    );
  }

  #isTooOld({ atMs }: LogEntry): boolean {
    return this.#options.nowMs() - atMs > this.#options.limits.maxAgeMs;
  }
}

function isRecorded(entry: LogEntry): entry is LogRow {
  return 'seq' in entry;
}
