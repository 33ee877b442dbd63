import { CLOCK_TOLERANCE_MS, MAX_KNOWN } from './limits.ts';

/** What a message may say of a ticket. */
const FIELDS = ['isValid', 'entrou', 'setor'] as const;
type Field = (typeof FIELDS)[number];

/** A ticket as the database has it, and what readings make of it. */
export interface Ticket {
  readonly id: string;
  isValid: boolean;
  entrou: boolean;
  setor: string;
  /** Of each field: `at` of the newest reading of it that was applied; ahead of our clock: when it arrived. */
  readonly times: Partial<Record<Field, string>>;
  /** What readings said that were applied and that the times do not tell to be known; of each field the newest last. */
  known: readonly string[];
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
 * Of two readings of a field, the one of the later `at` wins. One that was applied is known when it is sent again, and
 * changes nothing, whatever the ticket has become since. Two of one instant that say different things are applied as they
 * come. Whose clock is wrong cannot be told, so a reading that is ahead of ours counts as of its arrival: it is never too
 * old, and shuts out no reading that comes after it. A time in the database that is ahead of our clock by now is none of a
 * clock that is right: it makes nothing older.
 */
export function applyReading(
  ticket: Ticket,
  reading: Reading,
  nowMs: number,
): 'applied' | 'unchanged' | 'older' {
  const said = FIELDS.filter((field) => reading[field] !== undefined);
  const found = said.map((field) => noteTime(ticket, field, reading, nowMs));
  const news = said.filter((_field, index) => found[index] === 'new');
  const isSo = (field: Field): boolean => ticket[field] === reading[field];
  if (news.length === 0) {
    return found.every((each) => each === 'known') && said.every(isSo) ? 'unchanged' : 'older';
  }
  const changed = news.filter((field) => !isSo(field));
  if (changed.length === 0) return 'unchanged';
  for (const field of changed) Object.assign(ticket, { [field]: reading[field] });
  ticket.isChanged = true;
  return 'applied';
}

/** When what a reading says was so last, as far as the ticket knows. */
export function lastTime(ticket: Ticket, reading: Reading): string | undefined {
  return FIELDS.flatMap((field) => (reading[field] === undefined ? [] : (ticket.times[field] ?? [])))
    .toSorted()
    .at(-1);
}

/** Whether a field is to become what a reading says. If it is, its time is noted. */
function noteTime(
  ticket: Ticket,
  field: Field,
  { [field]: value, at, receivedAt, isAhead }: Reading,
  nowMs: number,
): 'new' | 'known' | 'older' {
  if (at === undefined) return 'new';
  const said = JSON.stringify([at, field, value]);
  if (ticket.known.includes(said)) return 'known';
  const time = ticket.times[field];
  const last = time !== undefined && isAheadOf(time, nowMs) ? undefined : time;
  const counted = isAhead ? later(receivedAt, last) : at;
  if (last !== undefined && counted < last) return 'older';
  ticket.times[field] = counted;
  const others = ticket.known.filter((each) => !isOlder(each, field, counted));
  ticket.known = withoutOldest([...others, said], field);
  ticket.isNewlyTimed = true;
  return 'new';
}

/** Of another reading of the field: its time alone tells that it is old. */
function isOlder(known: string, field: Field, time: string): boolean {
  const [at, of] = parseKnown(known);
  return of === field && at < time;
}

function withoutOldest(known: readonly string[], field: Field): readonly string[] {
  const ofField = known.filter((each) => parseKnown(each)[1] === field);
  return ofField.length > MAX_KNOWN ? known.filter((each) => each !== ofField[0]) : known;
}

function parseKnown(known: string): readonly [at: string, field: string] {
  return JSON.parse(known) as [string, string];
}

function later(one: string, other: string | undefined): string {
  return other !== undefined && other > one ? other : one;
}

function isAheadOf(at: string, nowMs: number): boolean {
  return Date.parse(at) > nowMs + CLOCK_TOLERANCE_MS;
}
