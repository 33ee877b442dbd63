import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Scope } from '../benchmark.ts';
import { type BenchDatabase, openSql } from '../support/database.ts';

/** Lets holders in by one commit each, of one event after the other. */
export interface Crowd {
  /** At a steady pace, as far as the database takes it. Returns how many came in a second. */
  admitFor(seconds: number, perSecond: number): Promise<number>;
}

/** As many as are due after so long come together; where they are behind, no more than MOST. */
const EVERY_MS = 5;
const MOST = 50;

/**
 * `eventIds`: each has the tickets t1, t2 …. Where a commit takes a message of a client's and a flush of the disk's, a
 * machine of two cores writes some hundred a second beside a fleet: these are made in the database itself, and those that
 * come together share a flush, as those of many gates do.
 */
export async function gatherCrowd(
  scope: Scope,
  { admin, gatesUrl }: Pick<BenchDatabase, 'admin' | 'gatesUrl'>,
  eventIds: readonly string[],
): Promise<Crowd> {
  await createAdmit(admin, eventIds);
  const gate = openSql(scope, gatesUrl);
  await gate`select 1`;
  let admitted = 0;
  return {
    async admitFor(seconds, perSecond) {
      const startMs = performance.now();
      const elapsedMs = (): number => performance.now() - startMs;
      const first = admitted;
      const end = first + seconds * perSecond;
      while (admitted < end) {
        const due = Math.min(end, first + Math.floor((elapsedMs() * perSecond) / 1_000), admitted + MOST);
        if (due > admitted) await gate`call public.bench_admit(${admitted}, ${due - 1})`;
        admitted = due;
        await sleep(EVERY_MS, undefined, { signal: scope.signal });
      }
      await sleep(Math.max(0, seconds * 1_000 - elapsedMs()), undefined, { signal: scope.signal });
      return (admitted - first) / (elapsedMs() / 1_000);
    },
  };
}

/** Number n is a holder of event n, of as many as there are in turn; each commits, and the last waits for the disk. */
async function createAdmit(admin: postgres.Sql, eventIds: readonly string[]): Promise<void> {
  const ids = eventIds.map((id) => `'${id}'`).join();
  await admin.unsafe(`
    create procedure public.bench_admit(first int, last int) language plpgsql as $body$
    declare
      ids constant text[] := array[${ids}];
      events constant int := ${eventIds.length};
    begin
      for n in first..last loop
        perform set_config('synchronous_commit', case when n = last then 'on' else 'off' end, true);
        update public.tickets set entrou = true
          where event_id = ids[1 + n % events] and id = 't' || (1 + n / events) and not entrou;
        if not found then raise 'ticket % of event % is missing, or has entered before', 1 + n / events, 1 + n % events; end if;
        commit;
      end loop;
    end
    $body$`);
}
