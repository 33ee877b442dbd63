import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countAdmitted } from './event-state.ts';
import { MAX_CODES, Tally, type TallyCounts, type Ticket, type TicketCounts } from './tally.ts';
import { SECTOR_CODES } from './default-sectors.ts';
import { DEFAULT_VENUE } from './venue.ts';

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

function recount(tickets: readonly Ticket[]): TicketCounts {
  return {
    tickets: tickets.length,
    admitted: tickets.filter((ticket) => ticket.entrou).length,
    valid: tickets.filter((ticket) => ticket.isValidTicket).length,
  };
}

function expectRecount(counts: TallyCounts, tickets: readonly Ticket[]): void {
  expect(counts).toMatchObject(recount(tickets));
  for (const row of counts.codes) {
    expect(row).toEqual({ code: row.code, ...recount(tickets.filter(({ setor }) => setor === row.code)) });
  }
  const kept = new Set(counts.codes.map(({ code }) => code));
  expect(counts.codes).toHaveLength(kept.size);
  expect(counts.rest).toEqual(recount(tickets.filter(({ setor }) => !kept.has(setor))));
}

test('invariant 3: after any history of changes the counts equal a recount, in total and by code', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const tickets = new Map<number, Ticket>();
      const tally = new Tally(SECTOR_CODES);
      for (const { id, after } of history) {
        tally.change(tickets.get(id), after);
        if (after) tickets.set(id, after);
        else tickets.delete(id);
        // Taken now and then, so that copies of unchanged rows are reused.
        if (id % 3 === 0) expectRecount(tally.counts(), [...tickets.values()]);
      }
      expectRecount(tally.counts(), [...tickets.values()]);
    }),
  );
});

test('invariant 2: the total is the thirteen sectors and the others', () => {
  fc.assert(
    fc.property(fc.array(anyTicket), (tickets) => {
      const tally = new Tally([]);
      for (const ticket of tickets) tally.add(ticket, 1);
      const { total, sectors, others } = countAdmitted(tally.counts(), DEFAULT_VENUE.sectors);
      expect(total).toBe(tickets.filter(({ entrou }) => entrou).length);
      expect(total).toBe(Object.values(sectors).reduce((sum, count) => sum + count, others));
      expect(others).toBe(
        tickets.filter(({ entrou, setor }) => entrou && !SECTOR_CODES.some((code) => code === setor)).length,
      );
    }),
  );
});

test('counts taken do not change with the tally', () => {
  const tally = new Tally(SECTOR_CODES);
  const before = tally.counts();
  tally.add({ isValidTicket: true, entrou: true, setor: '4' }, 1);
  expect(before).toEqual(new Tally(SECTOR_CODES).counts());
});

test.each(['10', '04', ' 4', ''])('the code "%s" is no sector: it counts in the total only', (setor) => {
  const tally = new Tally(SECTOR_CODES);
  tally.add({ isValidTicket: false, entrou: true, setor }, 1);
  const { total, others, sectors } = countAdmitted(tally.counts(), DEFAULT_VENUE.sectors);
  expect({ total, others }).toEqual({ total: 1, others: 1 });
  expect(Object.values(sectors).every((count) => count === 0)).toBe(true);
});

test('codes are bounded in number and length: those beyond are counted together, the sectors never among them', () => {
  const tally = new Tally(SECTOR_CODES);
  const kind = { isValidTicket: true, entrou: true };
  for (let n = 0; n < 2 * MAX_CODES; n += 1) tally.add({ ...kind, setor: `x${n}` }, 1);
  tally.add({ ...kind, setor: null }, 5);
  tally.add({ ...kind, setor: SECTOR_CODES[0] }, 7);
  const long = new Tally(SECTOR_CODES);
  long.add({ ...kind, setor: 'x'.repeat(65) }, 3);
  expect(long.counts()).toMatchObject({ codes: { length: SECTOR_CODES.length }, rest: { admitted: 3 } });
  const counts = tally.counts();
  expect(counts.codes).toHaveLength(MAX_CODES);
  expect(counts.codes[0]).toMatchObject({ code: SECTOR_CODES[0], admitted: 7 });
  expect(counts.rest.admitted).toBe(MAX_CODES + SECTOR_CODES.length + 5);
  expect(counts.admitted).toBe(2 * MAX_CODES + 12);
});

test('tickets whose codes are not counted separately have no row of their own, though there is room for one', () => {
  const tally = new Tally([]);
  tally.add({ isValidTicket: true, entrou: true, setor: null }, 5);
  const five = { tickets: 5, admitted: 5, valid: 5 };
  expect(tally.counts()).toEqual({ ...five, codes: [], rest: five });
});
