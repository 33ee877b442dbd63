import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { StaleReason } from '../../domain/event-state.ts';
import { systemOf } from '../../domain/log-position.ts';
import type { ServerPlace } from '../database/connection-fault.ts';
import { type Primary, PrimaryWatch } from '../database/primary/primary-watch.ts';
import { retryDelayMs } from '../database/retry-delay.ts';
import { OBSERVING_LIMITS, type ObservingLimits } from './limits.ts';
import { ReplicationSession } from './replication-session.ts';
import { type ReplicationError, toReplicationError } from './replication-error.ts';
import { type SourceSettings, SubscriptionWatch } from './subscription-watch.ts';
import type { FeedObserver, TicketFeed } from './ticket-feed.ts';

export interface PostgresFeedOptions {
  /** The observer's connection string; with several hosts, the primary among them is observed. */
  readonly url: string;
  /** Whose server that is. */
  readonly place: ServerPlace;
  /** Whose documents and details are told, `undefined`: every event's; the counts are told for all in any case. */
  readonly eventId: string | undefined;
  /** The codes of its venue, which are counted apart however many others there are. */
  readonly knownCodes: readonly string[];
  /** Where subscriptions of that database bring tickets from. */
  readonly source: SourceSettings;
  readonly log: Logger;
  readonly limits?: ObservingLimits;
}

/**
 * Observes a PostgreSQL by logical replication, one session after the other: each ends at the first
 * doubt, and the next begins with a new snapshot under a new epoch.
 *
 *            ┌──────────────────────────────────────┐
 *            ▼                                      │ pause, longer after each failure
 *   find the primary ── none ───────────────────────┤
 *            │    └─ never could, and no retry helps: run() rejects
 *            ▼                                      │
 *   prepare the session ── cannot ──────────────────┤
 *            │                    └─ never could, and no retry helps: run() rejects
 *            ▼ snapshot                             │
 *          live ◀──▶ lagging ── broken, changed ────┘
 *                               or another host leads
 */
