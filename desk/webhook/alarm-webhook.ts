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
  /** `undefined`: of this entry nothing is sent. */
  readonly toMessage: (entry: LogEntry) => WebhookMessage | undefined;
  /** Whether this process sends entries that are recorded, or that are not yet: only the one that writes them does. */
  readonly maySend: (isRecorded: boolean) => boolean;
  /** The receiver has answered this entry so, and it is not sent again. It belongs into the log. */
  readonly onAnswered: (entry: LogEntry, status: number) => void;
  /** By the flow's clock, as the entries. */
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly limits: WebhookLimits;
}

/** How soon it is seen that the record has gone away. */
const LOOK_EVERY_MS = 500;

/**
 * Sends what the log says of alarms to the operator's receiver: each entry at least once, in their order, one after the
 * other. What waits is what the log holds and no `notified` row names, so that another process, or this one after a
 * restart, goes on where the log ends; and, while the record is away, what waits for that.
 *
 *   waiting ──▶ posted ── taken, or refused for good ──▶ noted in the log
 *      ▲          │
 *      └──────────┘ failed: after a pause, longer each time
 */
export class AlarmWebhook implements RecordListener, WaitingListener {
  readonly #options: AlarmWebhookOptions;
  readonly #stopping = new AbortController();
  /** Ends a message that is under way. */
  readonly #cutting = new AbortController();
  /** In their order. */
  #waiting: LogEntry[] = [];
  /** Ids of entries that were answered. */
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

  /** What is under way may still be answered for a moment. What waits, waits in the log. */
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
   * The limit is a timer that holds on to its signal: Node may collect a signal of AbortSignal.timeout that AbortSignal.any
   * joins, and then neither fires (nodejs/node#57736, #65995).
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
