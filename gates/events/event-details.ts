import type postgres from 'postgres';
import { titleFault } from '../../domain/event-title.ts';
import { DEFAULT_TIME_ZONE, isTimeZone } from '../../domain/time-zone.ts';
import type { Venue } from '../../domain/venue.ts';
import type { Environment } from '../cli/command.ts';
import { GatesError, quoteTitle, UsageError } from '../cli/errors.ts';
import { formatEventTime, readEventTime } from './event-time.ts';

/** The metadata of an event: a row of event_details. */
export interface EventDetails {
  readonly eventId: string;
  readonly title: string;
  readonly gatesOpenAt: Date | null;
  readonly kickOffAt: Date | null;
  /** An IANA name; null stands for the venue's. */
  readonly timeZone: string | null;
}

export const DETAIL_OPTIONS = {
  title: { type: 'string' },
  'gates-open': { type: 'string' },
  'kick-off': { type: 'string' },
  'time-zone': { type: 'string' },
} as const;

export const DETAIL_HELP = `  --title "…"         what the match is called
  --gates-open TIME   when the gates open
  --kick-off TIME     when it begins, after that
  --time-zone ZONE    of these times, and of the event: an IANA name, as America/Fortaleza

TIME is YYYY-MM-DDTHH:MM in the event's time zone (else TIME_ZONE, else the venue's, else ${DEFAULT_TIME_ZONE}),
or has an offset of its own: 2026-11-22T16:00-03:00.`;

type DetailValues = Readonly<Partial<Record<keyof typeof DETAIL_OPTIONS, string | undefined>>>;

/** Returns the fields that the options name. @throws UsageError that names what is wrong. */
export function readDetailOptions(values: DetailValues, localZone: string): Partial<EventDetails> {
  const { title, 'time-zone': timeZone, 'gates-open': gatesOpen, 'kick-off': kickOff } = values;
  const fault = title === undefined ? undefined : titleFault(title);
  if (fault !== undefined) throw new UsageError(`--title ${fault}.`);
  if (timeZone !== undefined) assertTimeZone('--time-zone', timeZone);
  return {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(gatesOpen === undefined ? {} : { gatesOpenAt: readTime('--gates-open', gatesOpen, localZone) }),
    ...(kickOff === undefined ? {} : { kickOffAt: readTime('--kick-off', kickOff, localZone) }),
  };
}

function readTime(option: string, text: string, localZone: string): Date | null {
  return text === 'none' ? null : readEventTime(option, text, localZone);
}

/** Returns the first zone that is named: by the caller, TIME_ZONE, or the venue. @throws UsageError for an unknown TIME_ZONE. */
export function localZoneOf(
  named: string | null | undefined,
  env: Environment,
  venue: Venue | undefined,
): string {
  const setting = env['TIME_ZONE']?.trim() || undefined;
  if (setting !== undefined) assertTimeZone('TIME_ZONE', setting);
  const zone = named ?? setting ?? venue?.timeZone ?? DEFAULT_TIME_ZONE;
  return isTimeZone(zone) ? zone : DEFAULT_TIME_ZONE;
}

function assertTimeZone(source: string, name: string): void {
  if (isTimeZone(name)) return;
  throw new UsageError(`${source} is "${name}": give an IANA name, as America/Fortaleza or America/Manaus.`);
}

export async function readDetails(sql: postgres.Sql, eventId?: string): Promise<EventDetails[]> {
  const rows = await sql<EventDetails[]>`
    select event_id as "eventId", title, gates_open_at as "gatesOpenAt", kick_off_at as "kickOffAt",
      time_zone as "timeZone"
    from public.event_details ${eventId === undefined ? sql`` : sql`where event_id = ${eventId}`}`;
  return [...rows];
}

/** Returns false where the event has details already. Adds the event itself if it is missing. */
export async function insertDetails(sql: postgres.Sql, details: EventDetails): Promise<boolean> {
  assertOrder(details);
  const { eventId, title, gatesOpenAt, kickOffAt, timeZone } = details;
  await sql`insert into public.events (id) values (${eventId}) on conflict do nothing`;
  const { count } = await sql`
    insert into public.event_details (event_id, title, gates_open_at, kick_off_at, time_zone)
    values (${eventId}, ${title}, ${gatesOpenAt}, ${kickOffAt}, ${timeZone}) on conflict do nothing`;
  return count > 0;
}

export async function updateDetails(sql: postgres.Sql, details: EventDetails): Promise<void> {
  assertOrder(details);
  const { eventId, title, gatesOpenAt, kickOffAt, timeZone } = details;
  await sql`
    update public.event_details
    set title = ${title}, gates_open_at = ${gatesOpenAt}, kick_off_at = ${kickOffAt}, time_zone = ${timeZone}
    where event_id = ${eventId}`;
}

function assertOrder({ gatesOpenAt, kickOffAt }: EventDetails): void {
  if (!gatesOpenAt || !kickOffAt || kickOffAt > gatesOpenAt) return;
  throw new GatesError('The gates must open before the kick-off.');
}

export function isSameEvent(a: EventDetails, b: EventDetails): boolean {
  return JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));
}

function inOrder({ eventId, title, gatesOpenAt, kickOffAt, timeZone }: EventDetails): unknown[] {
  return [eventId, title, gatesOpenAt, kickOffAt, timeZone];
}

/** 'ID ("title")'. */
export function nameOfEvent({ eventId, title }: Pick<EventDetails, 'eventId' | 'title'>): string {
  return `${eventId} (${quoteTitle(title)})`;
}

/** 'gates open 2026-11-22 16:00, kick-off 2026-11-22 18:00 (America/Sao_Paulo)'. */
export function describeTimes({ gatesOpenAt, kickOffAt }: EventDetails, zone: string): string {
  const parts = [
    ...(gatesOpenAt ? [`gates open ${formatEventTime(gatesOpenAt, zone)}`] : []),
    ...(kickOffAt ? [`kick-off ${formatEventTime(kickOffAt, zone)}`] : []),
  ];
  return parts.length === 0 ? 'no times' : `${parts.join(', ')} (${zone})`;
}

/** Quotes a value for a shell, and for a file of settings that systemd reads. */
export function quoteSetting(text: string): string {
  return text.includes("'") ? `"${text.replaceAll(/["\\$\x60]/g, String.raw`\$&`)}"` : `'${text}'`;
}
