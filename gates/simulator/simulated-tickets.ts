import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';
import { simulatedIds } from './simulated-id.ts';

export interface SimulatedTicket {
  readonly id: string;
  readonly isValid: boolean;
  readonly setor: string;
  /** The code of the sector's row on the screen. */
  readonly row: string;
}

/** One ticket in so many was cancelled after the sale. */
const INVALID_EVERY = 64;

/** The seats of each sector, where the venue has no capacities. */
const DEFAULT_SEATS = 1_000;

/** Limits the number of tickets, unless the user names one. */
const MOST_SEATS = 100_000;

export function seatsIn(venue: Venue): number {
  const seats = seatsBySector(venue).reduce((sum, count) => sum + count, 0);
  return Math.min(seats, MOST_SEATS);
}

export const DEFAULT_TICKETS = seatsIn(DEFAULT_VENUE);

/** Spreads `count` tickets over the sectors in proportion to their seats, and within a sector over its codes. */
export function generateTickets(eventId: string, count: number, venue = DEFAULT_VENUE): SimulatedTicket[] {
  const idOf = simulatedIds(eventId);
  const seats = seatsBySector(venue);
  const allSeats = seats.reduce((sum, seatCount) => sum + seatCount, 0);
  const tickets: SimulatedTicket[] = [];
  let seatsSoFar = 0;
  for (const [index, { code, codes }] of venue.sectors.entries()) {
    seatsSoFar += seats[index] ?? 0;
    const upTo = Math.round((count * seatsSoFar) / allSeats);
    while (tickets.length < upTo) {
      const number = tickets.length + 1;
      tickets.push({
        id: idOf(number),
        isValid: number % INVALID_EVERY !== 0,
        setor: codes[number % codes.length] ?? '',
        row: code,
      });
    }
  }
  return tickets;
}

/** A sector without a capacity counts with the mean of the others. */
function seatsBySector({ sectors }: Venue): number[] {
  const capacities = sectors.flatMap(({ capacity }) => capacity ?? []);
  const all = capacities.reduce((sum, seats) => sum + seats, 0);
  if (all === 0) return sectors.map(() => DEFAULT_SEATS);
  const mean = Math.ceil(all / capacities.length);
  return sectors.map(({ capacity }) => capacity ?? mean);
}
