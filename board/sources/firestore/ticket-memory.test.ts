import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TicketDocument } from './documents.ts';
import { TicketBatch, TicketMemory, type TimedChange } from './ticket-memory.ts';

const EVENT = 'jogo-1';
const OUTSIDE: TicketDocument = { isValidTicket: true, entrou: false, setor: '4', isMalformed: false };
const INSIDE: TicketDocument = { ...OUTSIDE, entrou: true };

type Step = readonly [id: string, ticket: TicketDocument | undefined];

/** `isWhole`: tickets that are not named are gone. */
function batchOf(memory: TicketMemory, steps: readonly Step[], isWhole = false): TicketBatch {
  const batch = new TicketBatch(isWhole);
  for (const [place, [id, ticket]] of steps.entries()) {
    if (ticket) memory.addTo(batch, id, ticket, place);
    else memory.removeIn(batch, id, place);
  }
  return batch;
}

function apply(memory: TicketMemory, steps: readonly Step[], isWhole = false): TimedChange[] {
  const changes: TimedChange[] = [];
  const readTimeUs = memory.readTimeUs + 1_000;
  memory.apply({ readTimeUs, resumeToken: undefined, tickets: batchOf(memory, steps, isWhole) }, changes);
  return changes;
}

const observed = ({ isValidTicket, entrou, setor }: TicketDocument) => ({
  isValidTicket,
  entrou,
  setor,
  eventId: EVENT,
});

/** By kind, how many. */
function countsOf(tickets: Iterable<TicketDocument>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { setor, entrou, isValidTicket } of tickets) {
    const key = `${setor} ${entrou} ${isValidTicket}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

function groupsOf(memory: TicketMemory): Record<string, number> {
  const counts = memory.groups().map(({ ticket: { setor, entrou, isValidTicket }, count }) => {
    return [`${setor} ${entrou} ${isValidTicket}`, count] as const;
  });
  return Object.fromEntries(counts);
}

test('a change has the ticket before it, and the time at which it was made', () => {
  const memory = new TicketMemory(EVENT);
  expect(apply(memory, [['a', OUTSIDE]])).toEqual([
    { before: undefined, after: observed(OUTSIDE), madeAtUs: 0 },
  ]);
  expect(
    apply(memory, [
      ['b', OUTSIDE],
      ['a', INSIDE],
      ['a', { ...INSIDE, setor: '9' }],
      ['b', undefined],
    ]).slice(1),
  ).toEqual([
    { before: observed(OUTSIDE), after: observed(INSIDE), madeAtUs: 1 },
    { before: observed(INSIDE), after: observed({ ...INSIDE, setor: '9' }), madeAtUs: 2 },
    { before: observed(OUTSIDE), after: undefined, madeAtUs: 3 },
  ]);
  expect([memory.size, memory.count({ entrou: true, setor: '9' })]).toEqual([1, 1]);
});

test('what is not in a whole batch is gone at the read time, and what is in it unchanged is no change', () => {
  const memory = new TicketMemory(EVENT);
  apply(memory, [
    ['a', OUTSIDE],
    ['b', INSIDE],
    ['c', INSIDE],
  ]);
  const changes = apply(
    memory,
    [
      ['b', INSIDE],
      ['a', INSIDE],
    ],
    true,
  );
  expect(changes).toEqual([
    { before: observed(OUTSIDE), after: observed(INSIDE), madeAtUs: 1 },
    { before: observed(INSIDE), after: undefined, madeAtUs: memory.readTimeUs },
  ]);
});

test('malformed tickets are counted and named, and their faults change no count', () => {
  const memory = new TicketMemory(EVENT);
  expect(apply(memory, [['a', OUTSIDE]])).toHaveLength(1);
  expect(apply(memory, [['a', { ...OUTSIDE, isMalformed: true }]])).toEqual([]);
  apply(memory, [
    ['b', { ...INSIDE, isMalformed: true }],
    ['c', { ...INSIDE, isMalformed: true }],
  ]);
  expect([memory.malformed, memory.malformedIds(2)]).toEqual([3, ['a', 'b']]);
  apply(memory, [
    ['a', OUTSIDE],
    ['b', undefined],
  ]);
  expect([memory.malformed, memory.malformedIds(2)]).toEqual([1, ['c']]);
  apply(memory, [], true);
  expect(memory.malformed).toBe(0);
});

test('a copy restores everything, and later changes do not touch it', () => {
  const memory = new TicketMemory(EVENT);
  expect(memory.copy()).toBeUndefined();
  const tickets = batchOf(
    memory,
    [
      ['a', OUTSIDE],
      ['b', { ...INSIDE, isMalformed: true }],
    ],
    true,
  );
  memory.apply({ readTimeUs: 5, resumeToken: Buffer.from('t'), tickets });
  const later = { readTimeUs: 6, resumeToken: Buffer.from('later'), tickets: batchOf(memory, []) };
  memory.apply(later);
  expect([memory.readTimeUs, memory.resumeToken]).toEqual([6, Buffer.from('later')]);
  // Not every reading brings one: what it brings again is no change.
  memory.apply({ ...later, readTimeUs: 7, resumeToken: undefined });
  const copy = memory.copy();
  apply(memory, [['a', { ...INSIDE, setor: 'novo' }]]);
  const other = new TicketMemory(EVENT);
  apply(other, [['z', { ...INSIDE, setor: '7' }]]);
  if (copy) other.restore(copy);
  expect([other.size, other.malformed, other.readTimeUs, other.resumeToken]).toEqual([
    2,
    1,
    7,
    Buffer.from('later'),
  ]);
  expect(groupsOf(other)).toEqual(countsOf([OUTSIDE, INSIDE]));
  expect(apply(other, [['a', { ...OUTSIDE, setor: '7' }]])).toMatchObject([{ before: { setor: '4' } }]);
});

test('whatever comes, changes lead from the counts before to those after', () => {
  const ticket = fc.record({
    isValidTicket: fc.boolean(),
    entrou: fc.boolean(),
    setor: fc.constantFrom('4', '11', ''),
    isMalformed: fc.boolean(),
  });
  const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.option(ticket, { nil: undefined }));
  const batches = fc.array(fc.tuple(fc.array(step, { maxLength: 12 }), fc.boolean()), { maxLength: 8 });
  fc.assert(
    fc.property(batches, (all) => {
      const memory = new TicketMemory(EVENT);
      let model = new Map<string, TicketDocument>();
      const counts = new Map<string, number>();
      for (const [steps, isWhole] of all) {
        if (isWhole) model = new Map();
        for (const [id, after] of steps) {
          if (after) model.set(id, after);
          else model.delete(id);
        }
        expect(memory.sizeAfter(batchOf(memory, steps, isWhole))).toBe(model.size);
        for (const { before, after } of apply(memory, steps, isWhole)) {
          for (const [kind, weight] of [
            [before, -1],
            [after, 1],
          ] as const) {
            if (!kind) continue;
            const key = `${kind.setor} ${kind.entrou} ${kind.isValidTicket}`;
            counts.set(key, (counts.get(key) ?? 0) + weight);
          }
        }
        const left = Object.fromEntries([...counts].filter(([, count]) => count !== 0));
        const expected = countsOf(model.values());
        expect([left, groupsOf(memory)]).toEqual([expected, expected]);
        const tickets = [...model.values()];
        expect(memory.malformed).toBe(tickets.filter(({ isMalformed }) => isMalformed).length);
        expect(memory.count({ entrou: true })).toBe(tickets.filter(({ entrou }) => entrou).length);
      }
    }),
    { numRuns: 300 },
  );
});
