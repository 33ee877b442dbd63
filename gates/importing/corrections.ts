import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { GatesError, TryAgainError } from '../errors.ts';
import type { ImportOptions } from './import-options.ts';

/** What an import is to change in tickets that are there. */
export interface CorrectionPlan {
  /** Validity or sector, as in the file. */
  readonly corrected: number;
  /** Not in the file: valid now, and not valid then. */
  readonly cancelled: number;
  /** Of these. */
  readonly cancelledEntered: number;
}

const NO_CORRECTIONS: CorrectionPlan = { corrected: 0, cancelled: 0, cancelledEntered: 0 };

/** How long other transactions may hold tickets that are to be corrected, and how soon they are looked at again. */
const HELD_LIMIT_MS = 30_000;
const LOOK_AGAIN_MS = 100;

/**
 * Writes into `correction`, a temporary table that ends with the session, what is to be changed: null for what stays as
 * it is. Tickets are read, and none is locked.
 *
 * @throws GatesError where all valid tickets of the event would be cancelled.
 */
export async function planCorrections(
  sql: postgres.Sql,
  eventId: string,
  { update, cancelMissing }: Pick<ImportOptions, 'update' | 'cancelMissing'>,
): Promise<CorrectionPlan> {
  if (!update && !cancelMissing) return NO_CORRECTIONS;
  await sql`create temporary table correction (id text, is_valid_ticket boolean, setor text, was_entered boolean)`;
  let corrected = 0;
  if (update) {
    const { count } = await sql`
      insert into correction (id, is_valid_ticket, setor)
      select i.id, i.is_valid_ticket, i.setor
      from incoming i join public.tickets t on t.event_id = ${eventId} and t.id = i.id
      where (t.is_valid_ticket, t.setor) is distinct from (coalesce(i.is_valid_ticket, t.is_valid_ticket), i.setor)`;
    corrected = count;
  }
  let cancelled = 0;
  if (cancelMissing) {
    const { count } = await sql`
      insert into correction (id, is_valid_ticket, was_entered)
      select t.id, false, t.entrou from public.tickets t
      where t.event_id = ${eventId} and t.is_valid_ticket and not exists (select from incoming i where i.id = t.id)`;
    cancelled = count;
    await assertSomeStay(sql, eventId, cancelled);
  }
  await sql`analyze correction`;
  const [row] = await sql<[{ entered: number }]>`
    select count(*) filter (where was_entered)::int as entered from correction`;
  return { corrected, cancelled, cancelledEntered: row.entered };
}

async function assertSomeStay(sql: postgres.Sql, eventId: string, cancelled: number): Promise<void> {
  if (cancelled === 0) return;
  const [row] = await sql<[{ valid: number }]>`
    select count(*)::int as valid from public.tickets where event_id = ${eventId} and is_valid_ticket`;
  if (row.valid > cancelled) return;
  throw new GatesError(
    `--cancel-missing would cancel every valid ticket of the event (${cancelled}), as the file has none of them: is it ` +
      'the right file, and the right event?',
  );
}

/**
 * Carries out the plan, in the transaction of `sql`, and returns how many tickets were changed. From here to its end,
 * whoever marks one of these waits; their admission stays as it is in the database at that moment.
 *
 * It never waits for a ticket that another transaction holds: it lets go of its own and looks again. So no transaction
 * that marks several can wait for this one while this one waits for it, and PostgreSQL has none to break off.
 *
 * @throws TryAgainError where others hold some of them for too long.
 */
export async function applyCorrections(
  sql: postgres.Sql,
  eventId: string,
  stop: AbortSignal,
): Promise<number> {
  const deadlineMs = performance.now() + HELD_LIMIT_MS;
  for (;;) {
    await sql`savepoint corrections`;
    const [{ there }] = await sql<[{ there: number }]>`
      select count(*)::int as there
      from correction c join public.tickets t on t.event_id = ${eventId} and t.id = c.id`;
    const { count } = await sql`
      with held as materialized (
        select t.id, c.is_valid_ticket, c.setor
        from correction c join public.tickets t on t.event_id = ${eventId} and t.id = c.id
        for update of t skip locked
      )
      update public.tickets t
      set is_valid_ticket = coalesce(held.is_valid_ticket, t.is_valid_ticket), setor = coalesce(held.setor, t.setor)
      from held where t.event_id = ${eventId} and t.id = held.id`;
    if (count >= there) return count;
    await sql`rollback to savepoint corrections`;
    if (performance.now() > deadlineMs) {
      throw new TryAgainError(
        `${there - count} of the tickets that are to be changed are held by another transaction: try again once it has ` +
          'ended.',
      );
    }
    // The next statement tells of Ctrl-C.
    await pause(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => {});
  }
}
