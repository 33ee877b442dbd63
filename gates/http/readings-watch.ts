import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { type Session, withSession } from '../cli/session.ts';
import type { Target } from '../cli/target.ts';
import type { Activity, RefusedCount } from './activity.ts';
import { type ClockWatch, readClock } from './clock-watch.ts';
import type { CommitQueue } from './commit-queue.ts';
import { dropBeyondLimit } from './kept-rows.ts';
import type { KeptReason } from './request-outcome.ts';
import { instantText } from './sent-at.ts';
import { eventExists, readUnknownEvents } from './unknown-events.ts';

/** After so long without an answer the connection is given up. */
const SILENCE_LIMIT_MS = 10_000;
/** Limits the tickets whose kept readings are applied in one commit. */
const MAX_RELEASED = 2_000;
/** After so many looks the database is asked again about so many, taken at random, of the tickets that it refused to change. */
const REFUSED_AGAIN_AFTER = 60;
const MAX_REFUSED_AGAIN = 100;

interface ReadingsWatchOptions {
  readonly target: Target;
  readonly queue: CommitQueue;
  readonly activity: Activity;
  readonly clocks: ClockWatch;
  readonly stop: AbortSignal;
  readonly everyMs: number;
}

/**
 * Finds every `everyMs`, on a connection of its own, the kept readings whose tickets exist by now, and submits them to the
 * queue. It also stores the counts of refused messages, and reads the database's clock. It never rejects: after a failure
 * it connects again, until `stop` aborts.
 */
export async function watchReadings(options: ReadingsWatchOptions): Promise<void> {
  const { target, stop, everyMs } = options;
  while (!stop.aborted) {
    const giveUp = new AbortController();
    const watching = withSession(target, giveUp.signal, async (session) => {
      for (let looks = 0; !stop.aborted && !session.lost.aborted; looks += 1) {
        const limit = setTimeout(() => giveUp.abort(), SILENCE_LIMIT_MS);
        const areAllApplied = await runOnce(session, options, looks).finally(() => clearTimeout(limit));
        if (areAllApplied) await pauseUnless(stop, everyMs);
      }
    });
    await watching.catch(() => pauseUnless(stop, everyMs));
  }
}

function pauseUnless(stop: AbortSignal, ms: number): Promise<void> {
  return pause(ms, undefined, { signal: stop }).catch(() => {});
}

/** Returns false when more kept readings are likely to be due. */
async function runOnce(
  session: Session,
  { queue, activity, clocks, stop }: ReadingsWatchOptions,
  looks: number,
): Promise<boolean> {
  const refusedAgain = looks % REFUSED_AGAIN_AFTER === 0 ? MAX_REFUSED_AGAIN : 0;
  const refused = activity.takeRefused();
  const seen = await session
    .transaction('', async (sql) => {
      await noteRefused(sql, refused);
      await readClock(sql, clocks);
      await correctReasons(sql);
      await readWaiting(sql, activity);
      activity.noteUnknownEvents(await readUnknownEvents(sql));
      return { dropped: await dropBeyondLimit(sql), due: await findDue(sql, refusedAgain) };
    })
    .catch((error: unknown) => {
      for (const count of refused) activity.noteRefused(count);
      throw error;
    });
  clocks.logChanges();
  for (const [eventId, count] of seen.dropped) activity.noteDropped(eventId, count);
  let applied = 0;
  for (const [eventId, released] of seen.due) {
    const request = { eventId, mayCreate: false, messages: [], address: '', released };
    const writing = queue.submit({ ...request, receivedAt: instantText(Date.now()) });
    // The next run finds again what could not be written.
    const written = writing.then(
      (outcome) => {
        activity.note(eventId, outcome, '');
        applied += released.length;
      },
      () => {},
    );
    // After `stop`, no writer takes it from the queue.
    const over = new AbortController();
    await Promise.race([written, once(stop, 'abort', { signal: over.signal }).catch(() => {})]);
    over.abort();
    if (stop.aborted) break;
  }
  return applied < MAX_RELEASED;
}

/** Corrects the reason of readings whose event exists by now. Rows that another transaction applies are skipped. */
async function correctReasons(sql: postgres.Sql): Promise<void> {
  const reason: KeptReason = 'ticket';
  await sql`
    update public.kept_readings set reason = ${reason}
    where ctid = any (array(
      select kept.ctid from public.kept_readings kept
      where kept.reason = 'event' and ${eventExists(sql, 'kept.event_id')}
      for update skip locked))`;
}

async function readWaiting(sql: postgres.Sql, { waiting }: Activity): Promise<void> {
  const rows = await sql<{ reason: KeptReason; count: number }[]>`
    select reason, count(*)::int as count from public.kept_readings group by reason`;
  waiting.clear();
  for (const { reason, count } of rows) waiting.set(reason, count);
}

/** Returns, by event, the ids of existing tickets with kept readings; so many of those that the database refused to change. */
async function findDue(sql: postgres.Sql, refused: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const reason: KeptReason = 'database';
  const rows = await sql<{ eventId: string; ids: string[] }[]>`
    with due as materialized (
      select event_id, id, bool_or(reason = ${reason}) as is_refused from public.kept_readings kept
      where exists (
        select from public.tickets ticket where ticket.event_id = kept.event_id and ticket.id = kept.id
      )
      group by event_id, id
    )
    select event_id as "eventId", json_agg(id) as ids
    from (
      (select event_id, id from due where not is_refused limit ${MAX_RELEASED})
      union all (select event_id, id from due where is_refused order by random() limit ${refused})
    ) due
    group by event_id`;
  return new Map(rows.map(({ eventId, ids }) => [eventId, ids]));
}

/** Stores the counts that the desk reads; only of events that exist, so that clients cannot create rows without end. */
async function noteRefused(sql: postgres.Sql, refused: readonly RefusedCount[]): Promise<void> {
  await sql`delete from public.refused_readings where minute < now() - interval '1 hour'`;
  if (refused.length === 0) return;
  await sql`
    insert into public.refused_readings as noted (event_id, minute, reason, count)
    select "eventId", date_trunc('minute', now()), reason, count
    from json_to_recordset(${JSON.stringify(refused)}::text::json) as refused ("eventId" text, reason text, count bigint)
    where exists (select from public.events where id = "eventId")
      or exists (select from public.tickets where event_id = "eventId")
    order by "eventId", reason
    on conflict (event_id, minute, reason) do update set count = noted.count + excluded.count`;
}
