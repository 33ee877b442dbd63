import { quoteIdentifier } from '../database/with-connection.ts';
import type { ObservingLimits } from './limits.ts';
import { ReplicationError } from './replication-error.ts';
import { SourceWatch } from './source-watch.ts';
import type { Subscription } from './subscriptions.ts';
import type { ClockReading } from './ticket-feed.ts';

/** Where tickets come from by subscriptions, as the settings say it. */
export interface SourceSettings {
  /** Of the server that the subscriptions copy from, which may be asked where its log stands; `undefined`: none. */
  readonly url: string | undefined;
  /** Subscriptions that bring nothing that counts. */
  readonly unwatched: readonly string[];
}

/** PostgreSQL's worker looks so often whether its source has been silent for too long. */
const WORKER_NAP_MS = 1_000;
/** Of a worker that asks for no message by itself: a source with the default `wal_sender_timeout` sends one so often. */
const SENDER_PINGS_MS = 30_000;

/** A subscription that is not behind brings a commit within this. */
const PROMPT_MS = 1_000;

/** What is known of one subscription at one look. */
interface Finding {
  /** Everything the source had then is in our database; -Infinity where no such instant is known. */
  readonly rightAtMs: number;
  /** What keeps that instant from being now, with the fix. */
  readonly cause: string | undefined;
}

/**
 * Whether the database has what the sources of its subscriptions have. Which tables feed the tickets stands in triggers,
 * which nobody can read for certain: so all subscriptions of the database count, but for those that are named.
 *
 * By the source's own log where it may be asked (`SOURCE_DATABASE_URL`), else by the messages that its worker receives:
 * those tell that the source lives, and not how far behind it the worker is.
 */
export class SubscriptionWatch {
  readonly #unwatched: ReadonlySet<string>;
  readonly #source: SourceWatch | undefined;
  readonly #limits: ObservingLimits;
  /** The last message of each subscription, by its name, and when it was seen first. */
  readonly #messages = new Map<string, { readonly at: string; readonly seenAtMs: number }>();
  #watched: readonly Subscription[] = [];
  /** Before the first finding nothing is known, so nothing is live. */
  #rightAtMs: number;
  #cause: string | undefined;

  constructor({ url, unwatched }: SourceSettings, limits: ObservingLimits) {
    this.#unwatched = new Set(unwatched);
    this.#source = url === undefined ? undefined : new SourceWatch(url, limits.silenceMs);
    this.#limits = limits;
    this.#rightAtMs = performance.now() - limits.staleAfterMs;
  }

  /** Asks the source, if there is one; what it answers is of an instant before `judge` is given the catalogue's. */
  async look(): Promise<void> {
    const slots = this.#watched.flatMap(({ slot }) => slot ?? []);
    if (slots.length > 0) await this.#source?.look(slots);
  }

  /**
   * Takes what the catalogue says of all subscriptions.
   *
   * @throws ReplicationError while tables are copied for the first time: what is there of them is part of a whole.
   */
  assertCopied(subscriptions: readonly Subscription[]): void {
    this.#watched = subscriptions.filter(({ name }) => !this.#unwatched.has(name));
    for (const { name, isEnabled, tables, readyTables } of this.#watched) {
      if (tables > 0 && readyTables === tables) continue;
      const why = isEnabled
        ? 'wait; if it stays so, the log of PostgreSQL says why'
        : `it is disabled: ${howToEnable(name)}`;
      throw new ReplicationError(
        `The subscription ${quoteIdentifier(name)} has copied ${readyTables} of its ${tables} tables: ${why}`,
        { shouldRetry: true },
      );
    }
  }

  /** `clock`: of the catalogue that was taken. Returns that of the instant whose tickets are all in the database. */
  judge(clock: ClockReading): ClockReading {
    let worst: Finding = { rightAtMs: clock.readAtMs, cause: undefined };
    for (const subscription of this.#watched) {
      const finding = this.#find(subscription, clock.readAtMs);
      if (finding.rightAtMs < worst.rightAtMs) worst = finding;
    }
    if (worst.rightAtMs !== -Infinity) this.#rightAtMs = worst.rightAtMs;
    const byMs = clock.readAtMs - this.#rightAtMs;
    this.#cause = byMs > PROMPT_MS ? worst.cause : undefined;
    return {
      databaseMs: clock.databaseMs - byMs,
      readAtMs: clock.readAtMs - byMs,
      answeredAtMs: clock.answeredAtMs - byMs,
    };
  }

