import type postgres from 'postgres';
import { knownCodes, type Venue } from '../../../domain/venue.ts';
import { quoteValue } from '../../cli/errors.ts';

const MAX_LISTED = 20;

/** Tickets of the file that have, after the import, a sector which the venue does not know. */
export interface UnknownSectors {
  readonly tickets: number;
  /** Counts the distinct codes. */
  readonly codes: number;
  /** Up to 20, those of most tickets first. */
  readonly first: readonly { readonly setor: string; readonly tickets: number }[];
}

/** Looks into `incoming`, where each ticket is there once. Without `update` an existing ticket keeps its own sector. */
export async function findUnknownSectors(
  sql: postgres.Sql,
  eventId: string,
  venue: Venue,
  { update }: { readonly update: boolean },
): Promise<UnknownSectors> {
  const known = JSON.stringify([...knownCodes(venue)]);
  const rows = await sql<{ setor: string; tickets: number; all: number; codes: number }[]>`
    select i.setor, count(*)::int as tickets, (sum(count(*)) over ())::int as all, (count(*) over ())::int as codes
    from incoming i left join public.tickets t on t.event_id = ${eventId} and t.id = i.id
    where i.setor not in (select json_array_elements_text(${known}::text::json))
      and (t.id is null or ${update} or t.setor = i.setor)
    group by i.setor order by tickets desc, i.setor collate "C" limit ${MAX_LISTED}`;
  return { tickets: rows[0]?.all ?? 0, codes: rows[0]?.codes ?? 0, first: rows };
}

/** Returns no lines where all sectors are known. `correct`: how the tickets are given another sector, if that is up to us. */
export function describeUnknownSectors(
  { tickets, codes, first }: UnknownSectors,
  correct?: string,
): string[] {
  if (tickets === 0) return [];
  const left = tickets - first.reduce((sum, code) => sum + code.tickets, 0);
  return [
    `${tickets} ${tickets === 1 ? 'ticket names' : 'tickets name'} a sector that the board does not know: counted in its total only.`,
    ...first.map((code) => `  ${quoteValue(code.setor)}: ${code.tickets}`),
    ...(left > 0 ? [`  and ${left} in ${codes - first.length} more`] : []),
    `${correct === undefined ? 'Add' : `Correct them with ${correct}, or add`} them to the "codes" of a sector in the file of VENUE_FILE (where none is set, thirteen built-in sectors are displayed).`,
  ];
}
