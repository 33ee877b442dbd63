import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../../../domain/operator-error.ts';
import { retryDelayMs } from '../../../database/retry-delay.ts';
import type { SourceObserver, SourceOptions, SourceState, TicketSource } from '../ticket-source.ts';
import { CountChecks } from './count-checks.ts';
import { CountFallback } from './count-fallback.ts';
import { type BearerToken, Credentials } from './credentials.ts';
import { addressOf, type FirestoreError, toFirestoreError } from './firestore-error.ts';
import { type FirestorePlace, pathOf, placeOf } from './firestore-place.ts';
import type { FirestoreSettings } from './firestore-settings.ts';
import { readKickOffs } from './kick-offs.ts';
import { FIRESTORE_LIMITS, type FirestoreLimits } from './limits.ts';
import { ListenSession } from './listen-session.ts';
import { MalformedWarning } from './malformed-warning.ts';
import { ObserverFeed } from './observer-feed.ts';
import { ReadMeter } from './read-meter.ts';
import { ResumeFile } from './resume-file.ts';
import { SavedTickets } from './saved-tickets.ts';
import { TicketMemory } from './ticket-memory.ts';

export interface FirestoreSourceOptions extends SourceOptions {
  readonly settings: FirestoreSettings;
  readonly limits?: FirestoreLimits;
}

/** A token that cannot be renewed is tried again this often while the one before is good. */
const RENEW_AGAIN_MS = 30_000;

/** What a warning is of: a target that is refused, or something else. */
type WarningOf = 'sectors' | 'event' | 'tickets' | 'checks' | 'token' | 'emptiness';

/**
 * Observes the tickets of one event in Firestore, one stream after the other; what they bring is one memory of tickets, and
 * what follows from it goes to the observer through one feed (observer-feed.ts).
 *
 *            ┌────────────────────────────────────────────┐
 *            ▼                                            │ pause, longer after each failure
 *       take a token ── cannot ───────────────────────────┤
 *            │             └─ never could, and no retry helps: run() rejects
 *            ▼                                            │
 *       a session ── ends, or cannot begin ───────────────┘
 *            │ its token is to be renewed
 *            ▼
 *       a session beside it, which takes over once it has come as far
 */
export class FirestoreSource implements TicketSource {
  readonly #options: FirestoreSourceOptions;
  readonly #eventId: string;
  readonly #limits: FirestoreLimits;
  readonly #place: FirestorePlace;
  readonly #credentials: Credentials;
  readonly #memory: TicketMemory;
  readonly #checks: CountChecks;
  readonly #fallback = new CountFallback();
  readonly #meter = new ReadMeter();
  readonly #malformed: MalformedWarning;
  readonly #saved: SavedTickets | undefined;
  readonly #stopping = new AbortController();
  readonly #sessions = new Set<ListenSession>();
  readonly #warnings = new Map<WarningOf, string>();
  #feed: ObserverFeed | undefined;
  #running: Promise<void> = Promise.resolve();
  #beside: Promise<unknown> = Promise.resolve();
  #state: SourceState = { kind: 'starting' };
  #everLive = false;
  readonly #createdAtMs = performance.now();

  constructor(options: FirestoreSourceOptions) {
    const { eventId, settings, limits = FIRESTORE_LIMITS, knownCodes, log } = options;
    if (eventId === undefined) throw new OperatorError('Firestore is observed for one event: set EVENT_ID.');
    this.#options = options;
    this.#eventId = eventId;
    this.#limits = limits;
    this.#place = placeOf(settings, eventId);
    this.#credentials = new Credentials(settings, limits);
    this.#memory = new TicketMemory(eventId);
    this.#checks = new CountChecks(knownCodes, limits);
    this.#malformed = new MalformedWarning(this.#memory, log);
    if (settings.dataDir !== undefined) {
      const { parent, collectionId } = this.#place.tickets;
      const file = new ResumeFile(settings.dataDir, `${addressOf(settings)}/${parent}/${collectionId}`);
      this.#saved = new SavedTickets(file, this.#memory, limits.resumeWithinMs, log);
    }
  }

  get state(): SourceState {
    return this.#state;
  }

