import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type NatsConnection, PermissionViolationError, type Subscription } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { connectToAny, explainNatsError, type MadeConnection } from './nats-connect.ts';
import { type NatsServerAddress, type NatsTarget, placeOf } from './nats-target.ts';
import { ServerSilence } from './server-silence.ts';

/** An operation that NATS does not permit this user. */
interface Refusal {
  readonly operation: 'publish' | 'subscription';
  readonly subject: string;
}

export interface LinkSubscription {
  readonly subject: string;
  readonly onMessage: (subject: string, bytes: Uint8Array, reply: string | undefined) => void;
}

export interface NatsLinkOptions {
  readonly target: NatsTarget;
  /** The name of the connection in NATS's own monitoring. */
  readonly name: string;
  readonly log: Logger;
  /** Called for each new connection, once all subscriptions are made. */
  readonly onConnected?: () => void;
}

/** A connection that ended sooner counts as a failure. */
const SOUND_AFTER_MS = 1_000;
const MAX_RETRY_DELAY_MS = 1_000;
const CLOSE_GRACE_MS = 500;

const MAX_REFUSALS = 100;

/**
 * Keeps a connection to NATS: when it ends, or falls silent, another is made at once, to the next server. What is published
 * meanwhile is lost: states are published again anyway. Subscriptions are renewed with each connection.
 *
 *   connecting ──▶ connected ──▶ ended or silent ──▶ connecting, to the next server
 *       │               └─ slow, changeTo(), changeToNext() ──▶ connected to another one, once that has let us in
 *       └─ refused, or slow ──▶ the next server, too; after all of them a pause, longer each time
 */
export class NatsLink {
  readonly #options: NatsLinkOptions;
  /** Each has its subscription of the current connection. */
  readonly #subscriptions = new Map<LinkSubscription, Subscription | undefined>();
  readonly #stopping = new AbortController();
  #connection: NatsConnection | undefined;
  #giveUp: (reason: string) => void = () => {};
  /** Settles once another connection is there, or none of the servers asked lets us in. */
  #changing: Promise<void> | undefined;
  /** The connection to use next. */
  #replacement: MadeConnection | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The index of the server to try next. */
  #next: number;
  #server: NatsServerAddress | undefined;
  #notConnectedReason: string | undefined = 'connecting';
  #connections = 0;
  #connectedAtMs = -Infinity;
  readonly #silence = new ServerSilence();
  readonly #reported = new Set<string>();
  readonly #denied = new Set<string>();
  /** What NATS refused on this connection, by message. */
  readonly #refusals = new Map<string, Refusal>();

  constructor(options: NatsLinkOptions) {
    this.#options = options;
    // Spreads the nodes over the servers.
    this.#next = Math.floor(Math.random() * options.target.servers.length);
  }

  /** The server of the newest connection; `undefined` before the first. */
  get server(): NatsServerAddress | undefined {
    return this.#server;
  }

  /** Why there is no connection, for the operator; `undefined` while there is one. */
  get notConnectedReason(): string | undefined {
    return this.#notConnectedReason;
  }

  /** What NATS has refused since the connection was made. */
  get refusals(): Iterable<Refusal> {
    return this.#refusals.values();
  }

  /** How many connections have been made. */
  get connections(): number {
    return this.#connections;
  }

  /** When the newest connection was made, by `performance.now()`. */
  get connectedAtMs(): number {
    return this.#connectedAtMs;
  }

  /** How much longer an answer of the server may take than over a quick link. */
  get allowanceMs(): number {
    return this.#silence.allowanceMs(performance.now());
  }

