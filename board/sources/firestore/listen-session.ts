import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { Channel, type ListenCall } from './channel.ts';
import type { CountChecks } from './count-checks.ts';
import type { CountFallback } from './count-fallback.ts';
import type { BearerToken } from './credentials.ts';
import {
  type FirestoreError,
  firestoreError,
  protocolError,
  silenceError,
  toFirestoreError,
} from './firestore-error.ts';
import type { FirestorePlace } from './firestore-place.ts';
import type { FirestoreSettings } from './firestore-settings.ts';
import { GRPC_CODE, type GrpcStatus } from './grpc-status.ts';
import type { FirestoreLimits } from './limits.ts';
import { decodeListenResponse, type ListenResponse, type TargetChange } from './messages.ts';
import { encodeAddTarget, encodeRemoveTarget, type Query } from './requests.ts';
import type { ObserverFeed } from './observer-feed.ts';
import { Probes } from './probes.ts';
import type { ReadMeter } from './read-meter.ts';
import { SessionCounts } from './session-counts.ts';
import { StreamView, type TargetName } from './stream-view.ts';
import type { TicketMemory } from './ticket-memory.ts';

/** A code that no ticket has. */
const PROBED_CODE = 'triagem-sonda';
/** While counts are asked for, probes find out whether they are answered again. */
const PROBE_BESIDE_COUNTS_MS = 10_000;
/** The statuses with which Firestore may refuse a resume token that is too old. */
const TOKEN_REFUSED: ReadonlySet<number> = new Set([
  GRPC_CODE.INVALID_ARGUMENT,
  GRPC_CODE.FAILED_PRECONDITION,
  GRPC_CODE.OUT_OF_RANGE,
]);

const NAMES: Readonly<Record<TargetName, string>> = {
  tickets: 'the collection of tickets',
  sectors: 'the collection of sectors',
  event: "the event's document",
};

export interface ListenSessionOptions {
  readonly settings: FirestoreSettings;
  readonly place: FirestorePlace;
  readonly wantsMetadata: boolean;
  readonly limits: FirestoreLimits;
  readonly log: Logger;
  readonly token: BearerToken;
  readonly memory: TicketMemory;
  readonly feed: ObserverFeed;
  readonly checks: CountChecks;
  readonly fallback: CountFallback;
  readonly meter: ReadMeter;
  /** Its first reading is passed on now. */
  readonly onBegin: () => void;
  readonly onWarning: (of: TargetName | 'checks', warning: string | undefined) => void;
}

/**
 * One stream on one connection: what it brings is passed on from its first consistent reading on. While another session is
 * still passing on, it waits until it has come as far.
 */
export class ListenSession {
  readonly #options: ListenSessionOptions;
  readonly #channel: Channel;
  readonly #call: ListenCall;
  readonly #view: StreamView;
  readonly #probes: Probes;
  readonly #counts: SessionCounts;
  readonly #ticking: NodeJS.Timeout;
  readonly #beginning: Promise<void>;
  #begin: () => void = () => {};
  readonly #ending: Promise<never>;
  #end: (reason: FirestoreError) => void = () => {};
  readonly #openedAtMs = performance.now();
  readonly #goesOn: boolean;
  #lastSignAtMs = this.#openedAtMs;
  #hasConnected = false;
  #hasBegun = false;
  readonly #refused = new Set<TargetName>();
  #isOver = false;
  /** Firestore has another number of tickets than the stream has brought. */
  #filterDoubt: string | undefined;

