import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { SECTOR_CODES } from '../../domain/default-sectors.ts';
import type { Counts } from '../../domain/event-state.ts';

/** As many as the simulated event sells. */
export const STADIUM = 43_680;
export const PROJECT = 'triagem-bench';
export const EVENT_PATH = `events/${DEFAULT_EVENT_ID}`;
/** One ticket in so many was cancelled after the sale. */
const INVALID_EVERY = 64;

/** The tickets 1 to `tickets`, of which the first `entered` have entered. */
export interface Sale {
  readonly tickets: number;
  readonly entered: number;
}

type TicketData = Record<'isValidTicket' | 'entrou', boolean> & Record<'setor', string>;

/** A batch of the emulator holds so many writes. */
const TICKETS_A_COMMIT = 500;

export function ticketPath(number: number): string {
  return `${EVENT_PATH}/tickets/b${String(number).padStart(8, '0')}`;
}

/** Spread over the thirteen sectors, which 64 does not divide. */
export function ticketData(number: number, entrou: boolean): TicketData {
  return { isValidTicket: number % INVALID_EVERY !== 0, entrou, setor: sectorOf(number) };
}

type Fields = Readonly<Record<string, string | boolean | string[]>>;
type Documents = ReadonlyMap<string, Fields>;

/** The documents of a sale by their paths, a commit at a time: those of the event and its sectors come first. */
export function* commitsOf({ tickets, entered }: Sale): Generator<Documents> {
  const first = new Map<string, Fields>([[EVENT_PATH, { title: 'Palestra × Atlético' }]]);
  for (const code of SECTOR_CODES) first.set(`${EVENT_PATH}/sectors/${code}`, { gates: ['N1'] });
  yield first;
  for (let sold = 0; sold < tickets; sold += TICKETS_A_COMMIT) {
    const count = Math.min(TICKETS_A_COMMIT, tickets - sold);
    const numbers = Array.from({ length: count }, (_, place) => sold + place + 1);
    yield new Map(numbers.map((number) => [ticketPath(number), ticketData(number, number <= entered)]));
  }
}

/** What a screen has to show when the first `entered` tickets have entered. */
export function countsOf(entered: number): Pick<Counts, 'total' | 'sectors'> {
  const sectors: Record<string, number> = Object.fromEntries(SECTOR_CODES.map((code) => [code, 0]));
  for (let number = 1; number <= entered; number += 1)
    sectors[sectorOf(number)] = (sectors[sectorOf(number)] ?? 0) + 1;
  return { total: entered, sectors };
}

function sectorOf(number: number): string {
  return SECTOR_CODES[number % SECTOR_CODES.length] ?? '';
}