  get warning(): string | undefined {
    const warnings = [...this.#warnings.values(), this.#malformed.warning];
    if (this.#fallback.isOn)
      warnings.push(
        `Firestore's stream does not answer probes in time: counts are asked for instead, every ${this.#limits.probeEveryMs / 1_000} s, which costs more reads`,
      );
    return warnings.filter(Boolean).join('. ') || undefined;
  }

  readonly server = undefined;

  get verifiedAtMs(): number {
    return this.#feed?.verifiedAtMs ?? this.#createdAtMs;
  }

  /** Document reads as Firestore bills them, by our own count. */
  get documentsRead(): number {
    return this.#meter.total;
  }

  kickOffsOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { settings } = this.#options;
    const { signal } = this.#stopping;
    const reading = readKickOffs(
      {
        settings,
        credentials: this.#credentials,
        ownEventId: this.#eventId,
        onDocumentRead: () => this.#meter.document(false),
        signal,
      },
      eventIds,
    );
    this.#beside = Promise.allSettled([this.#beside, reading]);
    return reading;
  }

  run(observer: SourceObserver): Promise<void> {
    this.#running = this.#observeForever(observer);
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const session of this.#sessions) session.stop();
    await this.#running.catch(() => {});
    await this.#beside;
  }

  async #observeForever(observer: SourceObserver): Promise<void> {
    const { log, wantsMetadata } = this.#options;
    const { signal } = this.#stopping;
    await this.#saved?.restore();
    const feed = new ObserverFeed({
      observer,
      eventId: this.#eventId,
      systemId: this.#place.systemId,
      memory: this.#memory,
      wantsMetadata: wantsMetadata && this.#place.event !== undefined,
      staleAfterMs: this.#limits.staleAfterMs,
      onState: (state) => this.#become(state),
      onObserverError: (err) => log.error({ err }, 'what follows the tickets has failed'),
    });
    this.#feed = feed;
    const timers = [
      setInterval(() => {
        feed.tick();
        this.#malformed.look();
        this.#lookForTickets();
      }, this.#limits.tickMs),
      setInterval(() => void this.#saved?.save(), this.#limits.saveEveryMs),
    ];
    let failures = 0;
    try {
      while (!signal.aborted) {
        const begunAtMs = performance.now();
        const failure = await this.#observeOnce(feed);
        if (signal.aborted) return;
        if (!failure.shouldRetry && !this.#everLive) throw failure;
        feed.lose(failure.message, failure.shouldRetry);
        const lastedMs = performance.now() - begunAtMs;
        failures = lastedMs > this.#limits.silenceMs ? 1 : failures + 1;
        const { maxRetryDelayMs, maxRefusedDelayMs } = this.#limits;
        const delayMs = retryDelayMs(failures, failure.takesLong ? maxRefusedDelayMs : maxRetryDelayMs);
        // An attempt that took long was a pause itself.
        await pause(Math.max(0, delayMs - lastedMs), undefined, { signal }).catch(() => {});
      }
    } finally {
      for (const timer of timers) clearInterval(timer);
      await this.#saved?.save();
      log.info({ documentsRead: this.#meter.counts }, 'no longer observing');
    }
  }

  /** Returns why there is no session, or why the last one ended. */
  async #observeOnce(feed: ObserverFeed): Promise<FirestoreError> {
    const { signal } = this.#stopping;
    const { log } = this.#options;
    let session: ListenSession | undefined;
    try {
      session = this.#open(await this.#credentials.token(signal), feed);
      await orAborted(session.begun, signal);
      for (;;) session = await this.#successorOf(session, feed);
    } catch (error) {
      const failure = toFirestoreError(error);
      if (failure.isTokenRefused) this.#credentials.forget();
      if (session?.hasBegun && !signal.aborted)
        log.info({ reason: failure.message, documentsRead: this.#meter.counts }, 'the stream has ended');
      return failure;
    } finally {
      this.#warn('token', undefined);
      for (const each of this.#sessions) each.stop();
      this.#sessions.clear();
    }
  }

  #open(token: BearerToken, feed: ObserverFeed): ListenSession {
    this.#stopping.signal.throwIfAborted();
    const session: ListenSession = new ListenSession({
      ...this.#options,
      place: this.#place,
      limits: this.#limits,
      token,
      memory: this.#memory,
      feed,
      checks: this.#checks,
      fallback: this.#fallback,
      meter: this.#meter,
      onBegin: () => {
        for (const each of this.#sessions) if (each !== session) this.#end(each);
      },
      onWarning: (of, warning) => this.#warn(of, warning),
    });
    this.#sessions.add(session);
    return session;
  }

  #end(session: ListenSession): void {
    session.stop();
    this.#sessions.delete(session);
  }

  /** Resolves with the session that has taken over with another token; rejects with what ends this one before. */
  async #successorOf(session: ListenSession, feed: ObserverFeed): Promise<ListenSession> {
    const { signal } = this.#stopping;
    const unlessOver = <T>(wanted: Promise<T>): Promise<T> =>
      orAborted(Promise.race([session.ended, wanted]), signal);
    let waitMs = session.token.renewAtMs - performance.now();
    for (;;) {
      await unlessOver(pause(Math.max(0, waitMs), undefined, { signal }));
      let successor: ListenSession | undefined;
      try {
        successor = this.#open(await unlessOver(this.#credentials.renew(signal)), feed);
        await unlessOver(successor.begun);
        this.#warn('token', undefined);
        return successor;
      } catch (error) {
        if (successor) this.#end(successor);
        const failure = toFirestoreError(error);
        const isOver = session.isOver || signal.aborted || performance.now() > session.token.endsAtMs;
        if (isOver || !failure.shouldRetry) throw failure;
        this.#warn('token', `No new token yet, and without one the counts stop: ${failure.message}`);
        waitMs = RENEW_AGAIN_MS;
      }
    }
  }

  #become(state: SourceState): void {
    const { log } = this.#options;
    const before = this.#state;
    this.#state = state;
    if (state.kind === 'live') {
      log.info(this.#everLive ? 'observing again' : 'observing');
      this.#everLive = true;
      // One line per reason, not one per attempt.
    } else if (state.kind === 'waiting' && !(before.kind === 'waiting' && before.reason === state.reason)) {
      log.warn({ reason: state.reason }, 'not observing live');
    }
  }

  #lookForTickets(): void {
    if (this.#state.kind !== 'live') return;
    const path = pathOf(this.#place);
    const words = `${path} has no ticket: correct EVENT_ID or FIRESTORE_COLLECTION, if there should be some`;
    this.#warn('emptiness', this.#memory.size === 0 ? words : undefined);
  }

  #warn(of: WarningOf, warning: string | undefined): void {
    if (warning === this.#warnings.get(of)) return;
    if (warning === undefined) {
      this.#warnings.delete(of);
    } else {
      this.#warnings.set(of, warning);
      this.#options.log.warn(warning);
    }
  }
}

/** Rejects at once when the signal is aborted. */
async function orAborted<T>(wanted: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => (abort = () => reject(signal.reason as Error)));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([wanted, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