  /** Returns how to unsubscribe. */
  subscribe(subscription: LinkSubscription): () => void {
    this.#subscriptions.set(subscription, undefined);
    if (this.#connection) this.#open(this.#connection, subscription);
    return () => {
      this.#subscriptions.get(subscription)?.unsubscribe();
      this.#subscriptions.delete(subscription);
    };
  }

  /** Returns false where there is no connection, or the client refuses the message. */
  publish(subject: string, bytes: Uint8Array, reply?: string): boolean {
    if (!this.#connection) return false;
    try {
      this.#connection.publish(subject, bytes, reply === undefined ? undefined : { reply });
      return true;
    } catch (error) {
      this.#options.log.error({ err: error, subject, bytes: bytes.length }, 'NATS does not take a message');
      return false;
    }
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Replaces the connection by one to this server of the target, once it has let us in. */
  changeTo(server: NatsServerAddress, reason: string): void {
    this.#change([server], reason);
  }

  /** Replaces the connection by one to another server, once one has let us in. The server after the one in use comes first. */
  changeToNext(reason: string): void {
    const others = this.#inOrder.filter((server) => server !== this.#server);
    this.#change(others, reason);
  }

  /** Resolves once what was published before is sent, or CLOSE_GRACE_MS have elapsed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const connection = this.#connection;
    if (connection) {
      await Promise.race([
        connection.flush().catch(() => {}),
        pause(CLOSE_GRACE_MS, undefined, { ref: false }),
      ]);
    }
    this.#giveUp('stopped');
    await this.#running;
  }

  /** All servers; the one in use comes last. */
  get #inOrder(): NatsServerAddress[] {
    const { servers } = this.#options.target;
    return [...servers.slice(this.#next), ...servers.slice(0, this.#next)];
  }

  /**
   * Connects to one of the servers, and keeps what is in use where none lets us in, or `isWanted` is false by then. Where the
   * connection in use ends meanwhile, the new one takes its place.
   */
  #change(servers: readonly NatsServerAddress[], reason: string, isWanted = (): boolean => true): void {
    const used = this.#connection;
    if (!used || this.#changing) return;
    const { target } = this.#options;
    const attempt = {
      ...this.#options,
      target: { ...target, servers },
      first: 0,
      isHard: false,
      signal: this.#stopping.signal,
      onFailure: () => {},
    };
    this.#changing = connectToAny(attempt).then((made) => {
      this.#changing = undefined;
      if (!made) return;
      if (this.#connection !== used || isWanted()) {
        this.#replacement = made;
        this.#giveUp(reason);
      } else made.connection.close().catch(() => {});
    });
  }

  async #run(): Promise<void> {
    const { servers } = this.#options.target;
    const { log } = this.#options;
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      const begunAtMs = performance.now();
      await this.#changing;
      const made =
        this.#replacement ??
        (await connectToAny({
          ...this.#options,
          first: this.#next,
          isHard: failures >= servers.length,
          signal,
          onFailure: (reason) => this.#report(reason),
        }));
      this.#replacement = undefined;
      if (made) {
        this.#next = servers.indexOf(made.server) + 1;
        this.#server = made.server;
        const reason = await this.#use(made.connection, placeOf(made.server));
        if (this.#isReplaced) log.warn({ reason }, 'changing to another connection to NATS');
        else if (!signal.aborted) this.#report(reason);
        failures = performance.now() - begunAtMs > SOUND_AFTER_MS ? 0 : failures + 1;
      } else failures += servers.length;
      const rounds = Math.floor(failures / servers.length);
      if (rounds === 0 || this.#isReplaced) continue;
      const delayMs = Math.min(MAX_RETRY_DELAY_MS, 50 * 2 ** rounds) * (0.5 + Math.random() / 2);
      await pause(delayMs, undefined, { signal }).catch(() => {});
    }
    this.#replacement?.connection.close().catch(() => {});
  }

  /** Whether another connection takes the place of the one that has ended. */
  get #isReplaced(): boolean {
    return this.#replacement !== undefined;
  }

  /** Resolves with the reason once the connection has ended, or is given up. */
  async #use(connection: NatsConnection, place: string): Promise<string> {
    const { log, onConnected } = this.#options;
    const givenUp = new Promise<string>((resolve) => {
      this.#giveUp = resolve;
    });
    if (this.#stopping.signal.aborted) this.#giveUp('stopped');
    this.#connection = connection;
    this.#refusals.clear();
    this.#reported.clear();
    this.#connections += 1;
    this.#connectedAtMs = performance.now();
    this.#notConnectedReason = undefined;
    for (const subscription of this.#subscriptions.keys()) this.#open(connection, subscription);
    log.info({ server: place }, 'connected to NATS');
    void this.#readStatus(connection);
    const silent = 'the NATS server does not answer';
    const stopWatching = this.#silence.watch(() => connection.flush(), {
      onSlow: () => this.#change(this.#inOrder, silent, () => this.#silence.isSlow(performance.now())),
      onSilent: () => this.#giveUp(silent),
    });
    onConnected?.();
    const ended = connection
      .closed()
      .then((error) => `${place}: ${error ? explainNatsError(error) : 'it hung up'}`);
    const reason = await Promise.race([ended, givenUp]);
    stopWatching();
    this.#connection = undefined;
    this.#giveUp = () => {};
    // Not awaited: a silent server would keep it from ending.
    connection.close().catch(() => {});
    return reason;
  }

  #open(connection: NatsConnection, subscription: LinkSubscription): void {
    const { subject, onMessage } = subscription;
    const opened = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error || connection !== this.#connection) return;
        try {
          onMessage(message.subject, message.data, message.reply);
        } catch (fault) {
          // Rethrown, it would end the library's reading without a trace.
          this.#options.log.error({ err: fault, subject: message.subject }, 'a message could not be handled');
        }
      },
    });
    this.#subscriptions.set(subscription, opened);
  }

  /** Collects what NATS refuses. */
  async #readStatus(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type !== 'error') continue;
      const { error } = status;
      const { message } = error;
      if (error instanceof PermissionViolationError && this.#refusals.size < MAX_REFUSALS) {
        this.#refusals.set(message, error);
      }
      if (this.#denied.has(message)) continue;
      // Each message is logged once: a subject that is refused is refused a thousand times an hour.
      if (this.#denied.size < MAX_REFUSALS) this.#denied.add(message);
      this.#options.log.error(
        { reason: message },
        'NATS refuses: look at the rights of this user in nats-server.conf',
      );
    }
  }

  /** Logs each reason once until the next connection: each server may have another one. */
  #report(reason: string): void {
    this.#notConnectedReason = reason;
    if (this.#reported.has(reason)) return;
    this.#reported.add(reason);
    this.#options.log.warn({ reason }, 'not connected to NATS');
  }
}
