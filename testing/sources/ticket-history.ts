import type postgres from 'postgres';
import type { Row } from '../../domain/event-state.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { TestDatabase } from '../database/database.ts';
import type { Commit } from '../database/oracle.ts';

/** One minute of one sector by SQL, from each commit and its time; the sector '' has the codes of no row. */
export interface RecountedMinute {
  /** Its beginning, Unix time. */
  readonly minuteMs: number;
  readonly sector: string;
  /** In at its end. */
  readonly admitted: number;
  readonly valid: number;
  readonly entered: number;
  readonly reverted: number;
  readonly moved: number;
}

export interface TicketHistory {
  /**
   * All minutes of [fromMs, toMs) and all sectors. `speed`: minutes of a clock that runs faster since `sinceMs`.
   * `run`: as they were in one run of the database's clock, what came before it at no time, what comes later not there.
   */
  recount(options: {
    readonly eventId: string;
    readonly rows: readonly Row[];
    readonly fromMs: number;
    readonly toMs: number;
    readonly clock?: { readonly sinceMs: number; readonly speed: number };
    readonly run?: ClockRun;
    /** A commit with the time of another server, which a subscription brought, counts when it was written here. */
    readonly isSubscribed?: boolean;
  }): Promise<RecountedMinute[]>;
  /**
   * What each commit did to the total of an event, in their order. The first one is all that was in before the history was kept.
   */
  commits(eventId?: string): Promise<Commit[]>;
  /** A period between two settings of the database's clock: back, or ahead by more than writers ever pause. */
  clockRuns(setBy: { readonly backMs: number; readonly aheadMs: number }): Promise<ClockRun[]>;
}

/** The transactions [fromXid, untilXid). */
interface ClockRun {
  readonly fromXid: number;
  readonly untilXid: number;
}

const WHOLE: ClockRun = { fromXid: 0, untilXid: 2 ** 32 };

/**
 * Keeps what every ticket was before and after each change, with the transaction that made it: a history that owes
 * nothing to the replication. To be called while there is no ticket, if minutes are to be recounted. The server must have
 * `track_commit_timestamp` on.
 */
export async function keepTicketHistory({ admin }: Pick<TestDatabase, 'admin'>): Promise<TicketHistory> {
  await admin.unsafe(`
    create table public.ticket_history (
      xid xid not null,
      event_before text, valid_before boolean, in_before boolean, sector_before text,
      event_after text, valid_after boolean, in_after boolean, sector_after text,
      written_at timestamptz not null default clock_timestamp()
    );
    create function public.keep_ticket() returns trigger language plpgsql security definer as $$
    begin
      if tg_op = 'TRUNCATE' then
        insert into public.ticket_history
        select pg_current_xact_id()::xid, event_id, is_valid_ticket, entrou, setor from public.tickets;
        return null;
      end if;
      insert into public.ticket_history values (pg_current_xact_id()::xid,
        old.event_id, old.is_valid_ticket, old.entrou, old.setor,
        new.event_id, new.is_valid_ticket, new.entrou, new.setor);
      return null;
    end $$;
    create trigger keep after insert or update or delete on public.tickets
      for each row execute function public.keep_ticket();
    create trigger keep_truncated before truncate on public.tickets
      for each statement execute function public.keep_ticket();
    -- Also what a subscription brings.
    alter table public.tickets enable always trigger keep, enable always trigger keep_truncated;
  `);
  return openTicketHistory({ admin });
}

