import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LogRow } from '../../../domain/flow/flow-log.ts';
import { retryDelayMs } from '../../database/retry-delay.ts';
import type { RecordListener } from '../record/record.ts';
import { type PostResult, postMessage, type WebhookMessage } from './post-message.ts';
import type { WebhookLimits } from './webhook-limits.ts';
import type { WebhookTarget } from './webhook-target.ts';

export interface AlarmWebhookOptions {
  readonly target: WebhookTarget;
  /** `undefined`: of this row nothing is sent. */
  readonly toMessage: (row: LogRow) => WebhookMessage | undefined;
  /** Whether this process writes the record: no other one sends. */
  readonly isWriter: () => boolean;
  /** The receiver has answered this row so, and it is not sent again. It belongs into the log. */
  readonly onAnswered: (row: LogRow, status: number) => void;
  /** By the flow's clock, as the rows. */
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly limits: WebhookLimits;
}

/**
 * Sends what the log says of alarms to the operator's receiver: each row at least once, in their order, one after the
 * other. What waits is what the log holds and no `notified` row names, so that another process, or this one after a
 * restart, goes on where the log ends.
 *
 *   waiting ──▶ posted ── taken, or refused for good ──▶ noted in the log
 *      ▲          │
 *      └──────────┘ failed: after a pause, longer each time
 */
export class AlarmWebhook implements RecordListener {
  readonly #options: AlarmWebhookOptions;
  readonly #stopping = new AbortController();
  /** Ends a message that is under way. */
  readonly #cutting = new AbortController();
  /** In their order. */
  #waiting: LogRow[] = [];
  /** Ids of rows that were answered. */
  readonly #answered = new Set<string>();
  readonly #running: Promise<void>;
  #wake: () => void = () => {};
  #failures = 0;
  #failingSinceMs: number | undefined;
  #reason = '';
  #taken = 0;
  #givenUp = 0;

  /** Begins to send, as soon as there is something. */
  constructor(options: AlarmWebhookOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Messages that the receiver took from this process. */
  get taken(): number {
    return this.#taken;
  }

  /** Messages that were refused, too old or too many. */
  get givenUp(): number {
    return this.#givenUp;
  }

  /** What the operator is to know; `undefined` while all is well. */
  get warning(): string | undefined {
    const { quietMs } = this.#options.limits;
    const isQuiet = performance.now() - (this.#failingSinceMs ?? Infinity) < quietMs;
    if (this.#failingSinceMs === undefined || isQuiet) return undefined;
    return `ALARM_WEBHOOK_URL takes no alarm (${this.#waiting.length} wait): ${this.#reason}`;
  }

  loaded({ log }: { readonly log: readonly LogRow[] }): void {
    this.#waiting = [];
    this.rows(log);
  }

  rows(rows: readonly LogRow[]): void {
    for (const row of rows) if (row.kind === 'notified') this.#answered.add(row.data.id);
    this.#waiting = this.#waiting.filter(({ id }) => !this.#answered.has(id));
    for (const row of rows) {
      if (this.#answered.has(row.id) || this.#isTooOld(row)) continue;
      if (this.#options.toMessage(row)) this.#waiting.push(row);
    }
    const { maxWaiting } = this.#options.limits;
    if (this.#waiting.length > maxWaiting) this.#giveUp(this.#waiting.length - maxWaiting, 'too many wait');
    this.#wake();
  }

  writer(): void {
    this.#wake();
  }

  /** What is under way may still be answered for a moment. What waits, waits in the log. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    const timer = setTimeout(() => this.#cutting.abort(), this.#options.limits.closeGraceMs);
    await this.#running;
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    const { isWriter, toMessage } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const row = this.#waiting[0];
      const message = row && toMessage(row);
      if (!row || !message || !isWriter()) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      } else if (this.#isTooOld(row)) {
        this.#giveUp(1, 'it is too old');
      } else {
        const result = await this.#post(message);
        if (result.kind === 'failed') await this.#fail(result);
        else this.#settle(row, result);
      }
    }
  }

  /** By a timer that holds on to its signal: one of AbortSignal.timeout may be collected on Node 20, and never fires. */
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

  #settle(row: LogRow, { kind, status }: Exclude<PostResult, { kind: 'failed' }>): void {
    const { log, onAnswered } = this.#options;
    if (this.#failures > 0) log.info({ waiting: this.#waiting.length - 1 }, 'alarms are sent again');
    this.#failures = 0;
    this.#failingSinceMs = undefined;
    this.#reason = '';
    this.#answered.add(row.id);
    this.#waiting = this.#waiting.filter(({ id }) => id !== row.id);
    if (kind === 'taken') {
      this.#taken += 1;
    } else {
      this.#givenUp += 1;
      log.error({ id: row.id, status }, 'the receiver of ALARM_WEBHOOK_URL refuses an alarm for good');
    }
    onAnswered(row, status);
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

  /** The oldest ones. */
  #giveUp(count: number, why: string): void {
    this.#waiting = this.#waiting.slice(count);
    this.#givenUp += count;
    this.#options.log.error({ count, why }, 'alarms are not sent to ALARM_WEBHOOK_URL any more');
  }

  #isTooOld({ atMs }: LogRow): boolean {
    return this.#options.nowMs() - atMs > this.#options.limits.maxAgeMs;
  }
}
