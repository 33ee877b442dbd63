import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS, minuteOf } from '../../desk/model/series/minute.ts';
import { speedUp } from '../../desk/flow/flow-clock.ts';
import { closeOnce } from '../../testing/close-once.ts';
import type { TestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { FAULT_LIMITS, IS_FULL, repetitions } from '../../testing/durations.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { readiness, reasonsOf, startTestServer, type TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import {
  expectExact,
  openBoards,
  openSubscribedSite,
  STALE_AT_EDGE_MS,
  STALE_WITHIN_MS,
} from './subscribed-site.ts';
import { testInFull } from '../../testing/test-in-full.ts';

/** Of the flow's clock: a minute is three seconds. */
const SPEED = 20;
const MINUTES_OUT = repetitions(3, 2);

const site = openForAll(openSubscribedSite);

/** Waits until each board has begun to ask the source again: it asks for a second at most. */
async function untilAskedAnew(): Promise<void> {
  const [{ now }] = await site.vendor<[{ now: string }]>`select clock_timestamp()::text as now`;
  await until(async () => {
    const asked = await site.vendor<{ isAnew: boolean }[]>`
      select query_start > ${now}::text::timestamptz + interval '3 s' as "isAnew"
      from pg_stat_activity where application_name = 'triagem source'`;
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every(({ isAnew }) => isAnew)).toBe(true);
  }, 30_000);
}

/** Holds a lock on our copy of their table until it is released. */
async function lock({ adminUrl }: TestDatabase, mode: string): Promise<() => Promise<void>> {
  const holder = postgres(adminUrl, { max: 1, fetch_types: false });
  const release = closeOnce(() => holder.end({ timeout: 1 }));
  await holder.unsafe(`begin; lock table public.ingressos in ${mode} mode`);
  return release;
}

describe('while its first copy is made', () => {
  test('a board that starts shows nothing, and is live with all of it at once', async () => {
    await site.enter();
    await site.unsubscribe();
    const release = await lock(site.ours, 'share');
    const subscribed = site.subscribe();
    const server = await site.start({ SOURCE_DATABASE_URL: site.sourceUrl });
    const screen = openScreen(server.url);
    await subscribed;
    await until(async () =>
      expect((await readiness(server)).text).toMatch(/has copied 0 of its 1 tables: wait/),
    );
    await release();
    await expectExact(site, screen);
    expect(screen.displayed.filter(({ total }) => total !== undefined)).toMatchObject([
      { live: true, total: 1 },
    ]);
    screen.close();
    await server.stop();
  });

  test('a board that was live keeps what it shows, as stale', async () => {
    const server = await site.start({ SOURCE_DATABASE_URL: site.sourceUrl });
    const screen = openScreen(server.url);
    await expectExact(site, screen);
    const before = screen.total;
    await site.unsubscribe();
    // By the triggers, all of it is gone.
    await until(() => expect([screen.live, screen.total]).toEqual([false, 0]));
    await until(() => expect(reasonsOf(server)).toMatch(/no subscription of this database brings tickets/));
    const release = await lock(site.ours, 'share');
    await site.subscribe();
    await until(() => expect(reasonsOf(server)).toMatch(/has copied 0 of its 1 tables/));
    expect(screen.live).toBe(false);
    const { length } = screen.displayed;
    await release();
    await expectExact(site, screen);
    expect(new Set(screen.displayed.slice(length).map(({ total }) => total))).toEqual(new Set([before]));
    screen.close();
    await server.stop();
  });
});

