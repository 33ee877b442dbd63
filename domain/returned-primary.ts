/**
 * An operator has gone back, on purpose, to a former primary. This is noted in the database itself, where only the owner of
 * Triagem's tables can write it, and any role can read it; a standby has that of its primary.
 */
export interface ReturnedPrimary {
  /** How often it has been gone back to this database. */
  readonly count: number;
  /** The operator's name. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** The note is the comment of this table, which every prepared database has: JSON after MARK. */
export const RETURNED_TABLE = 'public.triagem_schema';
const MARK = 'gone back to: ';

/** Selects the comment, or null, for any role, without parameters, and also where the table is missing. */
export const RETURNED_SQL = `(
  select d.description
  from pg_catalog.pg_description d join pg_catalog.pg_class c on c.oid = d.objoid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objsubid = 0
    and n.nspname || '.' || c.relname = '${RETURNED_TABLE}')`;

export function formatReturned(returned: ReturnedPrimary): string {
  return MARK + JSON.stringify(returned);
}

/** Returns `undefined` for a database to which no operator has gone back. */
export function readReturned(comment: string | null): ReturnedPrimary | undefined {
  if (comment === null || !comment.startsWith(MARK)) return undefined;
  const { count, by, atMs } = JSON.parse(comment.slice(MARK.length)) as Partial<ReturnedPrimary>;
  if (!Number.isSafeInteger(count) || typeof by !== 'string' || typeof atMs !== 'number')
    throw new Error(`the comment of ${RETURNED_TABLE} is malformed: ${comment}`);
  return { count: count as number, by, atMs };
}

/** It is above every timeline of PostgreSQL. */
const RETURN = 2 ** 32;

/**
 * Returns the timeline by which a server is ranked: a return is above all timelines before it. A standby that is promoted
 * afterwards has a higher timeline and as many returns, and is above both.
 */
export function withReturns(timeline: number, returned: ReturnedPrimary | undefined): number {
  return timeline + (returned?.count ?? 0) * RETURN;
}

export function splitTimeline(timeline: number): { readonly returns: number; readonly own: number } {
  return { returns: Math.floor(timeline / RETURN), own: timeline % RETURN };
}

/** Describes a timeline for the operator: `2`, or `1, gone back to`. */
export function describeTimeline(timeline: number): string {
  const { returns, own } = splitTimeline(timeline);
  return returns === 0 ? String(own) : `${own}, gone back to`;
}
