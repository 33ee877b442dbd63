import type postgres from 'postgres';

const MAX_NAMED = 3;

/** Events that kept readings name and that do not exist here: mistyped in the address, or not made yet. */
export interface UnknownEvents {
  readonly count: number;
  readonly readings: number;
  /** Up to three, those with most readings first. */
  readonly first: readonly { readonly eventId: string; readonly readings: number }[];
}

export async function readUnknownEvents(sql: postgres.Sql): Promise<UnknownEvents> {
  const rows = await sql<{ eventId: string; readings: number; count: number; all: number }[]>`
    select event_id as "eventId", count(*)::int as readings, (count(*) over ())::int as count,
      (sum(count(*)) over ())::int as all
    from public.kept_readings kept where reason = 'event' and not ${eventExists(sql, 'kept.event_id')}
    group by event_id order by readings desc, event_id limit ${MAX_NAMED}`;
  const [row] = rows;
  return { count: row?.count ?? 0, readings: row?.all ?? 0, first: rows };
}

/** SQL that is true where the event of this column exists. Some gate systems add tickets and no events. */
export function eventExists(sql: postgres.Sql, column: string) {
  return sql`(exists (select from public.events event where event.id = ${sql(column)})
    or exists (select from public.tickets ticket where ticket.event_id = ${sql(column)}))`;
}

/** Returns undefined where there are none. Includes the fix. */
export function describeUnknownEvents({ count, readings, first }: UnknownEvents): string | undefined {
  if (count === 0) return undefined;
  const named = first.map((event) => `${event.eventId} (${event.readings})`).join(', ');
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  const come = readings === 1 ? '1 reading names' : `${readings} readings name`;
  const event = count === 1 ? 'an event that does' : 'events that do';
  return (
    `${come} ${event} not exist here: ${named}${more}. Correct the event ID in the address that the gates send to, ` +
    'and have these readings sent again; or create the event, and import its tickets or have readings with "?create=true" sent again'
  );
}
