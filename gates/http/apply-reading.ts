import { CLOCK_TOLERANCE_MS, MAX_AHEAD_KNOWN } from './limits.ts';

/** A ticket as the database has it, and what readings make of it. */
export interface Ticket {
  readonly id: string;
  isValid: boolean;
  entrou: boolean;
  setor: string;
  /** Of the newest reading that was applied, of those that say when it was so; ahead of our clock: when it arrived. */
  at: string | undefined;
  /** What readings said that were ahead of our clock and were applied, the newest last. */
  ahead: readonly string[];
  /** Differs from what the database has. */
  isChanged: boolean;
  isNewlyTimed: boolean;
  /** There are readings of it that were kept until it came. */
  readonly hasKept: boolean;
}

/** What somebody says of a ticket: only what is there is to be changed. */
export interface Reading {
  readonly isValid: boolean | undefined;
  readonly entrou: boolean | undefined;
  readonly setor: string | undefined;
  /** When it was so, as text whose order is that of time. */
  readonly at: string | undefined;
  /** When it came, in the same form. */
  readonly receivedAt: string;
  /** `at` was ahead of our clock then. */
  readonly isAhead: boolean;
}

/**
 * Applies one reading: later ones of the same ticket find what it made.
 *
 * Of two readings, the one of the later `at` wins. Whose clock is wrong cannot be told, so a reading that is ahead of ours
 * counts as of its arrival: it is never too old, and shuts out no reading that comes after it. Sent again, it is known by
 * what it says. A time in the database that is ahead of our clock by now is none of a clock that is right: it makes nothing
 * older.
 */
export function applyReading(
  ticket: Ticket,
  reading: Reading,
  nowMs: number,
): 'applied' | 'unchanged' | 'older' {
  const { at, receivedAt, isAhead } = reading;
  if (at !== undefined) {
    const said = whatItSays(at, reading);
    if (ticket.ahead.includes(said)) return isSo(ticket, reading) ? 'unchanged' : 'older';
    const last = ticket.at !== undefined && isAheadOf(ticket.at, nowMs) ? undefined : ticket.at;
    const counted = isAhead ? later(receivedAt, last) : at;
    if (last !== undefined && counted < last) return 'older';
    if (isAhead) ticket.ahead = [...ticket.ahead, said].slice(-MAX_AHEAD_KNOWN);
    ticket.isNewlyTimed ||= isAhead || counted !== ticket.at;
    ticket.at = counted;
  }
  if (isSo(ticket, reading)) return 'unchanged';
  ticket.isValid = reading.isValid ?? ticket.isValid;
  ticket.entrou = reading.entrou ?? ticket.entrou;
  ticket.setor = reading.setor ?? ticket.setor;
  ticket.isChanged = true;
  return 'applied';
}

function whatItSays(at: string, { isValid, entrou, setor }: Reading): string {
  return JSON.stringify([at, isValid ?? null, entrou ?? null, setor ?? null]);
}

function isSo(ticket: Ticket, { isValid, entrou, setor }: Reading): boolean {
  return (
    (isValid ?? ticket.isValid) === ticket.isValid &&
    (entrou ?? ticket.entrou) === ticket.entrou &&
    (setor ?? ticket.setor) === ticket.setor
  );
}

function later(one: string, other: string | undefined): string {
  return other !== undefined && other > one ? other : one;
}

function isAheadOf(at: string, nowMs: number): boolean {
  return Date.parse(at) > nowMs + CLOCK_TOLERANCE_MS;
}