testInFull(
  'after an outage of the source, who entered meanwhile counts in the minutes in which they entered',
  async () => {
    const sinceMs = minuteOf(Date.now());
    const flowClock = speedUp(sinceMs, SPEED);
    const server = await startTestServer(
      site.ours,
      { DESK_KEY, RECORD_DATABASE_URL: site.ours.recordUrl, SOURCE_DATABASE_URL: site.sourceUrl },
      { limits: FAULT_LIMITS, flowClock },
    );
    const screen = openScreen(server.url);
    await expectExact(site, screen);
    // The minute in which watching began is not known.
    await until(async () => expect(await site.admin`select from triagem.minutes limit 1`).toHaveLength(1));
    site.network.hold();
    const entered = new Map<number, number>();
    let stale = 0;
    for (let minute = 0; minute < MINUTES_OUT; minute += 1) {
      // In the middle of one.
      const leftMs = MINUTE_MS - ((flowClock(Date.now()) + MINUTE_MS / 2) % MINUTE_MS);
      await pause(leftMs / SPEED);
      for (let n = 0; n <= minute; n += 1) await site.enter();
      entered.set(minuteOf(flowClock(Date.now())), minute + 1);
      stale += Number(!screen.live);
    }
    expect(stale).toBeGreaterThan(0);
    site.network.restore();
    await expectExact(site, screen);
    const lastMs = Math.max(...entered.keys());
    await until(async () => {
      const rows = await site.admin<{ ms: number; net: number; lots: number }[]>`
      select (extract(epoch from minute) * 1000)::float8 as ms, sum(net)::int as net, sum(lots)::int as lots
      from triagem.minutes group by minute order by minute`;
      expect(rows.at(-1)?.ms).toBeGreaterThan(lastMs);
      expect(rows.filter(({ net }) => net !== 0)).toEqual(
        [...entered].map(([ms, net]) => ({ ms, net, lots: 0 })),
      );
    }, 30_000);
    const kinds = await site.admin<{ kind: string }[]>`select distinct kind from triagem.log order by 1`;
    expect(kinds.map(({ kind }) => kind)).not.toContain('gap');
    screen.close();
    await server.stop();
  },
);

