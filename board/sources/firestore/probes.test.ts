import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CountFallback, CountProofs } from './count-fallback.ts';
import { FIRESTORE_LIMITS } from './limits.ts';
import { Probes } from './probes.ts';
import { TicketBatch, TicketMemory } from './ticket-memory.ts';

const LIMITS = {
  ...FIRESTORE_LIMITS,
  tickMs: 250,
  probeEveryMs: 2_000,
  probeAtMostEveryMs: 500,
  staleAfterMs: 2_750,
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTime(ms);

test('a probe proves everything before its asking, once it is current and the whole stream is consistent', () => {
  const probes = new Probes(LIMITS);
  expect(probes.isDue).toBe(false);
  pass(2_000);
  expect(probes.isDue).toBe(true);
  const askedAtMs = performance.now();
  probes.ask(7);
  pass(10);
  // Consistent without it.
  expect(probes.answer()).toBeUndefined();
  expect(probes.among([1, 7, 9])).toEqual([7]);
  probes.complete(7);
  expect([probes.answer(), probes.answer(), probes.haveBeenAnswered]).toEqual([askedAtMs, undefined, true]);
  expect(probes.isDue).toBe(false);
});

test('probes are asked earlier where answers take long, so that none becomes too old', () => {
  const probes = new Probes(LIMITS);
  const answerAfter = (ms: number): void => {
    probes.ask(1);
    pass(ms);
    probes.complete(1);
    probes.answer();
  };
  const pauseMs = (): number => {
    let pausedMs = 0;
    for (; !probes.isDue; pausedMs += 50) pass(50);
    return pausedMs;
  };
  answerAfter(10);
  expect(pauseMs()).toBeGreaterThan(1_800);
  answerAfter(1_000);
  // So old is what the answer before proves when the next one comes as late.
  expect(1_000 + pauseMs() + 1_000).toBeLessThanOrEqual(2_750);
  // However late they come, no more than two a second are paid for.
  answerAfter(2_000);
  probes.ask(1);
  expect(pauseMs()).toBeGreaterThanOrEqual(350);
  for (let n = 0; n < 20; n += 1) answerAfter(10);
  expect(pauseMs()).toBeGreaterThan(1_800);
});

test('of probes without an answer in time, the newest is waited for', () => {
  const probes = new Probes(LIMITS);
  for (const id of [1, 2, 3]) {
    probes.ask(id);
    pass(1_000);
  }
  expect([probes.isLate, probes.giveUp()]).toEqual([true, []]);
  pass(1_000);
  expect(probes.giveUp()).toEqual([1]);
  expect(probes.among([1, 2, 3])).toEqual([2, 3]);
});

test('counts are asked for after two probes that were late, until three were not', () => {
  const fallback = new CountFallback();
  fallback.addAnswer(false);
  fallback.addAnswer(true);
  fallback.addAnswer(false);
  expect(fallback.isOn).toBe(false);
  fallback.addAnswer(false);
  fallback.addAnswer(true);
  fallback.addAnswer(true);
  expect(fallback.isOn).toBe(true);
  fallback.addAnswer(true);
  expect(fallback.isOn).toBe(false);
});

function openProofs() {
  const memory = new TicketMemory('jogo-1');
  const proofs = new CountProofs(LIMITS, memory);
  const proven: (readonly number[])[] = [];
  const read = (readTimeUs: number, entered: number): void => {
    const tickets = new TicketBatch(true);
    const ticket = { isValidTicket: true, entrou: true, setor: '4', isMalformed: false };
    for (let n = 0; n < entered; n += 1) memory.addTo(tickets, `t${n}`, ticket, readTimeUs);
    memory.apply({ readTimeUs, resumeToken: undefined, tickets });
  };
  const ask = (count: number, readTimeUs: number): Promise<boolean> =>
    proofs.ask(
      () => Promise.resolve({ count, readTimeUs }),
      (...proof) => void proven.push(proof),
    );
  return { proofs, proven, read, ask };
}

test('a count proves everything before its asking where it is equal, or the stream is already beyond it', async () => {
  const { proven, read, ask } = openProofs();
  read(100, 3);
  pass(2_000);
  const nowMs = performance.now();
  await ask(3, 200);
  await ask(2, 90);
  expect(proven).toEqual([
    [200, nowMs],
    [100, nowMs],
  ]);
});

test('a count that differs proves something once the stream has come as far', async () => {
  const { proofs, proven, read, ask } = openProofs();
  read(100, 3);
  const firstMs = performance.now();
  await ask(4, 200);
  pass(2_000);
  expect(proofs.isDue).toBe(true);
  await ask(6, 300);
  expect(proofs.isDue).toBe(false);
  expect([proven, proofs.caughtUp()]).toEqual([[], undefined]);
  read(250, 5);
  expect([proofs.caughtUp(), proofs.caughtUp()]).toEqual([firstMs, undefined]);
  read(300, 6);
  expect(proofs.caughtUp()).toBe(firstMs + 2_000);
});

test('a count without an answer proves nothing', async () => {
  const { proofs, proven } = openProofs();
  const failing = (): Promise<never> => Promise.reject(new Error('no answer'));
  expect(await proofs.ask(failing, (...proof) => void proven.push(proof))).toBe(false);
  expect(proven).toEqual([]);
});
