import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SECTOR_CODES } from './sector.ts';
import { type Counts, Tally, type Ticket } from './tally.ts';

const anyCode = fc.oneof(
  fc.constantFrom(...SECTOR_CODES),
  fc.constantFrom('10', '04', ' 4', '', '4 ', '100', '__proto__', 'constructor'),
);
const anyTicket: fc.Arbitrary<Ticket> = fc.record({
  isValidTicket: fc.boolean(),
  entrou: fc.boolean(),
  setor: anyCode,
});
/** A step sets one of a few tickets to a new state, or deletes it. */
const anyHistory = fc.array(fc.record({ id: fc.nat(20), after: fc.option(anyTicket, { nil: undefined }) }), {
  maxLength: 200,
});

function recount(tickets: Iterable<Ticket>): Counts {
  const all = [...tickets];
  const entered = all.filter((ticket) => ticket.entrou);
  const inSector = (code: string): number => entered.filter((ticket) => ticket.setor === code).length;
  const sectors = Object.fromEntries(SECTOR_CODES.map((code) => [code, inSector(code)])) as Counts['sectors'];
  return {
    total: entered.length,
    sectors,
    others: entered.length - SECTOR_CODES.reduce((sum, code) => sum + inSector(code), 0),
    valid: all.filter((ticket) => ticket.isValidTicket).length,
  };
}

test('invariant 3: after any history of changes the counts equal a recount', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const tickets = new Map<number, Ticket>();
      const tally = new Tally();
      for (const { id, after } of history) {
        tally.change(tickets.get(id), after);
        if (after) tickets.set(id, after);
        else tickets.delete(id);
      }
      expect(tally.counts()).toEqual(recount(tickets.values()));
      expect(tally.tickets).toBe(tickets.size);
    }),
  );
});

test('invariant 2: the total is the thirteen sectors and the others', () => {
  fc.assert(
    fc.property(fc.array(anyTicket), (tickets) => {
      const tally = new Tally();
      for (const ticket of tickets) tally.add(ticket, 1);
      const { total, sectors, others } = tally.counts();
      expect(total).toBe(Object.values(sectors).reduce((sum, count) => sum + count, others));
    }),
  );
});

test('counts taken do not change with the tally', () => {
  const tally = new Tally();
  const before = tally.counts();
  tally.add({ isValidTicket: true, entrou: true, setor: '4' }, 1);
  expect(before).toEqual(new Tally().counts());
});

test.each(['10', '04', ' 4', ''])('the code "%s" is no sector: it counts in the total only', (setor) => {
  const tally = new Tally();
  tally.add({ isValidTicket: false, entrou: true, setor }, 1);
  const { total, others, sectors } = tally.counts();
  expect({ total, others }).toEqual({ total: 1, others: 1 });
  expect(Object.values(sectors).every((count) => count === 0)).toBe(true);
});
