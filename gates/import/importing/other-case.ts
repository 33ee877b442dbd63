import type postgres from 'postgres';
import { quoteValue } from '../../cli/errors.ts';

/** Ids of the file that differ from another ticket's in upper and lower case alone. */
export interface OtherCase {
  readonly count: number;
  readonly first: string;
  readonly other: string;
}

/** Looks into `incoming`, where each ticket is there once, and into the event. */
export async function findOtherCase(sql: postgres.Sql, eventId: string): Promise<OtherCase> {
  const [row] = await sql<OtherCase[]>`
    with tickets as (
      select id from incoming union select id from public.tickets where event_id = ${eventId}
    )
    select i.id as first, min(t.id) as other, (count(*) over ())::int as count
    from incoming i join tickets t on lower(t.id) = lower(i.id) and t.id <> i.id
    group by i.id, i.line order by i.line limit 1`;
  return row ?? { count: 0, first: '', other: '' };
}

/** Returns no lines where there are none. */
export function describeOtherCase({ count, first, other }: OtherCase): string[] {
  if (count === 0) return [];
  const ids = count === 1 ? '1 id differs' : `${count} ids differ`;
  return [
    `${ids} from another ticket's in upper and lower case alone, as ${quoteValue(first)} from ${quoteValue(other)}: each ` +
      'counts as a ticket of its own. If they are the same tickets, import them as the gates read them, and "cancel" the others.',
  ];
}
