import type { LiveMessage } from '../../domain/live-message.ts';
import { askAgain } from './ask-again.ts';
import { measureDelay } from './delay.ts';
import { elapsedMs, STALE_AFTER_MS, type Clock, type Instant } from './freshness.ts';
import { readLiveStream } from './live-stream.ts';
import { retryDelayMs, type Obstacle } from './retry-policy.ts';
import { signIn } from './sign-in.ts';

/**
 * What happens on a connection, in the order in which it happens: opened, received …, closed; or opened again, where
 * one stream followed another at once.
 */
export interface ConnectionEvents {
  /** After every successful sign-in. False keeps the page from the stream of an event that is not its own. */
  readonly signedIn: (eventId: string) => boolean;
  /**
   * Told with a stream's first messages: what was shown until then is not shut off for an empty one. `calledAt`: when the
   * call was made that this stream answers.
   */
  readonly opened: (calledAt: Instant) => void;
  readonly received: (messages: readonly LiveMessage[]) => void;
  readonly closed: () => void;
}

export interface Connection {
  /** To be called every second or so, and on waking: gives up a call that has been silent too long. */
  readonly checkSilence: () => void;
  /** Gives up the present call, and tries again. */
  readonly reconnect: () => void;
  readonly stop: () => void;
}

/** A stream that lived this long has shown that the server is well: the next failure is the first again. */
const SOUND_AFTER_MS = 5_000;

/**
 * A server that ends a sound stream in order, as it does when a session ends, means that another one may be had at
 * once: the end is told only if no other has begun by then, or has failed.
 */
const HAND_OVER_MS = 1_500;

/**
 * A call for the stream that has no answer is repeated beside it after so long: soon where the last one was met by
 * silence, as the network may have forgotten it; later where the server may just be busy with many.
 */
const ASK_AGAIN_MS = 1_000;
const ASK_AGAIN_SLOWLY_MS = 3_000;

/**
 * Keeps one live stream open for as long as the page lives.
 *
 *   ┌──▶ signing in ──session──▶ streaming ──┐
 *   │      │    ▲                 │    ▲     │ 401, or another refusal that waiting does not heal
 *   │      └────┘                 └────┘     │
 *   │     refused,            closed, cut,   │
 *   │     unreachable         silent, 503    │
 *   └────────────────────────────────────────┘
 */
export function connect(options: {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly on: ConnectionEvents;
}): Connection {
  const { fetch, clock, random, on } = options;
  const stopping = new AbortController();
  let call = new AbortController();
  let calledAt = clock();
  let heardAt = calledAt;
  let hasLostTouch = false;
  let endPause = () => {};
  let handOver: ReturnType<typeof setTimeout> | undefined;

  async function run(): Promise<void> {
    let eventId: string | undefined;
    let failures = 0;
    let refusals = 0;
    while (!stopping.signal.aborted) {
      eventId ??= await signInUntilItWorks();
      if (eventId === undefined) return;
      const { obstacle, openForMs, inOrder } = await stream(eventId);
      if (openForMs > 0) refusals = 0;
      if (openForMs > SOUND_AFTER_MS) failures = 0;
      if (inOrder && openForMs > SOUND_AFTER_MS) {
        handOver = setTimeout(tellClosed, HAND_OVER_MS);
        continue;
      }
      const sessionEnded = obstacle.kind === 'refused' && obstacle.status < 500 && obstacle.status !== 429;
      if (!sessionEnded || handOver === undefined) tellClosed();
      if (sessionEnded) {
        eventId = undefined;
        // An ended session needs no wait, unless it was refused as soon as it was made.
        if (refusals > 0) await pauseAfter(obstacle, refusals);
        refusals += 1;
      } else {
        await pauseAfter(obstacle, failures, openForMs > 0);
        failures += 1;
      }
    }
  }

  async function signInUntilItWorks(): Promise<string | undefined> {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      const result = await signIn({ fetch, signal: newCall() });
      if (result.kind === 'signed-in' && on.signedIn(result.eventId)) return result.eventId;
      if (handOver !== undefined) tellClosed();
      if (failures === 0 && !stopping.signal.aborted) console.error('deu ruim no login');
      await pauseAfter(result.kind === 'signed-in' ? UNREACHABLE : result, failures);
    }
    return undefined;
  }

  async function stream(
    eventId: string,
  ): Promise<{ obstacle: Obstacle; openForMs: number; inOrder: boolean }> {
    let openedAt: Instant | undefined;
    const signal = newCall();
    let delayMs: ReturnType<typeof measureDelay> | undefined;
    const isOld = (message: LiveMessage, now: Instant): boolean => {
      delayMs ??= measureDelay(calledAt);
      return 'sentAtMs' in message && delayMs(message.sentAtMs, now) > STALE_AFTER_MS;
    };
    const ask: typeof fetch = async (...request) => {
      const askedAt = clock();
      const answer = await fetch(...request);
      calledAt = heardAt = askedAt;
      return answer;
    };
    const end = await readLiveStream(eventId, {
      fetch: askAgain(ask, hasLostTouch ? ASK_AGAIN_MS : ASK_AGAIN_SLOWLY_MS),
      signal,
      onMessages(messages) {
        const now = clock();
        // What comes after a silence, or late, may be old, and so may everything behind it.
        if (elapsedMs(heardAt, now) > STALE_AFTER_MS || messages.some((message) => isOld(message, now))) {
          call.abort();
          return;
        }
        heardAt = now;
        if (openedAt === undefined) {
          openedAt = now;
          hasLostTouch = false;
          clearTimeout(handOver);
          handOver = undefined;
          on.opened(calledAt);
        }
        on.received(messages);
      },
    });
    return {
      obstacle: end.kind === 'refused' ? end : UNREACHABLE,
      openForMs: openedAt === undefined ? 0 : elapsedMs(openedAt, clock()),
      inOrder: end.kind === 'closed',
    };
  }

  function loseTouch(): void {
    hasLostTouch = true;
    call.abort();
  }

  function tellClosed(): void {
    clearTimeout(handOver);
    handOver = undefined;
    on.closed();
  }

  function newCall(): AbortSignal {
    call = new AbortController();
    calledAt = clock();
    heardAt = calledAt;
    return call.signal;
  }

  /** A call that was never answered has been a pause already. */
  function pauseAfter(obstacle: Obstacle, failures: number, wasOpen = false): Promise<void> {
    const delayMs = retryDelayMs(obstacle, failures, random);
    const unansweredMs = obstacle.kind === 'unreachable' && !wasOpen ? elapsedMs(calledAt, clock()) : 0;
    return pause(Math.max(0, delayMs - unansweredMs));
  }

  function pause(delayMs: number): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
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
    checkSilence() {
      if (elapsedMs(heardAt, clock()) > STALE_AFTER_MS) loseTouch();
    },
    reconnect: loseTouch,
    stop() {
      stopping.abort();
      call.abort();
      endPause();
      clearTimeout(handOver);
    },
  };
}

const UNREACHABLE: Obstacle = { kind: 'unreachable' };
