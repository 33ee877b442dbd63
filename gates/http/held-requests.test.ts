import { expect, test, vi } from 'vitest';
import { HeldRequests } from './held-requests.ts';
import type { QueuedRequest } from './queued-request.ts';
import { unavailable } from './refusal.ts';
import { RequestOutcome } from './request-outcome.ts';
import type { TicketRequest, Written } from './write-requests.ts';

const EVENT = 'a'.repeat(32);

function requestOf(ids: readonly string[], eventId = EVENT): TicketRequest {
  const messages = ids.map((id, index) => ({
    id,
    isValid: undefined,
    entrou: true,
    setor: undefined,
    at: undefined,
    gate: undefined,
    position: index + 1,
    line: 1,
    ageMs: 0,
  }));
  return { eventId, mayCreate: false, messages, receivedAt: '', address: '', released: [] };
}

function queue(ids: readonly string[], eventId = EVENT) {
  const settle = vi.fn<QueuedRequest['settle']>();
  return { request: requestOf(ids, eventId), settle };
}

/** One message was written, and these tickets are locked. */
function writtenBut(...ids: readonly string[]): Written {
  const outcome = new RequestOutcome();
  outcome.done('applied');
  return { outcome, locked: requestOf(ids).messages };
}

test('a request of which a part is written says so, and not that nothing was changed, whatever becomes of the rest', () => {
  for (const [because, answer] of [
    ['It is lost. Nothing was changed.', 'It is lost. The others are written: send all of them again.'],
    ['Whether this was written is not known.', 'Whether this was written is not known.'],
  ] as const) {
    const held = new HeldRequests(() => {});
    const queued = queue(['free', 'locked']);
    held.keep(queued, writtenBut('locked'));
    held.refuse(unavailable(because));
    expect(queued.settle.mock.calls).toMatchObject([[{ status: 503, message: answer }]]);
  }
});

test('what comes about a held ticket waits behind it, and of no other ticket or event', async () => {
  const due = vi.fn<() => void>();
  const held = new HeldRequests(due);
  const [first, second] = [queue(['free', 'locked']), queue(['locked'])];
  held.keep(first, writtenBut('locked'));
  expect(held.isBehind(second.request)).toBe(true);
  expect(held.isBehind(requestOf(['free']))).toBe(false);
  expect(held.isBehind(requestOf(['locked'], 'b'.repeat(32)))).toBe(false);
  held.add(second);
  held.done([]);
  await vi.waitFor(() => expect(due).toHaveBeenCalledOnce());
  const group = held.take(false) ?? [];
  expect(group.map(({ request }) => request.messages.map(({ id }) => id))).toEqual([['locked'], ['locked']]);
  // A writer has them.
  expect(held.take(false)).toBeUndefined();
  for (const queued of group) queued.settle(writtenBut().outcome);
  held.done(group);
  expect(first.settle.mock.calls).toMatchObject([[{ counts: { applied: 2 } }]]);
  expect(second.settle.mock.calls).toMatchObject([[{ counts: { applied: 1 } }]]);
  expect(held.isBehind(second.request)).toBe(false);
});
