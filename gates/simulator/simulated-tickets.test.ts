import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { DEFAULT_VENUE, knownCodes, type Venue } from '../../domain/venue.ts';
import { anyVenue } from '../../testing/server/venues.ts';
import { generateTickets, seatsIn } from './simulated-tickets.ts';

it('sells the whole stadium by default', () => {
  expect(seatsIn(DEFAULT_VENUE)).toBe(43_680);
});

it.each([13, 500, 43_680, 100_001])('sells exactly %i tickets, each with an id of its own', (count) => {
  const tickets = generateTickets(DEFAULT_EVENT_ID, count);
  expect(new Set(tickets.map(({ id }) => id)).size).toBe(count);
});

it('gives every sector tickets, and cancels some', () => {
  const tickets = generateTickets(DEFAULT_EVENT_ID, seatsIn(DEFAULT_VENUE));
  for (const code of knownCodes(DEFAULT_VENUE)) {
    expect(tickets.some(({ setor }) => setor === code)).toBe(true);
  }
  expect(tickets.filter(({ isValid }) => !isValid).length).toBeGreaterThan(100);
});

it('sells as many tickets as are asked for in any venue, all with its codes', () => {
  fc.assert(
    fc.property(anyVenue, fc.integer({ min: 1, max: 5_000 }), (venue, count) => {
      const tickets = generateTickets(DEFAULT_EVENT_ID, count, venue);
      expect(tickets).toHaveLength(count);
      const known = knownCodes(venue);
      expect(tickets.every(({ setor }) => known.has(setor))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

it("seats spectators by the sectors' capacities, and over all codes of a sector", () => {
  const venue = (...capacities: (number | undefined)[]): Venue => ({
    name: 'Arena',
    sectors: capacities.map((capacity, index) => {
      const name = `S${index}`;
      const sector = { code: name, name, stand: name, codes: [`${name}a`, `${name}b`] };
      return capacity === undefined ? sector : Object.assign(sector, { capacity });
    }),
  });
  const soldIn = (of: Venue): number[] => {
    const tickets = generateTickets(DEFAULT_EVENT_ID, 600, of);
    return of.sectors.map(({ codes }) => tickets.filter(({ setor }) => codes.includes(setor)).length);
  };
  expect(soldIn(venue(100, 500))).toEqual([100, 500]);
  expect(soldIn(venue(100, 300, undefined))).toEqual([100, 300, 200]);
  expect(soldIn(venue(undefined, undefined))).toEqual([300, 300]);
  expect(soldIn(venue(0, 600))).toEqual([0, 600]);
  expect(soldIn(venue(0, 0))).toEqual([300, 300]);
  const halves = generateTickets(DEFAULT_EVENT_ID, 600, venue(600));
  expect(halves.filter(({ setor }) => setor === 'S0a')).toHaveLength(300);
  expect(seatsIn(venue(undefined, undefined))).toBe(2_000);
  expect(seatsIn(venue(5_000_000))).toBe(100_000);
});
