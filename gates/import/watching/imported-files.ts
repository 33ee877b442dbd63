import type postgres from 'postgres';
import { TryAgainError } from '../../cli/errors.ts';
import { withSession } from '../../cli/session.ts';
import type { Target } from '../../cli/target.ts';
import type { SettledFile } from './settled-files.ts';

/** An import that was committed; its file is still in the folder. */
export interface PastImport {
  readonly at: Date;
  readonly report: readonly string[];
}

/**
 * Notes a file in the transaction that imports it.
 *
 * @throws TryAgainError where another transaction has imported it: the answer to that commit was lost.
 */
export async function noteImport(
  sql: postgres.Sql,
  eventId: string,
  { name, fingerprint }: SettledFile,
  report: readonly string[],
): Promise<void> {
  // The rows of files that were taken away, or whose move could not be noted.
  await sql`delete from public.watched_files where imported_at < now() - interval '30 days'`;
  const { count } = await sql`
    insert into public.watched_files (event_id, name, fingerprint, report)
    values (${eventId}, ${name}, ${fingerprint}, ${report.join('\n')})
    on conflict do nothing`;
  if (count === 0) throw new TryAgainError(`${name} has been imported meanwhile.`);
}

/** Returns the import of a file that was not moved after it; an event that was deleted since takes its imports with it. */
export async function findPastImport(
  target: Target,
  eventId: string,
  { name, fingerprint }: SettledFile,
  stop: AbortSignal,
): Promise<PastImport | undefined> {
  return withSession(target, stop, async ({ sql }) => {
    await sql`
      delete from public.watched_files
      where event_id = ${eventId} and not exists (select from public.events where id = ${eventId})`;
    const [row] = await sql<{ at: Date; report: string }[]>`
      select imported_at as at, report from public.watched_files
      where event_id = ${eventId} and name = ${name} and fingerprint = ${fingerprint}`;
    return row && { at: row.at, report: row.report.split('\n') };
  });
}

export async function forgetImport(
  target: Target,
  eventId: string,
  { name, fingerprint }: SettledFile,
  stop: AbortSignal,
): Promise<void> {
  await withSession(target, stop, async ({ sql }) => {
    await sql`
      delete from public.watched_files
      where event_id = ${eventId} and name = ${name} and fingerprint = ${fingerprint}`;
  });
}
