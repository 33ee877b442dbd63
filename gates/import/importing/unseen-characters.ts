import type postgres from 'postgres';
import { quoteValue } from '../../cli/errors.ts';

/**
 * Control characters, all spaces but the ordinary one within an id, and what has no width, for a regular expression of
 * PostgreSQL.
 */
const UNSEEN =
  '^ | $|[\\u0001-\\u001f\\u007f-\\u00a0\\u00ad\\u061c\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff]';

/** Ids with characters that cannot be seen. */
export interface UnseenCharacters {
  readonly count: number;
  /** The first of them in the file; empty where there are none. */
  readonly first: string;
}

/** Looks into `incoming`, where each ticket is there once. */
export async function findUnseenCharacters(sql: postgres.Sql): Promise<UnseenCharacters> {
  const [row] = await sql<{ first: string; count: number }[]>`
    select id as first, (count(*) over ())::int as count from incoming where id ~ ${UNSEEN} order by line limit 1`;
  return row ?? { count: 0, first: '' };
}

/** Returns no lines where there are none. */
export function describeUnseenCharacters({ count, first }: UnseenCharacters): string[] {
  if (count === 0) return [];
  const ids = count === 1 ? '1 id has' : `${count} ids have`;
  return [
    `${ids} characters that cannot be seen, as ${quoteValue(first)}: a turnstile compares to the character. If the gates ` +
      'read ids without them, import them so, and "cancel" these.',
  ];
}
