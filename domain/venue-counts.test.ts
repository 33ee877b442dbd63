import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCode, anyVenue } from '../testing/server/venues.ts';
import { countAdmitted, type CountsSlice } from './event-state.ts';
import { countsMessage, decodeLiveMessage, encodeLiveMessage } from './live-message.ts';
import { MAX_CODES, Tally, type Ticket } from './tally.ts';
import { knownCodes, sectorCodesOf, type Venue } from './venue.ts';

const VENUE_AND_TICKETS = anyVenue.chain((venue) => {
  const setor = fc.oneof(fc.constantFrom(...knownCodes(venue)), anyCode);
  const ticket: fc.Arbitrary<Ticket> = fc.record({
    isValidTicket: fc.boolean(),
    entrou: fc.boolean(),
    setor,
  });
  return fc.tuple(fc.constant(venue), fc.array(ticket, { maxLength: 300 }));
});

function tallyOf(venue: Venue, tickets: readonly Ticket[]): Tally {
  const tally = new Tally([...knownCodes(venue)]);
  // As many codes as are kept apart come first.
  for (let n = 0; n < MAX_CODES; n += 1) {
    tally.add({ isValidTicket: true, entrou: false, setor: `some other code ${n}` }, 1);
  }
  for (const ticket of tickets) tally.change(undefined, ticket);
  return tally;
}

test('invariant 2, 3: in any venue, each row has the admissions of its codes, and the others have the rest', () => {
  fc.assert(
    fc.property(VENUE_AND_TICKETS, ([venue, tickets]) => {
      const entered = tickets.filter(({ entrou }) => entrou);
      const { total, sectors, others } = countAdmitted(tallyOf(venue, tickets).counts(), venue.sectors);
      expect(Object.keys(sectors).toSorted()).toEqual(sectorCodesOf(venue).toSorted());
      for (const { code, codes } of venue.sectors) {
        expect(sectors[code]).toBe(entered.filter(({ setor }) => codes.includes(setor)).length);
      }
      const known = knownCodes(venue);
      expect(others).toBe(entered.filter(({ setor }) => !known.has(setor)).length);
      expect(total).toBe(entered.length);
      expect(total).toBe(Object.values(sectors).reduce((sum, count) => sum + count, others));
    }),
  );
});

test('in any venue, the counts survive the wire, and are refused to rows that they have not', () => {
  fc.assert(
    fc.property(VENUE_AND_TICKETS, ([venue, tickets]) => {
      const head = { kind: 'counts', eventId: 'a', epoch: 'e', version: 1, position: '7.01' } as const;
      const slice: CountsSlice = { ...head, ...tallyOf(venue, tickets).counts() };
      const message = countsMessage(slice, venue.sectors, 5);
      const data = /^data: (.*)$/m.exec(encodeLiveMessage(message))?.[1] ?? '';
      expect(decodeLiveMessage('counts', data, message.id, sectorCodesOf(venue))).toEqual(message);
      expect(() => decodeLiveMessage('counts', data, message.id, ['a row of another venue'])).toThrow(
        'counts',
      );
    }),
  );
});
