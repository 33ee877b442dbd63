import { type Clock, elapsedMs, type Instant } from '../trust/page-clock.ts';
import { readFreshStream, startCall, type StreamMessage, type StreamResult } from './fresh-stream.ts';
import { hedgedFetch } from './hedged-fetch.ts';
import type { DecodeMessage } from './live-stream.ts';
import { type Failure, retryDelayMs, UNREACHABLE } from './retry-policy.ts';

/** Events come in the order opened, received …, closed; `opened` comes again where one stream follows another at once. */
interface ConnectionEvents<Session, Message> {
  /** Called after every successful sign-in; false keeps the page from the stream of another event. */
  readonly signedIn: (session: Session) => boolean;
  /** Called once in a run of failures. */
  readonly signInFailed: () => void;
  /**
   * Called with a stream's first messages: an empty stream does not replace what is displayed. `sentAt`: when the request
   * for this stream was sent.
   */
  readonly opened: (sentAt: Instant) => void;
  /** The newest message was sent at `sentAt` or later. */
  readonly received: (messages: readonly Message[], sentAt: Instant) => void;
  readonly closed: () => void;
}

export interface Connection {
  /**
   * Must be called every PAGE_TICK_MS and on waking. Abandons a call that has been silent for too long. While this server
   * counts a former primary, it now and then requests a new stream, which another server may answer.
   */
  readonly check: () => void;
  /** Abandons the current call and tries again. */
  readonly reconnect: () => void;
  readonly stop: () => void;
}

export type SignInResult<Session> =
  | { readonly kind: 'signed-in'; readonly session: Session }
  /** The server refused a session; `status` is that of the failed call. */
  | Failure;

export interface ConnectionOptions<Session, Message> {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly random: () => number;
  /** Never rejects. */
  readonly signIn: (call: {
    readonly fetch: typeof fetch;
    readonly signal: AbortSignal;
  }) => Promise<SignInResult<Session>>;
  /** The stream's address. `paceMs`: the least time between its frames. */
  readonly streamUrl: (session: Session, paceMs: number) => string;
  readonly decode: DecodeMessage<Message>;
  /** Whether this server counts a former primary. */
  readonly isOfFormer: () => boolean;
  readonly on: ConnectionEvents<Session, Message>;
}

/** A stream that lived this long is stable: the next failure counts as the first. */
const STABLE_AFTER_MS = 5_000;

/**
 * A new stream is requested at once when one is late, and when a stable one ends in order (as when a session ends) or is a
 * former primary's. `closed` is reported only if no stream has begun after this time, or the attempt has failed.
 */
const HAND_OVER_MS = 1_500;

/**
 * An unanswered request for the stream is repeated beside the first after this time: soon if the last call was abandoned,
 * as the network may have forgotten its connections, or was late, as it may lose packets; later if the server may just be
 * busy.
 */
const HEDGE_SOON_MS = 1_000;
const HEDGE_MS = 3_000;

/** After a stream whose messages came too late, the next one is requested with this pace, then with twice the pace. */
const FIRST_PACE_MS = 500;
const LONGEST_PACE_MS = 1_500;

/** The chance at each check gives a new stream about every ten seconds, and not for all pages at once. */
const LOOK_ELSEWHERE_CHANCE = 0.1;

/**
 * Keeps one live stream open for as long as the page lives.
 *
 *   ┌──▶ signing in ──session──▶ streaming ──┐
 *   │      │    ▲                 │    ▲     │ 401, or another refusal that waiting does not fix
 *   │      └────┘                 └────┘     │
 *   │     refused,            closed, cut,   │
 *   │     unreachable         silent, 503    │
 *   └────────────────────────────────────────┘
 */
