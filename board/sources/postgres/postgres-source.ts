import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { StaleReason } from '../../../domain/event-state.ts';
import { hostUrls } from '../../../domain/database-hosts.ts';
import { systemOf } from '../../../domain/log-position.ts';
import { describeTimeline } from '../../../domain/returned-primary.ts';
import { atPrimary, type ServerAddress } from '../../../database/primary/at-primary.ts';
import { type Primary, PrimaryWatch } from '../../../database/primary/primary-watch.ts';
import { retryDelayMs } from '../../../database/retry-delay.ts';
import { DatabaseClock } from '../database-clock.ts';
import { readKickOffs } from './event-metadata.ts';
import type { ObservingLimits } from './limits.ts';
import { openLink } from './observing-link.ts';
import { StandbyLinks } from './standby-links.ts';
import { ReplicationSession } from './replication-session.ts';
import { type ReplicationError, toReplicationError } from './replication-error.ts';
import { type SubscriptionSettings, SubscriptionWatch } from './subscription-watch.ts';
import type { SourceObserver, SourceOptions, SourceState, TicketSource } from '../ticket-source.ts';

const KICK_OFFS_LIMIT_MS = 30_000;

/** The address is that of the observer's role. */
export interface PostgresSourceOptions extends SourceOptions, ServerAddress {
  /** The cause and the fix where this server is ours and does not run; `undefined` while it does, or is not ours. */
  readonly serverFault: () => string | undefined;
  /** Where subscriptions of that database bring tickets from. */
  readonly subscriptions: SubscriptionSettings;
  readonly limits: ObservingLimits;
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
export class PostgresSource implements TicketSource {
  readonly #options: PostgresSourceOptions;
  readonly #clock = new DatabaseClock();
  readonly #hosts: PrimaryWatch;
  readonly #urls: readonly string[];
  readonly #standbys: StandbyLinks;
  readonly #subscriptions: SubscriptionWatch;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #current: ReplicationSession | undefined;
  #ending: Promise<unknown> = Promise.resolve();
  #state: SourceState = { kind: 'starting' };
  readonly #warnings: Record<'catalogue' | 'subscriptions' | 'hosts', string | undefined> = {
    catalogue: undefined,
    subscriptions: undefined,
    hosts: undefined,
  };
  #everLive = false;
  #verifiedAtMs = performance.now();
  #server: string | undefined;
  #lastStale: { readonly reason: StaleReason; readonly sinceMs: number } | undefined;

