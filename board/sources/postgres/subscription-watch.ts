import { quoteIdentifier } from '../../../database/with-connection.ts';
import type { ClockReading } from '../database-clock.ts';
import { absentColumns, findCopyFault, findSourceChange, howToCopyAnew } from './copied-tables.ts';
import type { ObservingLimits } from './limits.ts';
import { ReplicationError } from './replication-error.ts';
import { type Copies, SourceComparison } from './source-comparison.ts';
import { SourceWatch } from './source-watch.ts';
import * as causes from './subscription-causes.ts';
import type { Subscription } from './subscriptions.ts';

/** The settings say where subscriptions bring tickets from. */
export interface SubscriptionSettings {
  /** The connection string of the server that the subscriptions copy from; `undefined`: it cannot be asked. */
  readonly url: string | undefined;
  /** The names of subscriptions that bring nothing that counts. */
  readonly unwatched: readonly string[];
}

/** PostgreSQL's worker checks this often whether its source has been silent for too long. */
const WORKER_NAP_MS = 1_000;
/** A source with the default `wal_sender_timeout` sends a message at least this often. */
const SENDER_PINGS_MS = 30_000;

/** A worker that fails is started again after PostgreSQL's `wal_retrieve_retry_interval`, which is 5 s by default. */
const RESTARTS_MS = 10_000;

/** The state of one subscription at one reading of the catalogue. */
interface Finding {
  /** Everything the source had then is in our database; -Infinity where no such instant is known. */
  readonly verifiedAtMs: number;
  /** The cause and the fix where that instant is not now. */
  readonly cause: string | undefined;
}

/**
 * Watches whether the database has what the sources of its subscriptions have. Triggers decide which tables feed the
 * tickets, and their code cannot be analysed; therefore every subscription of the database counts, except those that the
 * settings name.
 *
 * Where the source can be asked (`SOURCE_DATABASE_URL`), its log decides. Otherwise the messages that the worker receives
 * do: they prove that the source is alive, but not how far the worker is behind it, nor that our database has not gone back.
 * Copied tables can be compared, and without that they are never taken for those of the source.
 */
export class SubscriptionWatch {
  readonly #unwatched: ReadonlySet<string>;
  readonly #source: SourceWatch | undefined;
  readonly #comparison: SourceComparison;
  readonly #limits: ObservingLimits;
  /** A subscription that is not behind brings a commit within this time. */
  readonly #promptMs: number;
  /** The last message of each subscription, by its name, and when it was first seen. */
  readonly #messages = new Map<string, { readonly at: string; readonly seenAtMs: number }>();
  /** The last worker of each subscription, by its name, and when it was first seen in place of another, or of none. */
  readonly #workers = new Map<string, { readonly worker: number | null; readonly sinceMs: number }>();
  #watched: readonly Subscription[] = [];
  /** The ids of the subscriptions for which the source was asked last. */
  #lookedAt = '';
  /** What the source's publications were then. */
  #definitions = '';
  /** Before the first finding nothing is known, so the counts must not be live. */
  #verifiedAtMs: number;
  #cause: string | undefined;
  #isBroken = false;

  constructor({ url, unwatched }: SubscriptionSettings, limits: ObservingLimits) {
    this.#unwatched = new Set(unwatched);
    this.#source = url === undefined ? undefined : new SourceWatch(url, limits.silenceMs);
    this.#comparison = new SourceComparison(limits);
    this.#limits = limits;
    this.#promptMs = limits.checkEveryMs;
    this.#verifiedAtMs = performance.now() - limits.staleAfterMs;
  }

  /** Another session with the database begins, which may be an earlier state of it. */
  begin(copies: Copies): void {
    this.#comparison.begin(copies);
  }

