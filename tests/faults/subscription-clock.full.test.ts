import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import { speedUp } from '../../desk/flow/flow-clock.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { FAULT_LIMITS } from '../../testing/durations.ts';
import { recount } from '../../testing/database/oracle.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { writeAtRandom } from '../../testing/database/random-changes.ts';
import { readRecipe } from '../../testing/gates/recipes.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { keepTicketHistory } from '../../testing/sources/ticket-history.ts';
import { until } from '../../testing/until.ts';
import { admitByPassword } from '../../testing/gates/vendor.ts';
import { expectRecounted, readRecordedMinutes } from '../flow/expect-recounted.ts';

/** A minute of the flow is 12 seconds. */
const SPEED = 5;
const TEN_MINUTES_S = 600;
const MINUTES = 1;
/**
 * So far into a minute their gates write: what comes late is counted in the ten seconds that still run. They end once their
 * server has been looked at again, three or four real seconds later.
 */
const WRITTEN_AT_MS = 35_000;
const WRITES = 10;

test(
  'a subscription brings commit times ten minutes ahead, then behind: counted at once, and in the minute in which they came',
  { timeout: 300_000 },
  async () => {
    const theirs = await startTestCluster({ hasOwnClock: true });
    const ours = await createTestDatabase();
    const { admin } = ours;
    const history = await keepTicketHistory(ours);
    const password = randomBytes(8).toString('hex');
    const vendor = theirs.database.admin;
    await vendor`create table public.ingressos (codigo text primary key, status text, portao text)`;
    await admitByPassword(vendor);
    await vendor`
      insert into public.ingressos select 'I' || n, 'vendido', (n % 14)::text from generate_series(0, 999) n`;
    await vendor.unsafe(readRecipe('publication', { PASSWORD: password }));
    for (const name of ['copy-table', 'mapping', 'function', 'fill', 'always']) {
      await admin.unsafe(readRecipe(name));
    }

    const { hostname, port } = new URL(theirs.database.adminUrl);
    await admin.unsafe(
      readRecipe('subscription', {
        HOST: hostname,
        PORT: port,
        DATABASE: theirs.database.name,
        PASSWORD: password,
      }),
    );
    // While it copies, nothing is watched.
    await untilTickets('I', 1_000);

    const nowMs = Date.now();
    const clock = { sinceMs: nowMs - (nowMs % MINUTE_MS), speed: SPEED };
    const flowClock = speedUp(clock.sinceMs, SPEED);
    const server = await startTestServer(
      ours,
      { DESK_KEY, RECORD_DATABASE_URL: ours.recordUrl },
      { flowClock, limits: FAULT_LIMITS },
    );
    const viewer = await openPageClient(server.url);
    const stopping = new AbortController();
    const gates = (async () => {
      while (!stopping.signal.aborted) await writeAtRandom(ours, 50, { pauseMs: 20 });
    })();
    let entered = 0;
    try {
      for (const aheadS of [TEN_MINUTES_S, -TEN_MINUTES_S]) {
        theirs.setClock(aheadS);
        for (let minute = 0; minute < MINUTES; minute += 1) {
          const leftMs = MINUTE_MS - ((flowClock(Date.now()) - WRITTEN_AT_MS) % MINUTE_MS);
          await pause((leftMs % MINUTE_MS) / SPEED);
          for (let n = 0; n < WRITES; n += 1) {
            await vendor`update public.ingressos set status = 'lido' where codigo = ${`I${entered}`}`;
            entered += 1;
          }
          await untilEntered(entered);
        }
      }
    } finally {
      stopping.abort();
      await gates;
      await admin.unsafe('drop subscription ingressos_para_triagem');
    }
    const { total } = await recount(admin);
    await until(() => expect(viewer.counts?.total).toBe(total));
    const endMs = flowClock(Date.now());
    await until(
      async () => expect((await readRecordedMinutes(admin)).at(-1)?.minuteMs).toBeGreaterThan(endMs),
      60_000,
    );
    // Nobody stopped watching.
    const bySubscription: typeof history = {
      ...history,
      recount: (options) => history.recount({ ...options, isSubscribed: true }),
    };
    const { compared, missing } = await expectRecounted(admin, bySubscription, [], clock);
    expect(compared).toBeGreaterThanOrEqual(2 * MINUTES);
    expect(missing).toBe(0);
    expect(await admin`select kind, data from triagem.log where kind in ('clock', 'gap')`).toEqual([]);
    const [skew] = await admin<[{ ahead: number; behind: number }]>`
      select count(*) filter (where at - written_at > interval '9 minutes')::int as ahead,
        count(*) filter (where written_at - at > interval '9 minutes')::int as behind
      from (select written_at, pg_xact_commit_timestamp(xid) as at from ticket_history where in_after) h`;
    expect(skew).toEqual({ ahead: MINUTES * WRITES, behind: MINUTES * WRITES });

    async function untilTickets(prefix: string, count: number): Promise<void> {
      await until(async () => {
        const [{ n }] = await admin<[{ n: number }]>`
          select count(*)::int as n from tickets where id like ${`${prefix}%`}`;
        expect(n).toBe(count);
      }, 30_000);
    }

    /** On the wall as soon as in the table; and no minute that has not ended is recorded. */
    async function untilEntered(count: number): Promise<void> {
      await until(async () => {
        const [{ n }] = await admin<[{ n: number }]>`
          select count(*)::int as n from tickets where id like 'I%' and entrou`;
        expect(n).toBe(count);
      });
      await until(async () => expect(viewer.counts?.total).toBe((await recount(admin)).total), 2_000);
      const lastMs = (await readRecordedMinutes(admin)).at(-1)?.minuteMs ?? 0;
      expect(lastMs + MINUTE_MS).toBeLessThanOrEqual(flowClock(Date.now()));
    }
  },
);
