import { MESSAGE_LATE_MS, STREAM_SILENT_MS } from '../../domain/freshness.ts';
import { measureDelay } from '../trust/message-delay.ts';
import { type Clock, earlier, elapsedMs, type Instant, UNANSWERED_MS } from '../trust/page-clock.ts';
import { type DecodeMessage, readLiveStream, type StreamEnd } from './live-stream.ts';

/** A call to the server, and how it is aborted. */
export interface Call extends AbortController {
  /** When the request was sent; of several, the one that was answered. */
  sentAt: Instant;
  heardAt: Instant;
  /** It is given up when nothing has come for longer than this. */
  limitMs: number;
}

export function startCall(clock: Clock): Call {
  const now = clock();
  return Object.assign(new AbortController(), {
    sentAt: now,
    heardAt: now,
    limitMs: UNANSWERED_MS,
  });
}

/** Its times are of the server's own clock; the first message of a stream has one. */
export interface StreamMessage {
  readonly event: string;
  readonly sentAtMs?: number | undefined;
  readonly receivedAtMs?: number | undefined;
}

export interface StreamResult {
  readonly end: StreamEnd;
  /** From the first message to the end; 0 where none came. */
  readonly openForMs: number;
  /** It was aborted because the link brought its messages too late. */
  readonly wasLate: boolean;
}

interface FreshStreamOptions<Message> {
  readonly call: Call;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly decode: DecodeMessage<Message>;
  /** Comes before the first messages. */
  readonly onOpened: () => void;
  /** The newest was sent at `sentAt` or later, by the page's clock. */
  readonly onMessages: (messages: readonly Message[], sentAt: Instant) => void;
}

/**
 * Reads the live stream at this address until it ends or is aborted. Aborts it itself at a message that comes after a
 * silence, or late: it may be old, and so may everything behind it. A new stream begins with what is new. Never rejects.
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
      const wasSilent = elapsedMs(call.heardAt, now) > call.limitMs;
      wasLate = !wasSilent && elapsedMs(sentAt ?? now, now) > MESSAGE_LATE_MS;
      if (wasSilent || wasLate || !sentAt) {
        call.abort();
        return;
      }
      call.heardAt = now;
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
