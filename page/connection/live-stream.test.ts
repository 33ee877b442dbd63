import { describe, expect, it } from 'vitest';
import { liveMessageDecoder, encodeLiveMessage, type LiveMessage } from '../../domain/live-message.ts';
import { SECTOR_CODES, type SectorCode } from '../../domain/default-sectors.ts';
import { readLiveStream, readMessages } from './live-stream.ts';

const sectors = Object.fromEntries(SECTOR_CODES.map((code, index) => [code, index])) as Record<
  SectorCode,
  number
>;
const MESSAGES: readonly LiveMessage[] = [
  { event: 'build', sentAtMs: 1, data: { id: 'b1' } },
  { event: 'counts', id: 'e:7', sentAtMs: 1, data: { total: 78, sectors, others: 0 } },
  { event: 'source', data: { live: true } },
  { event: 'sectors', data: [{ code: '4', data: { nome: 'Arquibancada São João' } }] },
  { event: 'heartbeat', sentAtMs: 1 },
];
const BYTES = new TextEncoder().encode(MESSAGES.map(encodeLiveMessage).join(''));

function stream(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function batchesOf(...chunks: Uint8Array[]): Promise<(readonly LiveMessage[])[]> {
  const batches: (readonly LiveMessage[])[] = [];
  await readMessages(stream(...chunks), {
    decode: liveMessageDecoder(SECTOR_CODES),
    onMessages: (messages) => batches.push(messages),
  });
  return batches;
}

const text = (value: string) => new TextEncoder().encode(value);

describe('the reader', () => {
  it('reads the same messages wherever the bytes are split', async () => {
    for (let split = 0; split <= BYTES.length; split += 1) {
      const batches = await batchesOf(BYTES.subarray(0, split), BYTES.subarray(split));
      expect(batches.flat()).toEqual(MESSAGES);
    }
  });

  it('reads them byte by byte', async () => {
    expect((await batchesOf(...Array.from(BYTES, (byte) => Uint8Array.of(byte)))).flat()).toEqual(MESSAGES);
  });

  it('gives all messages of one chunk at once, and no empty batch', async () => {
    expect(await batchesOf(BYTES)).toEqual([MESSAGES]);
    expect(await batchesOf(text(': only a comment\n\n'))).toEqual([]);
  });

  it('skips kinds of message that a newer server may send', async () => {
    expect(
      await batchesOf(text('event: gates\ndata: 1\n\nevent: heartbeat\ndata: {"sentAtMs":1}\n\n')),
    ).toEqual([[{ event: 'heartbeat', sentAtMs: 1 }]]);
  });

  it('fails on a malformed message, after those before it', async () => {
    await expect(batchesOf(text('event: counts\nid: e:1\ndata: {"total":-1}\n\n'))).rejects.toThrow('counts');
    await expect(batchesOf(text('event: source\ndata: no json\n\n'))).rejects.toThrow('JSON');
  });
});

describe('why a stream ended', () => {
  const read = (answer: () => Promise<Response>) =>
    readLiveStream('/live', {
      fetch: answer,
      decode: liveMessageDecoder(SECTOR_CODES),
      signal: new AbortController().signal,
      onMessages() {},
    });

  it('is closed, refused or cut', async () => {
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
    await expect(read(async () => new Response(BYTES, { headers }))).resolves.toEqual({ kind: 'closed' });
    await expect(
      read(async () => new Response('', { status: 503, headers: { 'retry-after': '2' } })),
    ).resolves.toEqual({ kind: 'refused', status: 503, retryAfterMs: 2000 });
    await expect(read(() => Promise.reject(new TypeError('offline')))).resolves.toMatchObject({
      kind: 'cut',
    });
  });

  it('is "cut" where something other than our server answers', async () => {
    const headers = { 'content-type': 'text/html' };
    await expect(read(async () => new Response('<p>Wi-Fi</p>', { headers }))).resolves.toMatchObject({
      kind: 'cut',
    });
  });
});
