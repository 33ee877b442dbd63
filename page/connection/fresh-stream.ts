import { MESSAGE_LATE_MS, STREAM_SILENT_MS } from '../../domain/freshness.ts';
import { measureDelay } from '../trust/message-delay.ts';
import { type Clock, earlier, elapsedMs, type Instant, UNANSWERED_MS } from '../trust/page-clock.ts';
import { type DecodeMessage, readLiveStream, type StreamEnd } from './live-stream.ts';

export interface Call extends AbortController {
  /** When the request that was answered was sent. */
  sentAt: Instant;
  receivedAt: Instant;
  /** The call is abandoned after a longer silence. */
  limitMs: number;
}

export function startCall(clock: Clock): Call {
  const now = clock();
  return Object.assign(new AbortController(), {
    sentAt: now,
    receivedAt: now,
    limitMs: UNANSWERED_MS,
  });
}

/** The times are the server's monotonic clock; the first message of a stream has one. */
export interface StreamMessage {
  readonly event: string;
  readonly sentAtMs?: number | undefined;
  readonly receivedAtMs?: number | undefined;
}

export interface StreamResult {
  readonly end: StreamEnd;
  /** The time from the first message to the end; 0 without a message. */
  readonly openForMs: number;
  /** The page aborted the stream because its messages came too late. */
  readonly wasLate: boolean;
}

interface FreshStreamOptions<Message> {
  readonly call: Call;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly decode: DecodeMessage<Message>;
  /** Called before the first messages. */
  readonly onOpened: () => void;
  /** The newest message was sent at `sentAt` or later, by the page's clock. */
  readonly onMessages: (messages: readonly Message[], sentAt: Instant) => void;
}

/**
 * Reads the live stream at this address until it ends or is aborted. It aborts the stream at a message that comes late or
 * after a silence: all behind it may be old, while a new stream begins with the newest. A late one is still passed on with
 * its time, unless it is the first: a link that is always so slow would make the page flap. Never rejects.
 */
export async function readFreshStream<Message extends StreamMessage>(
  url: string,
  options: FreshStreamOptions<Message>,
): Promise<StreamResult> {
  const { call, clock, decode, onOpened, onMessages } = options;
  let openedAt: Instant | undefined;
  let delayMs: ReturnType<typeof measureDelay> | undefined;
  let sentAt: Instant | undefined;
  let wasLate = false;
  const end = await readLiveStream(url, {
    fetch: options.fetch,
    decode,
    signal: call.signal,
    onMessages(messages) {
      const now = clock();
      delayMs ??= measureDelay(call.sentAt);
      for (const { sentAtMs, receivedAtMs } of messages) {
        if (sentAtMs !== undefined) sentAt = earlier(now, delayMs({ sentAtMs, receivedAtMs }, now));
      }
      if (!sentAt || elapsedMs(call.receivedAt, now) > call.limitMs) return call.abort();
      wasLate = elapsedMs(sentAt, now) > MESSAGE_LATE_MS;
      if (wasLate) {
        call.abort();
        if (!openedAt) return;
      }
      call.receivedAt = now;
      if (!openedAt) {
        openedAt = now;
        call.limitMs = STREAM_SILENT_MS;
        onOpened();
      }
      onMessages(messages, sentAt);
    },
  });
  return { end, openForMs: openedAt ? elapsedMs(openedAt, clock()) : 0, wasLate };
}
