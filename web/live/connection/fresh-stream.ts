import type { LiveMessage } from '../../../domain/live-message.ts';
import { type Clock, elapsedMs, type Instant, STALE_AFTER_MS } from '../trust/page-clock.ts';
import { measureDelay } from '../trust/message-delay.ts';
import { type DecodeMessage, readLiveStream, type StreamEnd } from './live-stream.ts';

/** A call to the server, and how it is aborted. */
export interface Call extends AbortController {
  /** When the request was sent; of several, the one that was answered. */
  sentAt: Instant;
  heardAt: Instant;
}

export function startCall(clock: Clock): Call {
  const now = clock();
  return Object.assign(new AbortController(), { sentAt: now, heardAt: now });
}

export interface StreamResult {
  readonly end: StreamEnd;
  /** From the first message to the end; 0 where none came. */
  readonly openForMs: number;
}

interface FreshStreamOptions {
  readonly venueId: string | undefined;
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
  const { venueId, call, clock, decode, onOpened, onMessages } = options;
  let openedAt: Instant | undefined;
  let delayMs: ReturnType<typeof measureDelay> | undefined;
  const isLate = (message: LiveMessage, now: Instant): boolean => {
    delayMs ??= measureDelay(call.sentAt);
    return 'sentAtMs' in message && delayMs(message.sentAtMs, now) > STALE_AFTER_MS;
  };
  const end = await readLiveStream(eventId, {
    venueId,
    fetch: options.fetch,
    decode,
    signal: call.signal,
    onMessages(messages) {
      const now = clock();
      if (elapsedMs(call.heardAt, now) > STALE_AFTER_MS || messages.some((message) => isLate(message, now))) {
        call.abort();
        return;
      }
      call.heardAt = now;
      if (!openedAt) {
        openedAt = now;
        onOpened();
      }
      onMessages(messages);
    },
  });
  return { end, openForMs: openedAt ? elapsedMs(openedAt, clock()) : 0 };
}