  constructor(options: ListenSessionOptions) {
    this.#options = options;
    const { settings, place, memory, limits, token } = options;
    this.#beginning = new Promise((resolve) => (this.#begin = resolve));
    this.#ending = new Promise((_, reject) => (this.#end = reject));
    this.#ending.catch(() => {});
    this.#goesOn = memory.resumeToken !== undefined;
    this.#probes = new Probes(limits);
    this.#channel = new Channel(settings, place.database);
    this.#call = this.#channel.listen(token.value, {
      onMessage: (bytes) => this.#attempt(() => this.#take(bytes)),
      onEnd: (end) => this.#attempt(() => this.#refuse('tickets', end)),
    });
    this.#view = new StreamView({
      ...options,
      add: (target) => this.#call.send(encodeAddTarget(place.database, target)),
      remove: (id) => this.#call.send(encodeRemoveTarget(place.database, id)),
      onRefused: (name, cause) => this.#refuse(name, cause),
      onFilterMismatch: (theirs, ours) => this.#findMismatch(theirs, ours),
      onDocumentRead: (name) => options.meter.document(name === 'tickets'),
    });
    this.#counts = new SessionCounts({
      ...options,
      token: token.value,
      channel: this.#channel,
      onDifference: (ours, theirs) => this.#attempt(() => this.#findDifference(ours, theirs)),
      onChecked: () => this.#attempt(() => this.#doubt()),
      onProof: (readTimeUs, askedAtMs) => this.#attempt(() => this.#takeProof(readTimeUs, askedAtMs)),
      onWarning: (warning) => this.#attempt(() => options.onWarning('checks', warning)),
    });
    this.#ticking = setInterval(() => this.#attempt(() => this.#tick()), limits.tickMs);
  }

  /** Resolves once it passes on what it reads; rejects with what ends it before. */
  get begun(): Promise<void> {
    return Promise.race([this.#beginning, this.#ending]);
  }

  /** Never resolves; rejects with what ended it. */
  get ended(): Promise<never> {
    return this.#ending;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get token(): BearerToken {
    return this.#options.token;
  }

  /** Ends the session without notifying anybody. */
  stop(): void {
    this.#isOver = true;
    clearInterval(this.#ticking);
    this.#call.end();
    this.#channel.close();
  }

  #fail(error: unknown): void {
    this.#end(toFirestoreError(error));
    this.stop();
  }

  #attempt(action: () => void): void {
    if (this.#isOver) return;
    try {
      action();
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(bytes: Buffer): void {
    let response: ListenResponse | undefined;
    try {
      response = decodeListenResponse(bytes);
    } catch (error) {
      throw protocolError('a response is malformed', error);
    }
    this.#lastSignAtMs = performance.now();
    if (!response) return;
    if (response.kind === 'target') this.#takeOfProbes(response);
    const readTimeUs = this.#view.take(response);
    if (readTimeUs === undefined) return;
    this.#read(readTimeUs, response.kind === 'target' ? response.resumeToken : undefined);
  }

  #takeOfProbes({ change, targetIds, cause }: TargetChange): void {
    const { place, settings } = this.#options;
    const probes = this.#probes.among(targetIds);
    // Refused for another reason, it is never answered, and counts are asked for.
    if (change === 'remove' && probes.length > 0 && cause?.code === GRPC_CODE.RESOURCE_EXHAUSTED)
      throw firestoreError(cause, settings, NAMES.tickets);
    if (change !== 'current') return;
    for (const id of probes) {
      this.#probes.complete(id);
      this.#call.send(encodeRemoveTarget(place.database, id));
    }
  }

  /** The stream is consistent. */
  #read(readTimeUs: number, resumeToken: Buffer | undefined): void {
    const { memory, feed, checks, fallback, limits, onBegin } = this.#options;
    if (readTimeUs < memory.readTimeUs) {
      // The session before this one has come further.
      if (!this.#hasBegun && feed.isConnected) return;
      if (!feed.hasPassed) memory.forget();
      throw protocolError(
        'it stands before what was read already, as if the clock of the database had been set back',
      );
    }
    const isFirst = !this.#hasBegun;
    if (isFirst) {
      this.#hasBegun = true;
      onBegin();
      this.#begin();
      checks.restart();
      for (const name of ['sectors', 'event'] as const)
        if (!this.#refused.has(name)) this.#options.onWarning(name, undefined);
    }
    const probedAtMs = this.#probes.answer();
    if (probedAtMs !== undefined) fallback.addAnswer(performance.now() - probedAtMs <= limits.staleAfterMs);
    const reading = this.#view.read(readTimeUs, resumeToken);
    if (reading.tickets.isWhole) {
      this.#filterDoubt = undefined;
      checks.haveReadAgain();
    }
    feed.pass(reading, probedAtMs ?? (isFirst ? this.#openedAtMs : undefined));
    const countedAtMs = this.#counts.caughtUp();
    if (countedAtMs !== undefined) feed.prove(readTimeUs, countedAtMs);
    this.#doubt();
    if (isFirst && this.#probes.isDue) this.#ask();
    void this.#counts.check();
  }

  #tick(): void {
    const { settings, limits, fallback } = this.#options;
    const nowMs = performance.now();
    this.#hasConnected ||= this.#channel.isConnected;
    const silentMs = nowMs - this.#lastSignAtMs;
    if (!this.#hasConnected && silentMs > limits.connectMs) throw silenceError(settings);
    if (silentMs > (this.#view.isCurrent ? limits.silenceMs : limits.readingSilenceMs))
      throw silenceError(settings);
    if (!this.#hasBegun) return;
    for (const id of this.#probes.giveUp())
      this.#call.send(encodeRemoveTarget(this.#options.place.database, id));
    const { isDue } = this.#probes;
    if (fallback.isOn ? this.#probes.isDueEvery(PROBE_BESIDE_COUNTS_MS) : isDue) this.#ask();
    if (fallback.isOn || this.#probes.isLate) void this.#prove();
    void this.#counts.check();
  }

  #ask(): void {
    const { place, meter } = this.#options;
    const id = this.#view.newTargetId();
    const query: Query = { ...place.tickets, where: [{ field: 'setor', equals: PROBED_CODE }] };
    this.#call.send(encodeAddTarget(place.database, { id, of: { query }, resumeToken: undefined }));
    this.#probes.ask(id);
    meter.probe();
  }

  /** No probe is answered in time: a count may prove the readings. */
  async #prove(): Promise<void> {
    const { isLate } = this.#probes;
    const isAnswered = await this.#counts.prove();
    // A stream that has answered before is dead, and proves nothing about the others.
    if (isAnswered && isLate && !this.#probes.haveBeenAnswered) this.#options.fallback.addAnswer(false);
  }

  #takeProof(readTimeUs: number, askedAtMs: number): void {
    // A stream that has answered before is lost when it does not any more.
    if (!this.#probes.haveBeenAnswered) this.#lastSignAtMs = performance.now();
    this.#options.feed.prove(readTimeUs, askedAtMs);
  }

  #findDifference(ours: number, firestore: number): void {
    const { log, checks } = this.#options;
    log.warn({ ours, firestore }, checks.doubt);
    this.#view.readAgain();
  }

  #doubt(): void {
    const { feed, checks } = this.#options;
    feed.doubt(this.#filterDoubt ?? checks.doubt);
  }

  #refuse(name: TargetName, cause: GrpcStatus): void {
    const { settings, memory } = this.#options;
    if (name === 'tickets' && this.#goesOn && !this.#hasBegun && TOKEN_REFUSED.has(cause.code)) {
      memory.forgetToken();
      throw protocolError(`its resume token is not accepted (${cause.message})`);
    }
    const error = firestoreError(cause, settings, NAMES[name]);
    if (name === 'tickets' || cause.code !== GRPC_CODE.PERMISSION_DENIED) throw error;
    this.#refused.add(name);
    this.#options.onWarning(name, `${error.message}; the counts do without it`);
  }

  #findMismatch(theirs: number, ours: number): void {
    this.#filterDoubt = `Firestore has ${theirs} tickets, where its stream brought ${ours}: all are read again`;
    this.#options.log.warn({ ours, firestore: theirs }, this.#filterDoubt);
    this.#doubt();
  }
}
