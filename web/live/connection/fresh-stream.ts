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

interface FreshStreamOptions<Message> {
  readonly call: Call;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly decode: DecodeMessage<Message>;
  /** Comes before the first messages. */
  readonly onOpened: () => void;
  readonly onMessages: (messages: readonly Message[]) => void;
}

/**
 * Reads the live stream at this address until it ends or is aborted. Aborts it itself at a message that comes after a
 * silence, or late: it may be old, and so may everything behind it. Never rejects.
 */
export async function readFreshStream<Message extends object>(
  url: string,
  options: FreshStreamOptions<Message>,
): Promise<StreamResult> {
  const { call, clock, decode, onOpened, onMessages } = options;
  let openedAt: Instant | undefined;
  let delayMs: ReturnType<typeof measureDelay> | undefined;
  const isLate = (message: Message & { readonly sentAtMs?: number }, now: Instant): boolean => {
    delayMs ??= measureDelay(call.sentAt);
    return message.sentAtMs !== undefined && delayMs(message.sentAtMs, now) > STALE_AFTER_MS;
  };
  const end = await readLiveStream(url, {
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