  constructor(options: PostgresSourceOptions) {
    this.#options = options;
    this.#hosts = new PrimaryWatch(options.url, options.place);
    this.#urls = hostUrls(options.url);
    this.#standbys = new StandbyLinks(this.#urls, options.limits.hostsEveryMs, (url) =>
      openLink(url, options),
    );
    this.#subscriptions = new SubscriptionWatch(options.subscriptions, options.limits);
  }

  get state(): SourceState {
    const reason = this.#options.serverFault();
    return reason === undefined ? this.#state : { kind: 'waiting', reason };
  }

  get warning(): string | undefined {
    return Object.values(this.#warnings).filter(Boolean).join('. ') || undefined;
  }

  get verifiedAtMs(): number {
    return this.#current?.verifiedAtMs ?? this.#verifiedAtMs;
  }

  get server(): string | undefined {
    return this.#current?.server ?? this.#server;
  }

  /** It uses a separate session: observing does not wait for it. */
  kickOffsOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { signal } = this.#stopping;
    const session = { name: 'triagem kick-offs', statementTimeoutMs: KICK_OFFS_LIMIT_MS, signal };
    const reading = atPrimary(this.#options, session, (sql) => readKickOffs(sql, eventIds));
    this.#awaitAtStop(reading);
    return reading;
  }

  run(observer: SourceObserver): Promise<void> {
    this.#running = this.#observeForever(observer);
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const ending = [this.#hosts.end(), this.#standbys.end(), this.#subscriptions.end()];
    await Promise.all([this.#current?.stop(), ...ending]);
    await this.#running.catch(() => {});
    await this.#ending;
  }

  async #observeForever(observer: SourceObserver): Promise<void> {
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
  async #observeOnce(observer: SourceObserver, onLive: () => void): Promise<ReplicationError> {
    const { place } = this.#options;
    let primary: Primary;
    try {
      // At the first attempt, every host is to have its say: what no retry can fix ends the process.
      const thorough = this.#state.kind === 'starting';
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
      everyMs: this.#options.limits.hostsEveryMs,
      onRetired: (error) => session.fail(error),
      onWarning: (warning) => this.#warn('hosts', warning),
    });
    try {
      await session.run();
      return toReplicationError(new Error('the session ended'), place);
    } catch (error) {
      this.#verifiedAtMs = session.verifiedAtMs ?? this.#verifiedAtMs;
      this.#server = session.server ?? this.#server;
      return this.#lose(observer, toReplicationError(error, place));
    } finally {
      unfollow();
      // The next one does not wait until this one is closed.
      this.#awaitAtStop(session.stop());
      this.#current = undefined;
    }
  }

  #createSession({ url, found }: Primary, observer: SourceObserver, onLive: () => void): ReplicationSession {
    const { log } = this.#options;
    const kept = this.#standbys.take(url);
    const link = kept ?? openLink(url, this.#options);
    this.#standbys.keep(this.#urls.filter((each) => each !== url));
    return new ReplicationSession({
      ...this.#options,
      link,
      isPromoted: kept !== undefined,
      expected: found,
      clock: this.#clock,
      subscriptions: this.#subscriptions,
      observer,
      onLive: () => {
        this.#lastStale = undefined;
        const where = found && { host: found.host, timeline: describeTimeline(found.timeline) };
        log.info({ ...where }, this.#everLive ? 'observing again' : 'observing');
        this.#everLive = true;
        this.#state = { kind: 'live' };
        onLive();
      },
      onLag: (behindMs, cause) =>
        this.#report(
          cause ??
            `The counts are ${Math.round(behindMs / 1_000)} s behind the database, which answers: a large commit is being read, or the replication connection is slow or cut. It goes on by itself`,
        ),
      onWait: (blocker) =>
        this.#report(
          blocker === undefined
            ? 'Waiting for the database to make a replication slot, for which no transaction has to end: look at its load and at the link to it'
            : `Waiting for a transaction that writes to end: ${blocker}`,
        ),
      onWarning: (warning) => {
        this.#warn('catalogue', warning);
        this.#warn('subscriptions', this.#subscriptions.warning);
      },
    });
  }

  #awaitAtStop(ending: Promise<unknown>): void {
    this.#ending = Promise.allSettled([this.#ending, ending]).then(() => {});
  }

  /** The observer is notified once, not at each attempt, as every screen is sent it. */
  #lose(observer: SourceObserver, failure: ReplicationError): ReplicationError {
    const [reason, sinceMs] = [staleReason(failure), this.#verifiedAtMs];
    const isKnown = this.#lastStale?.reason === reason && this.#lastStale.sinceMs === sinceMs;
    if (isKnown || this.#stopping.signal.aborted) return failure;
    try {
      observer.stale(reason, sinceMs);
    } catch (error) {
      // It is notified again after the next attempt.
      return toReplicationError(error, this.#options.place);
    }
    this.#lastStale = { reason, sinceMs };
    return failure;
  }

  /** One line per reason, not one per attempt. */
  #report(reason: string): void {
    if (this.#state.kind === 'waiting' && this.#state.reason === reason) return;
    this.#state = { kind: 'waiting', reason };
    this.#options.log.warn({ reason }, 'not observing live');
  }

  #warn(about: 'catalogue' | 'subscriptions' | 'hosts', warning: string | undefined): void {
    if (warning === this.#warnings[about]) return;
    this.#warnings[about] = warning;
    if (warning !== undefined) this.#options.log.warn(warning);
  }

  async #pauseAfter(failures: number, { awaitsPromotion }: ReplicationError): Promise<void> {
    const { maxRetryDelayMs, promotionPollMs } = this.#options.limits;
    const delayMs = awaitsPromotion ? promotionPollMs : retryDelayMs(failures, maxRetryDelayMs);
    await pause(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

function staleReason(failure: ReplicationError): StaleReason {
  return failure.shouldRetry ? 'connecting' : 'changed';
}
