/**
 * An operator has gone back, on purpose, to a former primary. This is noted in the database itself, where only the owner of
 * Triagem's tables can write it, and any role can read it; a standby has that of its primary.
 */
export interface ReturnedPrimary {
  /** It orders returns: the later of the time of the order, in seconds since 1970, and one above the highest known rank. */
  readonly rank: number;
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

/** The rank is written as `count`, its name in version 1.1. */
export function formatReturned({ rank, by, atMs }: ReturnedPrimary): string {
  if (!isRank(rank)) throw new RangeError(`a return cannot have the rank ${rank}: set the clock right`);
  return MARK + JSON.stringify({ count: rank, by, atMs });
}

/** Returns `undefined` for a database to which no operator has gone back. */
export function readReturned(comment: string | null): ReturnedPrimary | undefined {
  if (comment === null || !comment.startsWith(MARK)) return undefined;
  const { count: rank, by, atMs } = JSON.parse(comment.slice(MARK.length)) as Record<string, unknown>;
  if (typeof rank !== 'number' || !isRank(rank) || typeof by !== 'string' || typeof atMs !== 'number')
    throw new Error(`the comment of ${RETURNED_TABLE} is malformed: ${comment}`);
  return { rank, by, atMs };
}

/** Ranks have eight hexadecimal digits in a position, which lasts until 2106. */
function isRank(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value < 2 ** 32;
}

/**
 * It is above each timeline of a server: nobody promotes two million times. Multiplied by any rank, it is a safe integer.
 */
const RETURN = 2 ** 21;

/**
 * Returns the timeline by which a server is ranked: a return is above all timelines before it. A standby that is promoted
 * afterwards has a higher timeline with the same return, and is above both.
 */
export function withReturn(timeline: number, returned: ReturnedPrimary | undefined): number {
  if (timeline >= RETURN)
    throw new RangeError(`the server has the timeline ${timeline}, above ${RETURN - 1}`);
  return timeline + (returned?.rank ?? 0) * RETURN;
}

/** Returns the rank of the return, 0 for none, and the timeline of the server itself. */
export function splitTimeline(timeline: number): { readonly rank: number; readonly own: number } {
  return { rank: Math.floor(timeline / RETURN), own: timeline % RETURN };
}

/** Describes a timeline for the operator: `2`, or `17, after the return of 2026-11-30 07:11 UTC`, as long as that counts. */
export function describeTimeline(timeline: number): string {
  const { rank, own } = splitTimeline(timeline);
  if (rank === 0) return String(own);
  return `${own}, after the return of ${new Date(rank * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
