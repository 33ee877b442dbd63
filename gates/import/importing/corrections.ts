import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { GatesError, refusedSilently, TryAgainError } from '../../cli/errors.ts';
import { Progress } from '../../cli/progress.ts';
import type { CancelLimit, ImportOptions } from './import-options.ts';

/** What an import changes in existing tickets. */
export interface CorrectionPlan {
  /** Counts tickets that get validity or sector from the file. */
  readonly corrected: number;
  /** Counts the corrected tickets that become valid. */
  readonly validAgain: number;
  /** Counts the corrected tickets that become invalid. */
  readonly noLongerValid: number;
  /** Counts the other tickets that become invalid. */
  readonly cancelled: number;
  /** Counts the cancelled tickets that have entered. */
  readonly cancelledEntered: number;
}

const NO_UPDATES = { corrected: 0, validAgain: 0, noLongerValid: 0 };

/** Between two checks for waiting gates, so many tickets are changed: some hundredths of a second. */
const CHANGED_AT_ONCE = 200;
/** A gate may wait so long in the first attempt. Each failed attempt doubles it, up to the second limit. */
const SHORT_WAIT_MS = 200;
const LONG_WAIT_MS = 1_000;
/** If a gate waits while another ticket is locked, both may be the same gate: a deadlock. */
const CIRCULAR_WAIT_MS = 40;
/** Locked tickets are tried again after so long, and the whole plan not before. */
const RETRY_MS = 20;
const GIVE_UP_MS = 60_000;

/**
 * Writes the changes into `correction`, a temporary table that lasts as long as the session; null keeps a value. No ticket
 * is locked.
 *
 * @throws GatesError where all valid tickets of the event would be cancelled, or more than the limit.
 */
export async function planCorrections(
  sql: postgres.Sql,
  eventId: string,
  { update, cancelMissing, cancelAtMost }: Pick<ImportOptions, 'update' | 'cancelMissing' | 'cancelAtMost'>,
): Promise<CorrectionPlan> {
  await createCorrections(sql);
  const counts = update ? await planUpdates(sql, eventId) : NO_UPDATES;
  let cancelled = 0;
  if (cancelMissing) {
    const { count } = await sql`
      insert into correction (id, is_valid_ticket, was_entered)
      select t.id, false, t.entrou from public.tickets t
      where t.event_id = ${eventId} and t.is_valid_ticket and not exists (select from incoming i where i.id = t.id)`;
    cancelled = count;
    await assertFew(sql, eventId, cancelled, cancelAtMost);
  }
  return { ...counts, cancelled, cancelledEntered: await countEntered(sql) };
}

async function planUpdates(sql: postgres.Sql, eventId: string): Promise<typeof NO_UPDATES> {
  const [counts] = await sql<[typeof NO_UPDATES]>`
    with planned as materialized (
      select i.id, i.is_valid_ticket, i.setor, t.is_valid_ticket as was_valid
      from incoming i join public.tickets t on t.event_id = ${eventId} and t.id = i.id
      where (t.is_valid_ticket, t.setor)
        is distinct from (coalesce(i.is_valid_ticket, t.is_valid_ticket), coalesce(i.setor, t.setor))
    ), inserted as (
      insert into correction (id, is_valid_ticket, setor) select id, is_valid_ticket, setor from planned
    )
    select count(*)::int as corrected,
      count(*) filter (where is_valid_ticket and not was_valid)::int as "validAgain",
      count(*) filter (where not is_valid_ticket and was_valid)::int as "noLongerValid"
    from planned`;
  return counts;
}

/** Plans to cancel the tickets of the file. `notValid` counts those that are not valid already: they are timed only. */
export async function planCancellations(
  sql: postgres.Sql,
  eventId: string,
): Promise<CorrectionPlan & { readonly notValid: number }> {
  await createCorrections(sql);
  const [row] = await sql<[{ found: number; cancelled: number }]>`
    with planned as (
      insert into correction (id, is_valid_ticket, was_entered)
      select t.id, false, case when t.is_valid_ticket then t.entrou end
      from incoming i join public.tickets t on t.event_id = ${eventId} and t.id = i.id
      returning was_entered
    )
    select count(*)::int as found, count(was_entered)::int as cancelled from planned`;
  const { found, cancelled } = row;
  return {
    ...NO_UPDATES,
    cancelled,
    cancelledEntered: await countEntered(sql),
    notValid: found - cancelled,
  };
}

async function createCorrections(sql: postgres.Sql): Promise<void> {
  await sql`create temporary table correction (
    number integer generated always as identity primary key,
    id text, is_valid_ticket boolean, setor text, was_entered boolean
  )`;
}

async function countEntered(sql: postgres.Sql): Promise<number> {
  await sql`analyze correction`;
  const [row] = await sql<[{ entered: number }]>`
    select count(*) filter (where was_entered)::int as entered from correction`;
  return row.entered;
}

/** A file that lacks many tickets is incomplete, or another event's. */
async function assertFew(
  sql: postgres.Sql,
  eventId: string,
  cancelled: number,
  limit: CancelLimit,
): Promise<void> {
  if (cancelled === 0) return;
  const [{ valid }] = await sql<[{ valid: number }]>`
    select count(*)::int as valid from public.tickets where event_id = ${eventId} and is_valid_ticket`;
  if (cancelled === valid) {
    throw new GatesError(
      `--cancel-missing would cancel every valid ticket of the event (${cancelled}), as the file has none of them: is it ` +
        'the right file, and the right event?',
    );
  }
  const most = limit.isPercent ? (valid * limit.count) / 100 : limit.count;
  if (cancelled <= most) return;
  const share = ((100 * cancelled) / valid).toFixed(1);
  throw new GatesError(
    `--cancel-missing would cancel ${cancelled} of ${valid} valid tickets (${share} %), and ${limit.text} is the most: is ` +
      `the file whole? Then allow it: --cancel-at-most ${cancelled}.`,
  );
}