  /** What keeps the database from having everything, in words for the operator; `undefined` while nothing does. */
  get cause(): string | undefined {
    return this.#cause;
  }

  /** That a source can only be known by its messages. */
  get warning(): string | undefined {
    const unknown = this.#watched.find((subscription) => this.#isByMessages(subscription));
    if (!unknown) return undefined;
    const why =
      this.#source === undefined
        ? 'SOURCE_DATABASE_URL is not set'
        : `the server of SOURCE_DATABASE_URL has no slot ${quoteIdentifier(unknown.slot ?? 'none')}`;
    const seconds = Math.round(this.#silenceLimitMs(unknown) / 1_000);
    return `How far the subscription ${quoteIdentifier(unknown.name)} is behind its source is not known, as ${why}: a source that stands still shows after ${seconds} s`;
  }

  async end(): Promise<void> {
    await this.#source?.end();
  }

  #find(subscription: Subscription, readAtMs: number): Finding {
    const { name, slot, isEnabled, isRunning } = subscription;
    const quoted = quoteIdentifier(name);
    const heardAtMs = this.#heardAtMs(subscription, readAtMs);
    if (!isEnabled) {
      return { rightAtMs: -Infinity, cause: `The subscription ${quoted} is disabled: ${howToEnable(name)}` };
    }
    if (!isRunning) {
      const cause = `The worker of the subscription ${quoted} does not run: the log of PostgreSQL says why`;
      return { rightAtMs: -Infinity, cause };
    }
    if (!this.#isByMessages(subscription)) {
      const fault = this.#source?.fault;
      const cause =
        fault === undefined
          ? `The subscription ${quoted} is behind its source: a large commit is being applied, or something that it waits for is locked. It goes on by itself`
          : `The source of the subscription ${quoted} cannot be asked how far it is: ${fault}`;
      return { rightAtMs: this.#source?.confirmedAtMs(slot ?? '') ?? -Infinity, cause };
    }
    if (readAtMs - heardAtMs <= this.#silenceLimitMs(subscription)) {
      return { rightAtMs: readAtMs, cause: undefined };
    }
    const cause = `The subscription ${quoted} has received nothing for too long: its source stands still, the way there is cut, or its worker waits for a lock`;
    return { rightAtMs: heardAtMs, cause };
  }

  /** The source cannot be asked for it, or it is another server's. */
  #isByMessages({ slot }: Subscription): boolean {
    return this.#source === undefined || slot === null || this.#source.has(slot) === false;
  }

  /** When its last message was seen first. */
  #heardAtMs({ name, lastMessageAt, silentMs }: Subscription, readAtMs: number): number {
    const last = this.#messages.get(name);
    if (lastMessageAt === null || last?.at === lastMessageAt) return last?.seenAtMs ?? -Infinity;
    // Of one that was there before anybody looked, only the database's clock tells how old it is.
    const seenAtMs = last ? readAtMs : readAtMs - Math.max(0, silentMs ?? 0);
    this.#messages.set(name, { at: lastMessageAt, seenAtMs });
    return seenAtMs;
  }

  /** A source that lives is never silent for so long. */
  #silenceLimitMs({ receiverTimeoutMs }: Subscription): number {
    const pingsMs = receiverTimeoutMs > 0 ? receiverTimeoutMs / 2 : SENDER_PINGS_MS;
    return pingsMs + WORKER_NAP_MS + this.#limits.staleAfterMs;
  }
}

function howToEnable(name: string): string {
  return `ALTER SUBSCRIPTION ${quoteIdentifier(name)} ENABLE, or name it in UNWATCHED_SUBSCRIPTIONS if it brings nothing that counts`;
}
