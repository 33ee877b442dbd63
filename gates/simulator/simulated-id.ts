import { createHash } from 'node:crypto';
import type postgres from 'postgres';

/**
 * The id of a simulated ticket ends with a digest of the event's, which no real ticket has by chance. So simulated tickets
 * are recognized in any table, a gate system's own or a restored one, without a mark beside them that could be lost.
 */
const PURPOSE = 'triagem simulate';

/** Returns a function from ticket numbers to ids. */
export function simulatedIds(eventId: string): (number: number) => string {
  const mark = markOf(eventId);
  return (number) => `simulado-${String(number).padStart(7, '0')}-${mark}`;
}

function markOf(eventId: string): string {
  return createHash('sha256').update(`${PURPOSE} ${eventId}`).digest('hex').slice(0, 12);
}

/** SQL that is true for the simulated tickets of this event. */
export function isSimulated(sql: postgres.Sql, eventId: string) {
  return sql`id ~ ${`^simulado-[0-9]{7,}-${markOf(eventId)}$`}`;
}

export async function countSimulated(
  sql: postgres.Sql,
  eventId: string,
): Promise<{ simulated: number; others: number }> {
  const [row] = await sql<[{ simulated: string; others: string }]>`
    select count(*) filter (where is_simulated) as simulated, count(*) filter (where not is_simulated) as others
    from (select ${isSimulated(sql, eventId)} as is_simulated from public.tickets where event_id = ${eventId}) tickets`;
  return { simulated: Number(row.simulated), others: Number(row.others) };
}

/**
 * Keeps real and simulated tickets apart while a command adds some, until its transaction ends. Returns false where another
 * command is adding tickets of the other kind.
 */
export async function reserveEvent(
  sql: postgres.Sql,
  eventId: string,
  kind: 'real' | 'simulated',
): Promise<boolean> {
  const [row] =
    kind === 'real'
      ? await sql<[{ got: boolean }]>`
          select pg_try_advisory_xact_lock_shared(hashtext(${PURPOSE}), hashtext(${eventId})) as got`
      : await sql<[{ got: boolean }]>`
          select pg_try_advisory_xact_lock(hashtext(${PURPOSE}), hashtext(${eventId})) as got`;
  return row.got;
}
