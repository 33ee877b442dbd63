import { createParser } from 'eventsource-parser';
import { type Failure, readRefusal } from './retry-policy.ts';

/** Why a stream ended. `cut`: by the network, by an abort of the page, or by bytes that are no live stream. */
export type StreamEnd = { readonly kind: 'closed' | 'cut' } | Extract<Failure, { kind: 'refused' }>;

/** Reads one server-sent event. Returns `undefined` for an unknown kind; throws on a malformed one. */
export type DecodeMessage<Message> = (event: string, data: string, id: string) => Message | undefined;

interface StreamOptions<Message> {
  readonly fetch: typeof fetch;
  readonly decode: DecodeMessage<Message>;
  readonly signal: AbortSignal;
  /** All messages that one network chunk completed, in order; never an empty list. */
  readonly onMessages: (messages: readonly Message[]) => void;
}

/** This exceeds any frame; bytes that are no live stream cannot fill the memory. */
const MAX_EVENT_CHARACTERS = 4_000_000;

/** Reads the live stream at this address; resolves with the reason of its end, and never rejects. */
export async function readLiveStream<Message>(
  url: string,
  options: StreamOptions<Message>,
): Promise<StreamEnd> {
  try {
    const response = await options.fetch(url, {
      cache: 'no-store',
      headers: { accept: 'text/event-stream' },
      signal: options.signal,
    });
    const { ok, headers, body } = response;
    // A hotel's or a stadium's sign-on page answers 200 as well.
    if (ok && headers.get('content-type')?.startsWith('text/event-stream') && body) {
      await readMessages(body, options);
      return { kind: 'closed' };
    }
    await body?.cancel();
    return ok ? { kind: 'cut' } : readRefusal(response);
  } catch {
    return { kind: 'cut' };
  }
}

/** Reads server-sent events to the end of `bytes`. Throws what the body throws, and on a malformed message. */
export async function readMessages<Message>(
  bytes: ReadableStream<Uint8Array>,
  { decode, onMessages }: Pick<StreamOptions<Message>, 'decode' | 'onMessages'>,
): Promise<void> {
  let batch: Message[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent({ event = 'message', data, id = '' }) {
      const message = decode(event, data, id);
      if (message) batch.push(message);
    },
  });
  const decoder = new TextDecoder();
  const reader = bytes.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      if (batch.length > 0) onMessages(batch);
      batch = [];
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {});
    throw error;
  }
}