/** One that is kept already: in the standby of the database where it was begun. */
export function openTicketHistory({ admin }: Pick<TestDatabase, 'admin'>): TicketHistory {
  return {
    recount: (options) => recount(admin, options),
    commits: (eventId = DEFAULT_EVENT_ID) => admin<Required<Commit>[]>`
      with changes as (
          select xid, written_at, (event_after = ${eventId} and in_after is true)::int
            - (event_before = ${eventId} and in_before is true)::int as change
          from (
            select xid, written_at, coalesce(event_before, '') as event_before, in_before,
              coalesce(event_after, '') as event_after, in_after
            from public.ticket_history) h),
        commits as (
          select extract(epoch from min(written_at))::float8 * 1000 as begun,
            extract(epoch from pg_xact_commit_timestamp(xid))::float8 * 1000 as committed, sum(change)::int as change
          from changes group by xid)
      select 0::float8 as "begunAtMs", 0::float8 as "committedAtMs",
        (select count(*) from public.tickets where event_id = ${eventId} and entrou)::int
          - (select coalesce(sum(change), 0) from commits)::int as change
      union all
      select begun, committed, change from commits where change <> 0
      order by "committedAtMs"`,
    clockRuns: ({ backMs, aheadMs }) => admin<ClockRun[]>`
      with commits as (
          select xid::text::bigint as xid, pg_xact_commit_timestamp(xid) as at from public.ticket_history group by xid, 2),
        steps as (
          select xid, extract(epoch from at - lag(at) over (order by xid)) * 1000 not between ${-backMs} and ${aheadMs} as is_set
          from commits),
        runs as (select xid, count(*) filter (where is_set) over (order by xid) as run from steps)
      select min(xid)::float8 as "fromXid", max(xid)::float8 + 1 as "untilXid" from runs group by run order by run`,
  };
}

async function recount(
  sql: postgres.Sql,
  {
    eventId,
    rows,
    fromMs,
    toMs,
    clock = { sinceMs: 0, speed: 1 },
    run = WHOLE,
    isSubscribed = false,
  }: Parameters<TicketHistory['recount']>[0],
): Promise<RecountedMinute[]> {
  const codes = rows.flatMap(({ code, codes: ofRow }) => ofRow.map((of) => ({ code: of, sector: code })));
  return sql<RecountedMinute[]>`
    with codes as (select * from jsonb_to_recordset(${sql.json(codes)}) as c (code text, sector text)),
      times as (
        select h.*, pg_xact_commit_timestamp(xid) as committed_at from public.ticket_history h
        where xid::text::bigint < ${run.untilXid}),
      -- The transactions of these tests are short: one that seems to have lasted for a minute has another server's time.
      counted as (
        select *, case when ${isSubscribed} and abs(extract(epoch from committed_at - written_at)) > 60 then written_at
          else committed_at end as counted_at
        from times),
      history as materialized (
        select *, case when xid::text::bigint < ${run.fromXid} then '-infinity'::float8
          else ${clock.sinceMs}::float8 + ${clock.speed}::float8 * (
            extract(epoch from counted_at)::float8 * 1000 - ${clock.sinceMs}::float8) end as at_ms
        from counted),
      -- Each change as what it does to a sector that it leaves, and to one that it comes to.
      sides as (
        select at_ms, coalesce(c.sector, '') as sector, -1 as weight, in_before as is_in, valid_before as is_valid,
          in_before and not coalesce(in_after, false) as reverted, false as entered,
          in_before and coalesce(in_after, false) as moved
        from history left join codes c on c.code = sector_before where event_before = ${eventId}
        union all
        select at_ms, coalesce(c.sector, ''), 1, in_after, valid_after,
          false, in_after and not coalesce(in_before, false), in_after and coalesce(in_before, false)
        from history left join codes c on c.code = sector_after where event_after = ${eventId}),
      sectors as (select distinct sector from codes union select ''),
      -- By the number of the minute; -1: before the first one.
      changes as (
        select greatest(-1, floor((at_ms - ${fromMs}) / 60000))::int as number, sector,
          sum(weight) filter (where is_in) as admitted, sum(weight) filter (where is_valid) as valid,
          count(*) filter (where entered) as entered, count(*) filter (where reverted) as reverted,
          sum(weight) filter (where moved) as moved
        from sides where at_ms < ${fromMs + 60_000 * Math.ceil((toMs - fromMs) / 60_000)} group by 1, 2),
      minutes as (
        select number, sectors.sector, entered, reverted, moved,
          sum(admitted) over so_far as admitted, sum(valid) over so_far as valid
        from generate_series(-1, ${Math.ceil((toMs - fromMs) / 60_000)} - 1) number cross join sectors
          left join changes using (number, sector)
        window so_far as (partition by sectors.sector order by number))
    select (${fromMs}::bigint + 60000 * number)::float8 as "minuteMs", sector,
      coalesce(admitted, 0)::int as admitted, coalesce(valid, 0)::int as valid, coalesce(entered, 0)::int as entered,
      coalesce(reverted, 0)::int as reverted, coalesce(moved, 0)::int as moved
    from minutes where number >= 0 order by 1, 2`;
}