export class PostgresFeed implements TicketFeed {
  readonly #options: PostgresFeedOptions;
  readonly #limits: ObservingLimits;
  readonly #hosts: PrimaryWatch;
  readonly #subscriptions: SubscriptionWatch;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #current: ReplicationSession | undefined;
  #ending: Promise<unknown> = Promise.resolve();
  #notReadyReason: string | undefined = 'starting';
  /** Of the catalogue, of subscriptions, and of the other hosts. */
  readonly #warnings: Record<'catalogue' | 'subscriptions' | 'hosts', string | undefined> = {
    catalogue: undefined,
    subscriptions: undefined,
    hosts: undefined,
  };
  #everLive = false;
  #rightAtMs = performance.now();
  #toldStale: { readonly reason: StaleReason; readonly sinceMs: number } | undefined;

  constructor(options: PostgresFeedOptions) {
    this.#options = options;
    this.#limits = options.limits ?? OBSERVING_LIMITS;
    this.#hosts = new PrimaryWatch(options.url, options.place);
    this.#subscriptions = new SubscriptionWatch(options.source, this.#limits);
  }

  get notReadyReason(): string | undefined {
    return this.#notReadyReason;
  }

  /** What does no harm to the counts, as things are now. */
  get warning(): string | undefined {
    return Object.values(this.#warnings).filter(Boolean).join('. ') || undefined;
  }

  /** The counts told so far were right at this instant of `performance.now()`. */
  get rightAtMs(): number {
    return this.#current?.rightAtMs ?? this.#rightAtMs;
  }

  run(observer: FeedObserver): Promise<void> {
    this.#running = this.#observeForever(observer);
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#current?.stop(), this.#hosts.end(), this.#subscriptions.end()]);
    await this.#running.catch(() => {});
    await this.#ending;
  }

  async #observeForever(observer: FeedObserver): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      const failure = await this.#observeOnce(observer, () => (failures = 0));
      if (this.#stopping.signal.aborted) return;
      if (!failure.shouldRetry && !this.#everLive) throw failure;
      this.#report(failure.message);
      failures += 1;
      await this.#pauseAfter(failures, failure);
    }
  }

  /** Returns why there is no session, or why it ended. */
  async #observeOnce(observer: FeedObserver, onLive: () => void): Promise<ReplicationError> {
    const { place } = this.#options;
    let primary: Primary;
    try {
      // At the first attempt, every host is to have its say: what no retry can fix ends the process.
      const thorough = this.#notReadyReason === 'starting';
      primary = await this.#hosts.find({
        followed: observer.position && systemOf(observer.position),
        thorough,
      });
    } catch (error) {
      return this.#lose(observer, toReplicationError(error, place));
    }
    if (this.#stopping.signal.aborted) return toReplicationError(new Error('stopped'), place);
    const session = this.#createSession(primary, observer, onLive);
    this.#current = session;
    const unfollow = this.#hosts.follow(primary, {
      everyMs: this.#limits.hostsEveryMs,
      onRetired: (error) => session.fail(error),
      onWarning: (warning) => this.#warn('hosts', warning),
    });
    try {
      await session.run();
      return toReplicationError(new Error('the session ended'), place);
    } catch (error) {
      this.#rightAtMs = session.rightAtMs ?? this.#rightAtMs;
      return this.#lose(observer, toReplicationError(error, place));
    } finally {
      unfollow();
      // The next one does not wait until this one is closed.
      this.#ending = Promise.all([this.#ending, session.stop()]);
      this.#current = undefined;
    }
  }

  #createSession({ url, found }: Primary, observer: FeedObserver, onLive: () => void): ReplicationSession {
    const { log } = this.#options;
    return new ReplicationSession({
      ...this.#options,
      url,
      expected: found,
      limits: this.#limits,
      subscriptions: this.#subscriptions,
      observer,
      onLive: () => {
        this.#toldStale = undefined;
        const where = found && { host: found.host, timeline: found.timeline };
        log.info({ ...where }, this.#everLive ? 'observing again' : 'observing');
        this.#everLive = true;
        this.#notReadyReason = undefined;
        onLive();
      },
      onLag: (behindMs, cause) =>
        this.#report(
          cause ??
            `The counts are ${Math.round(behindMs / 1_000)} s behind the database: a large commit is being read, or the link to it is slow. It goes on by itself`,
        ),
      onWait: (blocker) => this.#report(`Waiting for a transaction that writes to end: ${blocker}`),
      onWarning: (warning) => {
        this.#warn('catalogue', warning);
        this.#warn('subscriptions', this.#subscriptions.warning);
      },
    });
  }

  /** Told once, not at each attempt: every screen is sent what it is told. */
  #lose(observer: FeedObserver, failure: ReplicationError): ReplicationError {
    const [reason, sinceMs] = [staleReason(failure), this.#rightAtMs];
    const isTold = this.#toldStale?.reason === reason && this.#toldStale.sinceMs === sinceMs;
    if (isTold || this.#stopping.signal.aborted) return failure;
    this.#toldStale = { reason, sinceMs };
    observer.stale(reason, sinceMs);
    return failure;
  }

  /** One line per reason, not one per attempt. */
  #report(reason: string): void {
    if (reason === this.#notReadyReason) return;
    this.#notReadyReason = reason;
    this.#options.log.warn({ reason }, 'not observing live');
  }

  #warn(about: 'catalogue' | 'subscriptions' | 'hosts', warning: string | undefined): void {
    if (warning === this.#warnings[about]) return;
    this.#warnings[about] = warning;
    if (warning !== undefined) this.#options.log.warn(warning);
  }

  async #pauseAfter(failures: number, { awaitsPromotion }: ReplicationError): Promise<void> {
    const { maxRetryDelayMs, promotionPollMs } = this.#limits;
    const delayMs = awaitsPromotion ? promotionPollMs : retryDelayMs(failures, maxRetryDelayMs);
    await pause(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

function staleReason(failure: ReplicationError): StaleReason {
  return failure.shouldRetry ? 'connecting' : 'changed';
}
