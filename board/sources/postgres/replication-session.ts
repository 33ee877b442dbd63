import { performance } from 'node:perf_hooks';
import { SOURCE_TICK_MS } from '../../../domain/freshness.ts';
import { isEarlier } from '../../../domain/log-position.ts';
import { readReturned, type ReturnedPrimary } from '../../../domain/returned-primary.ts';
import type { ServerPlace } from '../../../database/connection-fault.ts';
import { ChangeDecoder, isRestoreMark } from './change-decoder.ts';
import { findWarning, readCatalogue } from './catalogue.ts';
import { CatalogueGuard } from './catalogue-guard.ts';
import { type ClockReading, type DatabaseClock, instantBefore } from '../database-clock.ts';
import type { Session } from '../../../database/database-session.ts';
import { FIX_OF_UNFLUSHED, flushLog } from './flush-log.ts';
import type { ObservingLimits } from './limits.ts';
import type { ObservingLink } from './observing-link.ts';
import { EventMetadata } from './event-metadata.ts';
import { earlierLog, isLockTimeout, ReplicationError } from './replication-error.ts';
import { parseLsn, ReplicationWatermark } from './replication-watermark.ts';
import { checkServer, describeBlocker } from './preflight.ts';
import { RepeatedCheck } from './repeated-check.ts';
import { type ExpectedSystem, type ExportedSnapshot, ReplicationStream } from './replication-stream.ts';
import { SectorDocuments } from './sector-documents.ts';
import { readSnapshot } from './snapshot.ts';
import { copiesIn } from './source-comparison.ts';
import type { SubscriptionWatch } from './subscription-watch.ts';
import type { SourceObserver } from '../ticket-source.ts';

/**
 * A commit takes its time a moment before it stands in the log. One that stands there this much later still belongs to its own
 * minute; in return every minute is known later by as much.
 */
const COMMIT_DELAY_MS = 1_000;

const SILENT =
  'The database does not answer over a connection that is open: look at the link to it, and at its load';

const UNFLUSHED = `The database has not flushed what was committed, and sends none of it: ${FIX_OF_UNFLUSHED}`;

const UNENDED =
  'A transaction that may have altered a table stands in the log and has not ended: it waits for a standby of synchronous_standby_names';

export interface ReplicationSessionOptions {
  /** It ends with the session. */
  readonly link: ObservingLink;
  /** Whether the link was kept while another host was observed: a standby was promoted. */
  readonly isPromoted: boolean;
  /** The system that was found there before; `undefined` on the first connection. */
  readonly expected: ExpectedSystem | undefined;
  readonly place: ServerPlace;
  readonly eventId: string | undefined;
  readonly knownCodes: readonly string[];
  readonly limits: ObservingLimits;
  /** Watches what other servers send into this database. */
  readonly subscriptions: SubscriptionWatch;
  /** The clock of the database as the sessions before have read it. */
  readonly clock: DatabaseClock;
  /** Whether the observer wants event metadata. */
  readonly wantsMetadata: boolean;
  readonly observer: SourceObserver;
  readonly onLive: () => void;
  /** The counts were verified `behindMs` ago. `cause`: why the database itself lacks changes; called again when it differs. */
  readonly onLag: (behindMs: number, cause: string | undefined) => void;
  /** `blocker` names the transactions that the slot waits for; `undefined`: there is none. */
  readonly onWait: (blocker: string | undefined) => void;
  /** Called after each reading of the catalogue; undefined: nothing is wrong. */
  readonly onWarning: (warning: string | undefined) => void;
}

/**
 * One epoch: a snapshot and the stream of what was committed after it, on one replication connection and one
 * ordinary connection. It is live while it has passed a recent position of the log, the database had all of its
 * sources then, and the catalogue is still the one of its snapshot: a stream cut from its table goes on without an error.
 */
export class ReplicationSession {
  readonly #options: ReplicationSessionOptions;
  readonly #session: Session;
  readonly #stream: ReplicationStream;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #failed: Promise<never>;
  #fail: (reason: unknown) => void = () => {};
  #watermark: ReplicationWatermark<ClockReading> | undefined;
  readonly #guard = new CatalogueGuard();
  /** The comment for `readReturned`, from the catalogue of the primary. */
  #returned: string | null = null;
  #server: string | undefined;
  readonly #metadata: EventMetadata;
  /** Whether the log was not flushed to the first position that the stream has not passed. */
  #waitsForFlush = false;
  #live = false;
  /** The cause that was last reported while it is not live. */
  #lag: { readonly cause: string | undefined } | undefined;
  readonly #checks: RepeatedCheck;
  #over = false;

