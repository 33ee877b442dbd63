import { describe, expect, it, vi } from 'vitest';
import { hedgedFetch } from './hedged-fetch.ts';

/** A fetch whose calls are answered by hand. */
function fetchByHand() {
  const calls: {
    answer: (response: Response) => void;
    fail: (error: unknown) => void;
    signal: AbortSignal;
  }[] = [];
  const fetch = (_input: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const signal = init?.signal ?? AbortSignal.abort();
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      calls.push({ answer: resolve, fail: reject, signal });
    });
  return { calls, fetch: fetch as typeof globalThis.fetch };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a fetch that asks again', () => {
  it('asks once where the answer comes soon, and lets its caller give the answer up', async () => {
    const { calls, fetch } = fetchByHand();
    const caller = new AbortController();
    const answered = hedgedFetch(fetch, 30)('/live', { signal: caller.signal });
    const answer = new Response('text');
    calls[0]?.answer(answer);
    expect(await answered).toBe(answer);
    await pause(60);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.signal.aborted).toBe(false);
    caller.abort();
    expect(calls[0]?.signal.aborted).toBe(true);
  });

  it('asks beside a call that has no answer: the first answer wins, the other calls are given up', async () => {
    const { calls, fetch } = fetchByHand();
    const answered = hedgedFetch(fetch, 20)('/live');
    await vi.waitFor(() => expect(calls).toHaveLength(3), { interval: 1 });
    const answer = new Response('text');
    calls[1]?.answer(answer);
    expect(await answered).toBe(answer);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false, true]);
  });

  it('keeps the first call, as the server may only be slow, and the last two', async () => {
    const { calls, fetch } = fetchByHand();
    const answered = hedgedFetch(fetch, 20)('/live');
    await vi.waitFor(() => expect(calls).toHaveLength(5), { interval: 1 });
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, true, true, false, false]);
    const answer = new Response('text');
    calls[0]?.answer(answer);
    expect(await answered).toBe(answer);
  });

  it('fails when no call is left, and asks no more', async () => {
    const { calls, fetch } = fetchByHand();
    const answered = hedgedFetch(fetch, 20)('/live');
    await vi.waitFor(() => expect(calls).toHaveLength(2), { interval: 1 });
    calls[0]?.fail(new Error('cut'));
    calls[1]?.fail(new Error('refused'));
    await expect(answered).rejects.toThrow('refused');
    await pause(50);
    expect(calls).toHaveLength(2);
  });

  it('gives up every call when its caller does', async () => {
    const { calls, fetch } = fetchByHand();
    const caller = new AbortController();
    const answered = hedgedFetch(fetch, 20)('/live', { signal: caller.signal });
    await pause(30);
    caller.abort();
    await expect(answered).rejects.toThrow('aborted');
    expect(calls.every(({ signal }) => signal.aborted)).toBe(true);
  });
});
