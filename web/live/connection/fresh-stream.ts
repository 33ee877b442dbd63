import type { LiveMessage } from '../../../domain/live-message.ts';
import { type Clock, elapsedMs, type Instant, STALE_AFTER_MS } from '../trust/freshness.ts';
import { measureDelay } from '../trust/message-delay.ts';
import { type DecodeMessage, readLiveStream } from './live-stream.ts';
import { type Failure, UNREACHABLE } from './retry-policy.ts';

/** A call to the server, whatever for. */
export interface Call {
  readonly controller: AbortController;
  /** When the request was sent; of several, the one that was answered. */
  sentAt: Instant;
  heardAt: Instant;
}

export function startCall(clock: Clock): Call {
  const now = clock();
  return { controller: new AbortController(), sentAt: now, heardAt: now };
}

export interface StreamResult {
  readonly failure: Failure;
  /** From the first message to the end; 0 where none came. */
  readonly openForMs: number;
  /** Whether the server ended it, and not the network. */
  readonly inOrder: boolean;
}

export interface FreshStreamOptions {
  readonly call: Call;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly decode: DecodeMessage;
  /** Comes before the first messages. */
  readonly onOpened: () => void;
  readonly onMessages: (messages: readonly LiveMessage[]) => void;
}

/**
 * Reads the live stream of an event until it ends or is aborted. Aborts it itself at a message that comes after a
 * silence, or late: it may be old, and so may everything behind it. Never rejects.
 */
export async function readFreshStream(eventId: string, options: FreshStreamOptions): Promise<StreamResult> {
  const { call, clock, decode, onOpened, onMessages } = options;
  let openedAt: Instant | undefined;
  let delayMs: ReturnType<typeof measureDelay> | undefined;
  const isLate = (message: LiveMessage, now: Instant): boolean => {
    delayMs ??= measureDelay(call.sentAt);
    return 'sentAtMs' in message && delayMs(message.sentAtMs, now) > STALE_AFTER_MS;
  };
  const end = await readLiveStream(eventId, {
    fetch: options.fetch,
    decode,
    signal: call.controller.signal,
    onMessages(messages) {
      const now = clock();
      if (elapsedMs(call.heardAt, now) > STALE_AFTER_MS || messages.some((message) => isLate(message, now))) {
        call.controller.abort();
        return;
      }
      call.heardAt = now;
      if (openedAt === undefined) {
        openedAt = now;
        onOpened();
      }
      onMessages(messages);
    },
  });
  return {
    failure: end.kind === 'refused' ? end : UNREACHABLE,
    openForMs: openedAt === undefined ? 0 : elapsedMs(openedAt, clock()),
    inOrder: end.kind === 'closed',
  };
}