  constructor(options: ReplicationSessionOptions) {
    this.#options = options;
    const { session, replication } = options.link;
    this.#session = session;
    this.#metadata = new EventMetadata(session.sql, options.eventId, options.observer);
    this.#stream = new ReplicationStream(replication, options.limits, options.expected);
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failed.catch(() => {});
    this.#checks = new RepeatedCheck(options.limits.checkEveryMs, () => this.#check());
  }

  /** What has been passed on was everything at this instant of `performance.now()`; `undefined` before the snapshot. */
  get verifiedAtMs(): number | undefined {
    return this.#watermark?.passed.readAtMs;
  }

  /** The server, as the catalogue names it; `undefined` before the snapshot. */
  get server(): string | undefined {
    return this.#server;
  }

  /** Never resolves; rejects with what ended it. */
  run(): Promise<void> {
    return Promise.race([this.#prepare().then(() => this.#failed), this.#failed]);
  }

  /** `run` rejects with this. */
  fail(reason: unknown): void {
    this.#fail(reason);
  }

  /** Resolves once the database holds nothing of ours, or has gone silent. */
  async stop(): Promise<void> {
    this.#over = true;
    this.#checks.stop();
    for (const timer of this.#timers) clearInterval(timer);
    this.#fail(new ReplicationError('The replication session was ended', { shouldRetry: true }));
    await Promise.all([this.#stream.stop(), this.#session.end()]);
  }

  async #prepare(): Promise<void> {
    const { sql } = this.#session;
    const { place, observer, limits, subscriptions, isPromoted } = this.#options;
    subscriptions.begin(copiesIn(sql, (reading) => this.#withTimeout(limits.snapshotMs, reading)));
    const checking = checkServer(sql, place);
    this.#stream.connect();
    const returned = checking.then((catalogue) => readReturned(catalogue.returned));
    // Meanwhile after a promotion: over a slow link each round trip counts. Not at each attempt, as a server that the check
    // refuses keeps those to make a slot for as long as a transaction is open.
    const creating = isPromoted ? this.#createSlot(returned) : undefined;
    for (const promise of [returned, creating]) promise?.catch(() => {});
    const found = await this.#withTimeout(limits.silenceMs, checking);
    this.#returned = found.returned;
    subscriptions.assertCopied(found.subscriptions);
    await subscriptions.look();
    const exported = await (creating ?? this.#createSlot(returned));
    this.#assertNotEarlier(exported);
    // The exported snapshot dies with the next command on the replication connection: read it before.
    const reading = readSnapshot(sql, exported, this.#options);
    const { snapshot, clock: read, catalogue } = await this.#withTimeout(limits.snapshotMs, reading);
    // What was on its way when we stopped may still arrive; by now another session may be the one that counts.
    if (this.#over) return;
    this.#guard.assertSame(catalogue);
    subscriptions.assertCopied(catalogue.subscriptions);
    const clock = subscriptions.judge(read);
    const taken = { ...clock, readAtMs: Math.min(clock.readAtMs, exported.takenAtMs) };
    this.#watermark = new ReplicationWatermark(taken);
    this.#watermark.read(parseLsn(catalogue.lsn), taken);
    this.#server = found.server;
    // It may hold what came after its sources were last known to be complete.
    observer.snapshot({ ...snapshot, takenAt: this.#options.clock.instantOf(read, observer) });
    // At once, so that no screen takes the fresh counts for stale ones; from here on they grow old.
    this.#updateLiveness();
    this.#every(SOURCE_TICK_MS, () => this.#updateLiveness());

    const sectors = new SectorDocuments(this.#options.eventId, snapshot.sectors);
    const decoder = new ChangeDecoder(observer, sectors, catalogue, (id) => void this.#lookBeforeMore(id));
    const starting = this.#stream.start({
      message: (message) => {
        decoder.decode(message);
        if (isRestoreMark(message)) this.#metadata.forget();
      },
      passed: (lsn) => this.#reach(lsn),
      ended: (reason) => this.#fail(reason),
    });
    this.#checks.start();
    await this.#withTimeout(limits.silenceMs, starting);
    this.#stream.requestPosition();
  }

  /**
   * What has been passed on must not be taken back: a database whose log stands earlier is a former primary, or an older copy of
   * this one.
   */
  #assertNotEarlier({ position }: ExportedSnapshot): void {
    const { observer, eventId } = this.#options;
    const { position: last } = observer;
    if (last && isEarlier(position, last)) throw earlierLog(position, last, eventId === undefined);
  }

  /** Waits for transactions that write to end, and reports which. */
  async #createSlot(returned: Promise<ReturnedPrimary | undefined>): Promise<ExportedSnapshot> {
    const { sql } = this.#session;
    const { onWait, limits } = this.#options;
    const reportBlockers = (): void => {
      this.#withTimeout(limits.silenceMs, describeBlocker(sql)).then(
        (blocker) => this.#over || onWait(blocker),
        (error) => this.#fail(error),
      );
    };
    const reporting = setInterval(reportBlockers, 1_000);
    this.#timers.push(reporting);
    try {
      for (;;) {
        try {
          // The database gives its own wait up after slotPatienceMs: what lasts longer is a silent connection.
          return await this.#withTimeout(
            limits.slotPatienceMs + limits.silenceMs,
            this.#stream.createSlot(returned),
          );
        } catch (error) {
          if (!isLockTimeout(error)) throw error;
        }
      }
    } finally {
      clearInterval(reporting);
    }
  }

  /** A query that a stop overtakes while it connects is never answered: the end of the session is its end. */
  async #withTimeout<T>(limitMs: number, answer: Promise<T>): Promise<T> {
    const silent = (): void =>
      this.#fail(new ReplicationError('The database does not answer', { shouldRetry: true }));
    const timer = setTimeout(silent, limitMs);
    try {
      return await Promise.race([answer, this.#failed]);
    } finally {
      clearTimeout(timer);
    }
  }

  #every(intervalMs: number, action: () => void): void {
    const guarded = (): void => {
      try {
        action();
      } catch (error) {
        this.#fail(error);
      }
    };
    this.#timers.push(setInterval(guarded, intervalMs));
  }

  #reach(lsn: bigint): void {
    if (!this.#watermark?.pass(lsn)) return;
    const { clock, observer } = this.#options;
    const instant = clock.instantOf(this.#watermark.passed, observer);
    observer.caughtUpTo(instantBefore(instant, COMMIT_DELAY_MS));
    if (!this.#live) this.#updateLiveness();
  }

  #updateLiveness(): void {
    const { limits, observer, subscriptions, onLive, onLag } = this.#options;
    if (this.verifiedAtMs === undefined) return;
    const behindMs = performance.now() - this.verifiedAtMs;
    const isFresh = behindMs <= limits.staleAfterMs && !subscriptions.isBroken;
    if (!this.#live && isFresh) {
      this.#live = true;
      this.#lag = undefined;
      observer.live();
      onLive();
    } else if (this.#live && !isFresh) {
      this.#live = false;
      observer.stale('lag', this.verifiedAtMs);
    }
    const cause = subscriptions.cause ?? this.#cause;
    if (this.#live || (this.#lag && this.#lag.cause === cause)) return;
    this.#lag = { cause };
    onLag(behindMs, cause);
  }

  get #cause(): string | undefined {
    if (this.#checks.pendingMs > this.#options.limits.checkEveryMs) return SILENT;
    if (this.#guard.waitsForEnd) return UNENDED;
    return this.#waitsForFlush ? UNFLUSHED : undefined;
  }

  /** Passes nothing on before the catalogue, as the transaction left it, shows that the table still sends all of its changes. */
  async #lookBeforeMore(transactionId: number): Promise<void> {
    const { limits, link } = this.#options;
    this.#stream.pause();
    try {
      await this.#guard.assertSameAfter(transactionId, () =>
        this.#withTimeout(limits.silenceMs, readCatalogue(link.session.sql)),
      );
      this.#stream.resume();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #check(): Promise<void> {
    if (this.#over) return;
    const { subscriptions, limits, wantsMetadata } = this.#options;
    const { sql } = this.#session;
    try {
      await subscriptions.look();
      // All that is asked for is under way at once: over a slow link each round trip counts.
      this.#stream.requestPosition();
      const readAtMs = performance.now();
      const reading = readCatalogue(sql);
      const listing = wantsMetadata ? this.#metadata.read() : undefined;
      listing?.catch(() => {});
      const catalogue = await this.#withTimeout(limits.silenceMs, reading);
      if (this.#over) return;
      const answeredAtMs = performance.now();
      this.#guard.assertSame(catalogue);
      if (catalogue.returned !== this.#returned) {
        throw new ReplicationError('An operator has gone back to this primary on purpose', {
          shouldRetry: true,
        });
      }
      subscriptions.assertCopied(catalogue.subscriptions);
      const clock = subscriptions.judge({ databaseMs: catalogue.databaseMs, readAtMs, answeredAtMs });
      this.#options.onWarning(findWarning(catalogue));
      const [lsn, flushed] = [parseLsn(catalogue.lsn), parseLsn(catalogue.flushedLsn)];
      this.#watermark?.read(lsn, clock);
      this.#waitsForFlush = (this.#watermark?.awaited ?? 0n) > flushed;
      this.#reach(this.#stream.passed);
      if (subscriptions.isBroken) this.#updateLiveness();
      if (flushed < lsn) await this.#withTimeout(limits.silenceMs, flushLog(sql));
      this.#stream.requestPosition();
      if (!listing) return;
      const passOn = await this.#withTimeout(limits.silenceMs, listing);
      if (!this.#over) passOn(lsn);
    } catch (error) {
      this.#fail(error);
    }
  }
}
