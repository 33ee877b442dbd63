import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';
import { simulatedIds } from './simulated-id.ts';

/** A ticket that was sold, before anybody has come. */
export interface SimulatedTicket {
  readonly id: string;
  readonly isValid: boolean;
  readonly setor: string;
  /** What names the row of the venue that this is. */
  readonly row: string;
}

/** One ticket in so many was cancelled after the sale. */
const INVALID_EVERY = 64;

/** Of a sector, where no sector of the venue says how many it has. */
const SEATS_OF_ANY = 1_000;

/** The largest stadium that is sold out unless another number of tickets is asked for. */
const MOST_SEATS = 100_000;

/** All seats of the venue. */
export function seatsIn(venue: Venue): number {
  const seats = seatsBySector(venue).reduce((sum, count) => sum + count, 0);
  return Math.min(seats, MOST_SEATS);
}

export const DEFAULT_TICKETS = seatsIn(DEFAULT_VENUE);

/** `count` tickets of the event, spread over the sectors as their seats are, and within a sector over its codes. */
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

/** A sector that does not say how many seats it has is taken for one of the others' mean. */
function seatsBySector({ sectors }: Venue): number[] {
  const said = sectors.flatMap(({ capacity }) => capacity ?? []);
  const all = said.reduce((sum, seats) => sum + seats, 0);
  // A venue without a seat has its spectators spread evenly.
  if (all === 0) return sectors.map(() => SEATS_OF_ANY);
  const mean = Math.ceil(all / said.length);
  return sectors.map(({ capacity }) => capacity ?? mean);
}
