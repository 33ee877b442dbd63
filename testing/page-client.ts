import { createParser } from 'eventsource-parser';
import type { Counts } from '../domain/event-state.ts';
import { decodeLiveMessage, type LiveMessage } from '../domain/live-message.ts';
import { SECTOR_CODES } from '../domain/venue.ts';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { EMAIL, KEY } from './in-process-server.ts';

/** A screen without a browser: it signs in, reads the stream and keeps everything it was told. */
export interface TestViewer {
  readonly messages: LiveMessage[];
  /** The newest counts, and whether they may be shown as live. */
  readonly counts: Counts | undefined;
  readonly live: boolean;
  readonly ended: boolean;
  leave(): void;
}

export async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: EMAIL, key: KEY }),
  });
  if (response.status !== 204) throw new Error(`sign-in was answered with ${response.status}`);
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

export async function openViewer(url: string, eventId = DEFAULT_EVENT_ID): Promise<TestViewer> {
  const cookie = await signIn(url);
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/events/${eventId}/live`, {
    headers: { cookie },
    signal: leaving.signal,
  });
  if (response.status !== 200 || !response.body)
    throw new Error(`the stream was answered with ${response.status}`);
  const state = {
    messages: [] as LiveMessage[],
    counts: undefined as Counts | undefined,
    live: false,
    ended: false,
    leave: () => leaving.abort(),
  };
  const parser = createParser({
    onEvent({ event, data, id }) {
      const message = decodeLiveMessage(event ?? '', data, id ?? '', SECTOR_CODES);
      if (!message) return;
      state.messages.push(message);
      if (message.event === 'counts') state.counts = message.data;
      if (message.event === 'source') state.live = message.data.live;
    },
  });
  void read(response.body, (text) => parser.feed(text)).finally(() => {
    state.ended = true;
    state.live = false;
  });
  return state;
}

async function read(body: ReadableStream<Uint8Array>, feed: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body) feed(decoder.decode(bytes, { stream: true }));
  } catch {
    // The connection was cut: `ended` says so.
  }
}
