import { SECTOR_CODES, type SectorCode } from '../domain/default-sectors.ts';
import { simulatedIds } from './simulated-id.ts';

/** A ticket that was sold, before anybody has come. */
export interface SimulatedTicket {
  readonly id: string;
  readonly isValid: boolean;
  readonly setor: SectorCode;
}

/** Seats of a stadium of 43,680, by sector. */
const SEATS: Readonly<Record<SectorCode, number>> = {
  '1': 4_120,
  '2': 3_960,
  '3': 3_840,
  '4': 6_240,
  '5': 2_680,
  '6': 1_160,
  '7': 5_480,
  '8': 2_400,
  '9': 4_720,
  '11': 3_080,
  '12': 3_520,
  '13': 1_720,
  '99': 760,
};
const ALL_SEATS = SECTOR_CODES.reduce((sum, code) => sum + SEATS[code], 0);

export const DEFAULT_TICKETS = ALL_SEATS;

/** One ticket in so many was cancelled after the sale. */
const INVALID_EVERY = 64;

/** `count` tickets of the event, spread over the thirteen sectors as the seats are. */
export function generateTickets(eventId: string, count: number): SimulatedTicket[] {
  const idOf = simulatedIds(eventId);
  const tickets: SimulatedTicket[] = [];
  let seatsSoFar = 0;
  for (const code of SECTOR_CODES) {
    seatsSoFar += SEATS[code];
    const upTo = Math.round((count * seatsSoFar) / ALL_SEATS);
    while (tickets.length < upTo) {
      const number = tickets.length + 1;
      tickets.push({
        id: idOf(number),
        isValid: number % INVALID_EVERY !== 0,
        setor: code,
      });
    }
  }
  return tickets;
}