/**
 * Carries out the plan in the transaction of `sql`. Admissions stay as they are in the database.
 *
 * A gate that marks one of these tickets waits until the transaction ends, so gates have priority: once one has waited for
 * a moment, all changes are rolled back and tried again. Tickets that a gate has locked are skipped and tried again, never
 * waited for, so PostgreSQL finds no deadlock.
 *
 * @throws TryAgainError where gates use these tickets all the time.
 */
export async function applyCorrections(
  sql: postgres.Sql,
  eventId: string,
  count: number,
  stop: AbortSignal,
): Promise<void> {
  const giveUpAtMs = performance.now() + GIVE_UP_MS;
  for (let attempt = 0; ; attempt++) {
    const beganAtMs = performance.now();
    await sql`savepoint corrections`;
    const longestWaitMs = Math.min(SHORT_WAIT_MS * 2 ** attempt, LONG_WAIT_MS);
    if (await changeAll(sql, eventId, count, { longestWaitMs, giveUpAtMs })) return;
    await sql`rollback to savepoint corrections`;
    if (performance.now() > giveUpAtMs) {
      throw new TryAgainError(
        `Gates are at the tickets that are to be changed: to change ${count} in one commit would hold them up. Try again ` +
          'when they have less to do, or with files of a few thousand tickets.',
      );
    }
    // After Ctrl-C the next statement throws.
    const tookMs = performance.now() - beganAtMs;
    await pause(RETRY_MS + Math.random() * tookMs, undefined, { signal: stop }).catch(() => {});
  }
}

/** Returns false where a gate has waited, or has kept a ticket locked, for too long. */
async function changeAll(
  sql: postgres.Sql,
  eventId: string,
  count: number,
  { longestWaitMs, giveUpAtMs }: { readonly longestWaitMs: number; readonly giveUpAtMs: number },
): Promise<boolean> {
  const progress = new Progress();
  let waitedForSinceMs: number | undefined;
  try {
    for (let first = 1; first <= count;) {
      const next = first + CHANGED_AT_ONCE;
      const left = await changeSome(sql, eventId, first, next);
      const nowMs = performance.now();
      waitedForSinceMs = (await isWaitedFor(sql)) ? (waitedForSinceMs ?? nowMs) : undefined;
      const limitMs = left === 0 ? longestWaitMs : CIRCULAR_WAIT_MS;
      if (waitedForSinceMs !== undefined && nowMs - waitedForSinceMs > limitMs) return false;
      if (left === 0) first = next;
      else if (nowMs > giveUpAtMs) return false;
      else await pause(RETRY_MS);
      progress.show(() => `${Math.min(first - 1, count)} of ${count} tickets changed`);
    }
    return true;
  } finally {
    progress.end();
  }
}

/**
 * Carries out the corrections from `first` to before `next`. Returns how many of their tickets are locked by others. Each ticket
 * is looked up by itself: PostgreSQL takes an event that was imported a moment ago for one without tickets, and would go through
 * all of them for each ticket.
 */
async function changeSome(sql: postgres.Sql, eventId: string, first: number, next: number): Promise<number> {
  const [row] = await sql<[{ there: number; chosen: number; changed: number }]>`
    with chosen as materialized (
      select c.id, c.number, c.is_valid_ticket, c.setor,
        c.setor is null or c.is_valid_ticket is distinct from t.is_valid_ticket as has_validity,
        c.setor is distinct from t.setor as has_setor
      from correction c cross join lateral (
        select is_valid_ticket, setor from public.tickets t
        where t.event_id = ${eventId} and t.id = c.id for update skip locked) t
      where c.number >= ${first} and c.number < ${next}
    ), changed as (
      update public.tickets t
      set is_valid_ticket = coalesce(chosen.is_valid_ticket, t.is_valid_ticket), setor = coalesce(chosen.setor, t.setor)
      from chosen
      where t.event_id = ${eventId} and t.id = chosen.id and t.id = any (array(select id from chosen))
      returning chosen.*, chosen.is_valid_ticket is null or t.is_valid_ticket = chosen.is_valid_ticket as is_changed
    ), timed as (
      -- Recorded like messages of this instant to "listen", so that no older one undoes the change.
      insert into public.ticket_times as timed (event_id, id, valid_at, setor_at)
      select ${eventId}, id, case when has_validity and is_valid_ticket is not null then clock_timestamp() end,
        case when has_setor and setor is not null then clock_timestamp() end
      from changed order by id collate "C"
      on conflict (event_id, id) do update set
        valid_at = coalesce(excluded.valid_at, timed.valid_at), setor_at = coalesce(excluded.setor_at, timed.setor_at)
    ), finished as (
      delete from correction c using changed where c.number = changed.number
    )
    select (select count(*)::int from chosen) as chosen, (select count(*)::int from changed where is_changed) as changed, (
      select count(*)::int from correction c cross join lateral (
        select from public.tickets t where t.event_id = ${eventId} and t.id = c.id offset 0) t
      where c.number >= ${first} and c.number < ${next}
    ) as there`;
  if (row.changed < row.chosen) throw refusedSilently(row.chosen - row.changed);
  return row.there - row.changed;
}

async function isWaitedFor(sql: postgres.Sql): Promise<boolean> {
  const rows = await sql`
    select from pg_catalog.pg_locks own join pg_catalog.pg_locks waiting on waiting.transactionid = own.transactionid
    where own.pid = pg_backend_pid() and own.granted and not waiting.granted limit 1`;
  return rows.length > 0;
}