  /**
   * Asks the source, if there is one, and compares copied tables with it where that is due and their slot is not behind. Its
   * answer must be older than the catalogue that `judge` is given.
   */
  async look(): Promise<void> {
    const slots = this.#watched.flatMap(({ slot }) => slot ?? []);
    const copying = this.#watched.filter(({ copies }) => copies.length > 0);
    const publications = copying.flatMap((subscription) => subscription.publications);
    const absent = copying.flatMap(({ copies }) => absentColumns(copies));
    const ids = this.#watched.map(({ id }) => id).join();
    if (ids !== this.#lookedAt) this.#source?.forget();
    this.#lookedAt = ids;
    const idle = this.#watched.flatMap(({ slot, isEnabled }) => (isEnabled ? [] : (slot ?? [])));
    if (slots.length === 0 || !this.#source) return;
    await this.#source.look({ slots, idle, publications, absent });
    const { definitions } = this.#source;
    const wereAltered = definitions !== this.#definitions;
    this.#definitions = definitions;
    for (const subscription of copying) {
      // What was not published for a moment is not sent later.
      if (wereAltered) this.#comparison.forget(subscription);
      if (subscription.origin !== causes.ALL_ORIGINS || this.#changeOf(subscription) !== undefined) {
        this.#comparison.forget(subscription);
        continue;
      }
      const confirmedAtMs = this.#source.confirmedAtMs(subscription.slot ?? '') ?? -Infinity;
      if (performance.now() - confirmedAtMs <= this.#promptMs)
        await this.#comparison.compare(subscription, this.#source);
    }
  }

  /**
   * Takes the subscriptions from the catalogue.
   *
   * @throws ReplicationError while tables are copied for the first time, or the tickets are not filled from them: the
   * database then has only a part of them.
   */
  assertCopied(subscriptions: readonly Subscription[]): void {
    this.#watched = subscriptions.filter(({ name }) => !this.#unwatched.has(name));
    for (const subscription of this.#watched) {
      const { tables, readyTables, comment, copies } = subscription;
      const isCopied = tables > 0 && readyTables === tables;
      const fault = isCopied ? findCopyFault(comment, copies) : undefined;
      if (isCopied && fault === undefined) continue;
      const cause =
        fault === undefined ? causes.isCopying(subscription) : `${causes.named(subscription)}: ${fault}`;
      throw new ReplicationError(cause, { shouldRetry: true });
    }
  }

  /**
   * Takes the clock of the catalogue that was read, and returns the clock of the last instant at which the database had
   * everything.
   */
  judge(clock: ClockReading): ClockReading {
    const isMissing = this.#source !== undefined && this.#watched.length === 0;
    let worst: Finding = isMissing
      ? { verifiedAtMs: -Infinity, cause: causes.NO_SUBSCRIPTION }
      : { verifiedAtMs: clock.readAtMs, cause: undefined };
    for (const subscription of this.#watched) {
      const finding = this.#find(subscription, clock.readAtMs);
      if (finding.verifiedAtMs < worst.verifiedAtMs) worst = finding;
    }
    this.#isBroken = worst.verifiedAtMs === -Infinity;
    if (!this.#isBroken) this.#verifiedAtMs = worst.verifiedAtMs;
    const byMs = clock.readAtMs - this.#verifiedAtMs;
    this.#cause = this.#isBroken || byMs > this.#promptMs ? worst.cause : undefined;
    return {
      databaseMs: clock.databaseMs - byMs,
      readAtMs: clock.readAtMs - byMs,
      answeredAtMs: clock.answeredAtMs - byMs,
    };
  }

  /** The cause and the fix where the database lacks something, for the operator; `undefined` where it has everything. */
  get cause(): string | undefined {
    return this.#cause;
  }

  /** Whether something keeps changes from coming at all, so that the counts are stale however recently they were verified. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** A warning for the operator where a source is known by its messages only. */
  get warning(): string | undefined {
    const unknown = this.#watched.find(
      (one) => one.copies.length === 0 && this.#whyByMessages(one) !== undefined,
    );
    if (!unknown) return undefined;
    const why = this.#whyByMessages(unknown);
    const seconds = Math.round(this.#silenceLimitMs(unknown) / 1_000);
    return `How far the subscription ${quoteIdentifier(unknown.name)} is behind its source is not known, as ${why}: a source that stands still shows after ${seconds} s`;
  }

  async end(): Promise<void> {
    await this.#source?.end();
  }

  #find(subscription: Subscription, readAtMs: number): Finding {
    const heardAtMs = this.#heardAtMs(subscription, readAtMs);
    const hasJustStarted = readAtMs - this.#workerSinceMs(subscription, readAtMs) < RESTARTS_MS;
    const broken = this.#findBreak(subscription);
    if (broken !== undefined) return { verifiedAtMs: -Infinity, cause: broken };
    const isByMessages = this.#whyByMessages(subscription) !== undefined;
    // A worker that fails at each start receives messages meanwhile: they prove nothing.
    if (subscription.worker === null || (hasJustStarted && isByMessages)) {
      return {
        verifiedAtMs: -Infinity,
        cause: this.#silenceOf(subscription) ?? causes.isFailing(subscription),
      };
    }
    if (!isByMessages) return this.#findAtSource(subscription, readAtMs, { heardAtMs, hasJustStarted });
    return readAtMs - heardAtMs <= this.#silenceLimitMs(subscription)
      ? { verifiedAtMs: readAtMs, cause: undefined }
      : { verifiedAtMs: heardAtMs, cause: causes.isSilent(subscription) };
  }

  /** Finds why changes do not come at all, or may not be all, however the worker does. */
  #findBreak(subscription: Subscription): string | undefined {
    const { isEnabled, origin, copies } = subscription;
    const slot = subscription.slot ?? '';
    if (!isEnabled) return this.#silenceOf(subscription) ?? causes.isDisabled(subscription);
    if (origin !== causes.ALL_ORIGINS) return causes.leavesOut(subscription);
    const elsewhere = copies.length > 0 ? this.#source?.elsewhere(slot) : undefined;
    if (elsewhere !== undefined) return `${causes.named(subscription)}: ${elsewhere}`;
    const change = this.#changeOf(subscription);
    if (change !== undefined) return causes.hasChanged(subscription, change);
    const loss = this.#source?.lossOf(slot);
    if (loss !== undefined) return causes.lacksCommits(subscription, loss);
    const why = this.#whyByMessages(subscription);
    const fix = howToCopyAnew(copies);
    if (why === undefined || fix === undefined) return undefined;
    return causes.cannotCompare(subscription, why, this.#source && fix);
  }

  #findAtSource(
    subscription: Subscription,
    readAtMs: number,
    { heardAtMs, hasJustStarted }: { readonly heardAtMs: number; readonly hasJustStarted: boolean },
  ): Finding {
    const slot = subscription.slot ?? '';
    // A source gives up a worker that waits for a lock and says nothing: its slot is unused then, too.
    const isFed = readAtMs - heardAtMs <= this.#silenceLimitMs(subscription);
    const readsAnother = !hasJustStarted && isFed && this.#source?.isUnused(slot) === true;
    const isUnflushed = this.#source?.isUnflushed(slot) === true;
    let cause = isUnflushed ? causes.isUnflushed(subscription) : causes.isBehind(subscription);
    if (hasJustStarted) cause = causes.isFailing(subscription);
    if (readsAnother) cause = causes.readsAnotherServer(subscription);
    cause = this.#silenceOf(subscription) ?? cause;
    // A server that nobody writes to has confirmed all of its log, too.
    const verifiedAtMs = (readsAnother ? undefined : this.#source?.confirmedAtMs(slot)) ?? -Infinity;
    const fault = this.#comparison.faultOf(subscription);
    if (fault === undefined) return { verifiedAtMs, cause };
    const isBehind = readAtMs - verifiedAtMs > this.#promptMs;
    return {
      verifiedAtMs: -Infinity,
      cause: isBehind ? cause : `${causes.named(subscription)}: ${fault}`,
    };
  }

  /** Why the source does not answer; `undefined` while it does. */
  #silenceOf(subscription: Subscription): string | undefined {
    const fault = this.#source?.fault;
    return fault && causes.cannotBeAsked(subscription, fault);
  }

  #changeOf({ slot, copies, publications }: Subscription): string | undefined {
    if (copies.length === 0 || slot === null || this.#source?.has(slot) !== true) return undefined;
    const published = publications.map((publication) => this.#source?.published[publication] ?? {});
    return findSourceChange(copies, Object.assign({}, ...published) as (typeof published)[number]);
  }

  /** Why the source cannot be asked for this subscription: none is set, or it is another server; `undefined`: it can. */
  #whyByMessages({ slot }: Subscription): string | undefined {
    if (this.#source === undefined) return 'SOURCE_DATABASE_URL is not set';
    if (slot !== null && this.#source.has(slot) !== false) return undefined;
    return `the server of SOURCE_DATABASE_URL has no slot ${quoteIdentifier(slot ?? 'none')}`;
  }

  /** Returns when the last message was first seen. */
  #heardAtMs({ name, lastMessageAt, silentMs }: Subscription, readAtMs: number): number {
    const last = this.#messages.get(name);
    if (lastMessageAt === null || last?.at === lastMessageAt) return last?.seenAtMs ?? -Infinity;
    // The age of the first message is by the database's clock.
    const seenAtMs = last ? readAtMs : readAtMs - Math.max(0, silentMs ?? 0);
    this.#messages.set(name, { at: lastMessageAt, seenAtMs });
    return seenAtMs;
  }

  /** Returns when the worker that runs now was first seen; -Infinity for the first one, which may have run for long. */
  #workerSinceMs({ name, worker }: Subscription, readAtMs: number): number {
    const last = this.#workers.get(name);
    if (last?.worker === worker) return last.sinceMs;
    const sinceMs = last ? readAtMs : -Infinity;
    this.#workers.set(name, { worker, sinceMs });
    return sinceMs;
  }

  /** A living source is never silent for this long. */
  #silenceLimitMs({ receiverTimeoutMs }: Subscription): number {
    const pingsMs = receiverTimeoutMs > 0 ? receiverTimeoutMs / 2 : SENDER_PINGS_MS;
    return pingsMs + WORKER_NAP_MS + this.#limits.staleAfterMs;
  }
}
