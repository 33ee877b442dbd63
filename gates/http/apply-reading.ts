import { CLOCK_TOLERANCE_MS, MAX_KNOWN } from './limits.ts';
import type { TicketMessage } from './ticket-message.ts';

const FIELDS = ['isValid', 'entrou', 'setor'] as const;
type Field = (typeof FIELDS)[number];

/** A ticket as it is stored, and as readings change it. */
export interface Ticket {
  readonly id: string;
  isValid: boolean;
  entrou: boolean;
  setor: string;
  /** `at` of the newest applied reading of each field, or its arrival where `at` was ahead of our clock. */
  readonly times: Partial<Record<Field, string>>;
  /** The last applied readings of each field, as JSON; the newest of a field is last. */
  known: readonly string[];
  isChanged: boolean;
  isNewlyTimed: boolean;
  /** Whether the database keeps readings that arrived before the ticket. */
  readonly hasKept: boolean;
}

/** A message about a ticket, with its arrival. */
export interface Reading extends Pick<TicketMessage, Field | 'at'> {
  /** An instant in the form of `at`. */
  readonly receivedAt: string;
  /** Whether `at` was ahead of our clock on arrival. */
  readonly isAhead: boolean;
}

/**
 * Applies one reading to `ticket`.
 *
 * Of two readings of a field, the later `at` wins. A reading that was applied before is recognized when it is sent again,
 * and changes nothing, whatever the ticket has become since. Two readings with different values and the same `at` are
 * applied in the order of their arrival. We cannot know which clock is wrong, so a reading whose `at` is ahead of our
 * clock is ordered by its arrival: it is never too old, and hides no later reading. A stored time that is still ahead of
 * our clock comes from a wrong clock, and makes no reading older.
 */
export function applyReading(
  ticket: Ticket,
  reading: Reading,
  nowMs: number,
): 'applied' | 'unchanged' | 'older' {
  const fields = FIELDS.filter((field) => reading[field] !== undefined);
  const ages = fields.map((field) => noteTime(ticket, field, reading, nowMs));
  const newer = fields.filter((_field, index) => ages[index] === 'new');
  const isEqual = (field: Field): boolean => ticket[field] === reading[field];
  if (newer.length === 0) {
    return ages.every((age) => age === 'known') && fields.every(isEqual) ? 'unchanged' : 'older';
  }
  const changed = newer.filter((field) => !isEqual(field));
  if (changed.length === 0) return 'unchanged';
  for (const field of changed) Object.assign(ticket, { [field]: reading[field] });
  ticket.isChanged = true;
  return 'applied';
}

/** Returns the newest of the ticket's times for the fields of this reading. */
export function lastTime(ticket: Ticket, reading: Reading): string | undefined {
  return FIELDS.flatMap((field) => (reading[field] === undefined ? [] : (ticket.times[field] ?? [])))
    .toSorted()
    .at(-1);
}

/** Returns `new` if the field takes the reading's value, and records the reading's time then. */
function noteTime(
  ticket: Ticket,
  field: Field,
  { [field]: value, at, receivedAt, isAhead }: Reading,
  nowMs: number,
): 'new' | 'known' | 'older' {
  if (at === undefined) return 'new';
  const identity = JSON.stringify([at, field, value]);
  if (ticket.known.includes(identity)) return 'known';
  const time = ticket.times[field];
  const last = time !== undefined && isAheadOf(time, nowMs) ? undefined : time;
  const counted = isAhead ? later(receivedAt, last) : at;
  if (last !== undefined && counted < last) return 'older';
  ticket.times[field] = counted;
  ticket.known = withoutOldest([...ticket.known, identity], field);
  ticket.isNewlyTimed = true;
  return 'new';
}

function withoutOldest(known: readonly string[], field: Field): readonly string[] {
  const ofField = known.filter((each) => (JSON.parse(each) as [at: string, field: string])[1] === field);
  return ofField.length > MAX_KNOWN ? known.filter((each) => each !== ofField[0]) : known;
}

function later(one: string, other: string | undefined): string {
  return other !== undefined && other > one ? other : one;
}

function isAheadOf(at: string, nowMs: number): boolean {
  return Date.parse(at) > nowMs + CLOCK_TOLERANCE_MS;
}
