/**
 * What `gates -- connect` notes in comments of the database: any role can read these, and they change with the transaction
 * that they describe.
 */

/** The comment on a subscription whose tables may be whole while the tickets are not. */
export const FILLING_MARK = 'Made by "gates -- connect"; the tickets are not filled yet.';
/** The comment on a subscription from which all tickets have been filled. */
export const FILLED_MARK = 'Made by "gates -- connect".';
/** The trigger that keeps the tickets in step with a copied table. */
export const CONNECT_TRIGGER = 'triagem_connect';
/** The trigger that brings all tickets of a commit in step, on a table of what the others have noted. */
export const PLACING_TRIGGER = 'triagem_connect_placing';
/** The trigger that refuses what anybody else writes of these tickets. */
export const GUARD_TRIGGER = 'triagem_connect_guard';
/** In the schema with the subscription's name: a view of the tickets that are not as the copied tables have them. */
export const DIFFERING_VIEW = 'differing';

const COPY_MARK = 'Copied by "gates -- connect" from ';

const WITHOUT = '; without ';

/** The system of a copied table that a view of the operator's reads. */
export const VIEW_SYSTEM = 'a view';

/** Returns the comment on a table that is copied from a ticketing system, which lacks the columns of `absent`. */
export function copyMark(system: string, absent: readonly string[] = []): string {
  return COPY_MARK + system + (absent.length === 0 ? '' : WITHOUT + absent.join(', '));
}

/** Returns the system of a copied table; `undefined` for the comment of any other table. */
export function copiedFrom(comment: string | null): string | undefined {
  return comment?.startsWith(COPY_MARK) === true
    ? comment.slice(COPY_MARK.length).split(WITHOUT)[0]
    : undefined;
}

/** Returns the columns that the source of a copied table lacked, and that would have been used. */
export function absentAtSource(comment: string): readonly string[] {
  return comment.split(WITHOUT)[1]?.split(', ') ?? [];
}