describe('a subscription that brings nothing any more', () => {
  const boards = openForAll(() => openBoards(site));

  beforeEach(async () => {
    await expectExact(site, boards.atAsking, boards.atListening, boards.atEdge);
  });

  interface Fault {
    what: string;
    words: RegExp;
    /** Of a board that has only the messages to go by. */
    heard: RegExp;
    inflict: () => Promise<() => unknown>;
  }

  const FAULTS: Fault[] = [
    {
      what: 'whose worker fails at a row',
      words:
        /The worker of the subscription "ingressos_para_triagem" does not run, or fails at each start: the log of PostgreSQL has/,
      heard: /The worker of the subscription "ingressos_para_triagem" does not run, or fails at each start/,
      inflict: async () => {
        await site.admin`insert into public.ingressos values ('X', 'vendido', '4')`;
        await site.vendor`insert into public.ingressos values ('X', 'vendido', '4')`;
        return () => site.admin`delete from public.ingressos where codigo = 'X'`;
      },
    },
  ];
  const MORE_FAULTS: Fault[] = [
    {
      what: 'whose source stands still',
      words:
        /The source of the subscription "ingressos_para_triagem" cannot be asked how far it is: no answer comes/,
      heard: /The (subscription "ingressos_para_triagem" has received nothing|worker of .* does not run)/,
      inflict: async () => {
        site.network.hold();
        return () => site.network.restore();
      },
    },
    {
      what: 'that is disabled',
      words: /The subscription "ingressos_para_triagem" is disabled: ALTER SUBSCRIPTION .* ENABLE/,
      heard: /The subscription "ingressos_para_triagem" is disabled/,
      inflict: async () => {
        await site.admin`alter subscription ingressos_para_triagem disable`;
        return () => site.admin`alter subscription ingressos_para_triagem enable`;
      },
    },
    {
      what: 'that waits for a lock',
      words: /The subscription "ingressos_para_triagem" is behind its source: .* It goes on by itself/,
      heard:
        /The subscription "ingressos_para_triagem" has received nothing .* or its worker waits for a lock/,
      inflict: async () => lock(site.ours, 'share'),
    },
  ];

  test.each(IS_FULL ? [...FAULTS, ...MORE_FAULTS] : FAULTS)(
    '$what is stale within 5 s, in words, and live by itself afterwards',
    async (fault) => {
      const { asking, listening, counter, atAsking, atListening, atEdge } = boards;
      const [askedBefore, heardBefore] = [asking.logged.length, listening.logged.length];
      const stopwatch = startStopwatch({ observersIn: site.ours });
      const edgeStopwatch = startStopwatch({ pids: () => [counter.pid], observersIn: site.ours });
      const remedy = await fault.inflict();
      await site.enter();
      await until(() => expect(atAsking.live).toBe(false));
      expect(await stopwatch.elapsedMs()).toBeLessThan(STALE_WITHIN_MS);
      await until(() => expect(atEdge.live).toBe(false));
      expect(await edgeStopwatch.elapsedMs()).toBeLessThan(STALE_AT_EDGE_MS);

      const isTold = async (server: TestServer, before: number, words: RegExp): Promise<void> => {
        expect(reasonsOf({ logged: server.logged.slice(before) })).toMatch(words);
        const { status, text } = await readiness(server);
        expect(status).toBe(503);
        expect((JSON.parse(text) as { waitingFor: string }).waitingFor).toMatch(words);
      };
      try {
        await until(() => isTold(asking, askedBefore, fault.words));
        await until(() => expect(atListening.live).toBe(false));
        await until(() => isTold(listening, heardBefore, fault.heard));
      } finally {
        await remedy();
      }
      await expectExact(site, atAsking, atListening, atEdge);
    },
  );

  test('what nobody waits for to be flushed at the source makes nothing stale', async () => {
    const { atAsking, atEdge } = boards;
    const [seenBefore, atEdgeBefore] = [atAsking.displayed.length, atEdge.displayed.length];
    // It ends within a page of the log, and its transaction has no ID.
    await site.vendor.unsafe(
      `begin read only; select pg_logical_emit_message(false, 'test', repeat('x', 12000)); rollback`,
    );
    const [written] = await site.vendor<[{ lsn: string }]>`select pg_current_wal_insert_lsn()::text as lsn`;
    await until(async () => {
      const slots = await site.vendor`
        select from pg_replication_slots where slot_name = 'ingressos_para_triagem'
          and confirmed_flush_lsn >= ${written.lsn}::pg_lsn`;
      expect(slots).toHaveLength(1);
    }, 30_000);
    const displayed = [...atAsking.displayed.slice(seenBefore), ...atEdge.displayed.slice(atEdgeBefore)];
    expect(displayed.filter(({ live }) => !live)).toEqual([]);
  });

  test.each([
    [
      'made anew',
      (slot: string) => `
      select pg_drop_replication_slot('${slot}');
      select pg_create_logical_replication_slot('${slot}', 'pgoutput')`,
    ],
    ...(IS_FULL
      ? ([
          [
            'advanced',
            (slot: string) => `select pg_replication_slot_advance('${slot}', pg_current_wal_flush_lsn())`,
          ],
        ] as const)
      : []),
  ] as const)(
    'a slot that is %s by hand while it is disabled leaves commits out: stale until the subscription is made anew',
    async (_how, change) => {
      const { asking, atAsking } = boards;
      const slot = 'ingressos_para_triagem';
      await site.admin.unsafe(`alter subscription ${slot} disable`);
      await until(async () => expect((await readiness(asking)).text).toMatch(/is disabled/));
      // The sender of the source ends up to a second after its worker; before, what the slot confirmed may still move.
      await until(async () =>
        expect(
          await site.vendor`select from pg_replication_slots where slot_name = ${slot} and not active`,
        ).toHaveLength(1),
      );
      await site.enter();
      const { length } = asking.logged;
      await untilAskedAnew();
      await site.vendor.unsafe(change(slot));
      await untilAskedAnew();
      await site.admin.unsafe(`alter subscription ${slot} enable`);
      await until(() =>
        expect(reasonsOf({ logged: asking.logged.slice(length) })).toMatch(
          /lacks commits: its slot at the source was/,
        ),
      );
      const seen = atAsking.displayed.length;
      await site.enter();
      await pause(1_000);
      expect(atAsking.displayed.slice(seen).filter(({ live }) => live)).toEqual([]);
      await site.unsubscribe();
      await site.subscribe();
      await expectExact(site, atAsking);
    },
  );

  test('a board that cannot ask the source warns beside its counts; one that can has no warning', async () => {
    expect(await readiness(boards.asking)).toEqual({ status: 200, text: '{"status":"observing"}' });
    // Half of wal_receiver_timeout, the second after which the worker looks, and what is stale.
    const seconds = Math.round((1_000 + 1_000 + FAULT_LIMITS.staleAfterMs) / 1_000);
    expect((await readiness(boards.listening)).text).toMatch(
      `behind its source is not known, as SOURCE_DATABASE_URL is not set: a source that stands still shows after ${seconds} s`,
    );
  });
});