export function connect<Session, Message extends StreamMessage>(
  options: ConnectionOptions<Session, Message>,
): Connection {
  const { fetch, clock, random, signIn, streamUrl, decode, isOfFormer, on } = options;
  let isStopped = false;
  const hasStopped = () => isStopped;
  let call = startCall(clock);
  let wasAbandoned = false;
  let paceMs = 0;
  let endPause = () => {};
  let handOver: ReturnType<typeof setTimeout> | undefined;

  async function run(): Promise<void> {
    let session: Session | undefined;
    let failures = 0;
    let refusals = 0;
    while (!hasStopped()) {
      session ??= await signInUntilItWorks();
      if (!session) return;
      const { end, openForMs, wasLate } = await stream(session);
      paceMs = wasLate ? Math.min(LONGEST_PACE_MS, 2 * paceMs || FIRST_PACE_MS) : 0;
      const failure = end.kind === 'refused' ? end : UNREACHABLE;
      if (openForMs > 0) refusals = 0;
      const wasStable = openForMs > STABLE_AFTER_MS;
      if (wasStable) failures = 0;
      if (wasLate ? openForMs > 0 : wasStable && (end.kind === 'closed' || isOfFormer())) {
        handOver = setTimeout(reportClosed, HAND_OVER_MS);
        continue;
      }
      const sessionEnded = failure.kind === 'refused' && failure.status < 500 && failure.status !== 429;
      if (!sessionEnded || handOver === undefined) reportClosed();
      if (sessionEnded) {
        session = undefined;
        // Signing in again needs no wait, unless the new session was refused as well.
        if (refusals > 0) await pauseAfter(failure, refusals);
        refusals += 1;
      } else {
        await pauseAfter(failure, failures, openForMs > 0);
        failures += 1;
      }
    }
  }

  async function signInUntilItWorks(): Promise<Session | undefined> {
    for (let failures = 0; !hasStopped(); failures += 1) {
      call = startCall(clock);
      const result = await signIn({ fetch, signal: call.signal });
      if (result.kind === 'signed-in' && on.signedIn(result.session)) return result.session;
      if (handOver !== undefined) reportClosed();
      if (failures === 0 && !hasStopped()) on.signInFailed();
      await pauseAfter(result.kind === 'signed-in' ? UNREACHABLE : result, failures);
    }
    return undefined;
  }

  function stream(session: Session): Promise<StreamResult> {
    const started = startCall(clock);
    call = started;
    const request: typeof fetch = async (...args) => {
      const sentAt = clock();
      const response = await fetch(...args);
      started.sentAt = started.receivedAt = sentAt;
      return response;
    };
    return readFreshStream(streamUrl(session, paceMs), {
      call,
      fetch: hedgedFetch(request, wasAbandoned || paceMs > 0 ? HEDGE_SOON_MS : HEDGE_MS),
      clock,
      decode,
      onOpened() {
        wasAbandoned = false;
        endHandOver();
        on.opened(started.sentAt);
      },
      onMessages: on.received,
    });
  }

  function abandonCall(): void {
    wasAbandoned = true;
    call.abort();
  }

  function endHandOver(): void {
    clearTimeout(handOver);
    handOver = undefined;
  }

  function reportClosed(): void {
    endHandOver();
    on.closed();
  }

  /** The time of a call that was never answered counts as part of the pause. */
  function pauseAfter(failure: Failure, failures: number, wasOpen = false): Promise<void> {
    const delayMs = retryDelayMs(failure, failures, random);
    const unansweredMs = failure.kind === 'unreachable' && !wasOpen ? elapsedMs(call.sentAt, clock()) : 0;
    return pause(delayMs - unansweredMs);
  }

  function pause(delayMs: number): Promise<void> {
    if (isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  void run();
  return {
    check() {
      const now = clock();
      if (
        elapsedMs(call.receivedAt, now) > call.limitMs ||
        (isOfFormer() && elapsedMs(call.sentAt, now) > STABLE_AFTER_MS && random() < LOOK_ELSEWHERE_CHANCE)
      )
        abandonCall();
    },
    reconnect: abandonCall,
    stop() {
      isStopped = true;
      call.abort();
      endPause();
      endHandOver();
    },
  };
}
