import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS, minuteOf } from '../../desk/model/series/minute.ts';
import { speedUp } from '../../desk/flow/flow-clock.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { startTestCluster, type TestCluster } from '../../testing/database/cluster.ts';
import type { TestDatabase } from '../../testing/database/database.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { duration, FAULT_LIMITS } from '../../testing/durations.ts';
import { startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { promote, startTestPair, untilCaughtUp } from '../../testing/database/standby.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { recount } from '../../testing/database/oracle.ts';
import { admitByPassword } from '../../testing/gates/vendor.ts';
import { readRecipe } from '../../testing/gates/recipes.ts';
import { openScreen, type Screen } from '../../testing/browser/screen.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { readiness, reasonsOf, startTestServer, type TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const run = promisify(execFile);

const TICKETS = 100;
/** Of the flow's clock: a minute is three seconds. */
const SPEED = 20;
const MINUTES_OUT = 3;
const STALE_WITHIN_MS = duration(5_000, 1_250);
/** A counter and an edge are processes of their own, with the durations of the field; and the edge asks the counter. */
const STALE_AT_EDGE_MS = 5_500;

/** Makes the tickets of a ticketing system, and a role that may do no more than copy them. */
function publish(vendor: postgres.Sql, reader: string): Promise<unknown> {
  return vendor.unsafe(`
    create table public.ingressos (codigo text primary key, status text, portao text);
    insert into public.ingressos select 'I' || n, 'vendido', '4' from generate_series(0, ${TICKETS - 1}) n;
    create publication ingressos_para_triagem for table public.ingressos;
    create role ${reader} login replication password '${reader}';
    grant select on public.ingressos to ${reader}`);
}

/** A board of which a subscription brings the tickets: the process itself, and a counter with an edge. */
const site = openForAll(async () => {
  const source = await startTestCluster();
  const theirs = source.database;
  await admitByPassword(theirs.admin);
  const ours = await startTestCluster({
    settings: { wal_receiver_timeout: '2s', wal_retrieve_retry_interval: '200ms' },
  });
  const { admin } = ours.database;
  const vendor = theirs.admin;
  const reader = `leitor_${randomBytes(4).toString('hex')}`;
  await publish(vendor, reader);
  closeOnce(() => vendor.unsafe(`drop owned by ${reader}; drop role ${reader}`));
  for (const name of ['copy-table', 'mapping', 'function', 'fill', 'always']) {
    await admin.unsafe(readRecipe(name));
  }
  const network = await startNetwork(theirs.adminUrl);
  // What it may: connect, and read the table.
  const sourceUrl = Object.assign(new URL(network.url), { username: reader, password: reader }).href;
  const { database } = ours;
  const subscribe = (port: number | string = network.port): Promise<unknown> =>
    admin.unsafe(`create subscription ingressos_para_triagem
      connection 'host=127.0.0.1 port=${port} dbname=${theirs.name} user=${reader} password=${reader}'
      publication ingressos_para_triagem`);
  const unsubscribe = async (): Promise<void> => {
    network.restore();
    await until(() => admin.unsafe('drop subscription if exists ingressos_para_triagem'));
    await admin`truncate public.ingressos`;
  };
  // Its slot would keep their database.
  closeOnce(unsubscribe);
  await subscribe();
  let entered = 0;
  return {
    ours: database,
    source,
    theirs,
    async startSource() {
      await source.start();
      await source.answersAgain();
      // Its start writes who may connect anew.
      await admitByPassword(theirs.admin);
    },
    admin,
    vendor,
    network,
    reader,
    sourceUrl,
    subscribe,
    unsubscribe,
    /** One more at the source. */
    async enter() {
      await vendor`update public.ingressos set status = 'lido' where codigo = ${`I${entered}`}`;
      entered += 1;
      return entered;
    },
  };
});

const start = (env: Record<string, string>): Promise<TestServer> =>
  startTestServer(site.ours, env, { limits: FAULT_LIMITS });

async function expectExact(...screens: readonly Screen[]): Promise<void> {
  const [{ count }] = await site.vendor<[{ count: number }]>`
    select count(*)::int as count from public.ingressos where status = 'lido'`;
  await until(async () => {
    expect((await recount(site.admin)).total).toBe(count);
    for (const screen of screens) expect([screen.live, screen.total]).toEqual([true, count]);
  }, 30_000);
}

/** Waits until each board has begun to ask the source again: it asks for a second at most. */
async function untilAskedAnew(): Promise<void> {
  const [{ now }] = await site.vendor<[{ now: string }]>`select clock_timestamp()::text as now`;
  await until(async () => {
    const asked = await site.vendor<{ isAnew: boolean }[]>`
      select query_start > ${now}::text::timestamptz + interval '2 s' as "isAnew"
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
    const server = await start({ SOURCE_DATABASE_URL: site.sourceUrl });
    const screen = openScreen(server.url);
    await subscribed;
    await until(async () =>
      expect((await readiness(server)).text).toMatch(/has copied 0 of its 1 tables: wait/),
    );
    await release();
    await expectExact(screen);
    expect(screen.displayed.filter(({ total }) => total !== undefined)).toMatchObject([
      { live: true, total: 1 },
    ]);
    screen.close();
    await server.stop();
  });

  test('a board that was live keeps what it shows, as stale', async () => {
    const server = await start({ SOURCE_DATABASE_URL: site.sourceUrl });
    const screen = openScreen(server.url);
    await expectExact(screen);
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
    await expectExact(screen);
    expect(new Set(screen.displayed.slice(length).map(({ total }) => total))).toEqual(new Set([before]));
    screen.close();
    await server.stop();
  });
});

test('after an outage of the source, who entered meanwhile counts in the minutes in which they entered', async () => {
  const sinceMs = minuteOf(Date.now());
  const flowClock = speedUp(sinceMs, SPEED);
  const server = await startTestServer(
    site.ours,
    { DESK_KEY, RECORD_DATABASE_URL: site.ours.recordUrl, SOURCE_DATABASE_URL: site.sourceUrl },
    { limits: FAULT_LIMITS, flowClock },
  );
  const screen = openScreen(server.url);
  await expectExact(screen);
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
  await expectExact(screen);
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
});

describe('a subscription that brings nothing any more', () => {
  /** With the way to the source, with the messages of the worker alone, and served by an edge. */
  const boards = openForAll(async () => {
    const asking = await start({ SOURCE_DATABASE_URL: site.sourceUrl });
    const listening = await start({});
    const nats = await startNats();
    const counter = await startCounter(nats, site.ours.observerUrl, {
      env: { NODE_NAME: 'c1', SOURCE_DATABASE_URL: site.sourceUrl },
    });
    const edge = await startEdge(nats, { env: { NODE_NAME: 'e1' } });
    await untilFollowing(edge, 'c1');
    return {
      asking,
      listening,
      counter,
      atAsking: openScreen(asking.url),
      atListening: openScreen(listening.url),
      atEdge: openScreen(edge.url),
    };
  });

  beforeEach(async () => {
    await expectExact(boards.atAsking, boards.atListening, boards.atEdge);
  });

  const FAULTS: {
    what: string;
    words: RegExp;
    /** Of a board that has only the messages to go by. */
    heard: RegExp;
    inflict: () => Promise<() => unknown>;
  }[] = [
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
      what: 'that waits for a lock',
      words: /The subscription "ingressos_para_triagem" is behind its source: .* It goes on by itself/,
      heard:
        /The subscription "ingressos_para_triagem" has received nothing .* or its worker waits for a lock/,
      inflict: async () => lock(site.ours, 'share'),
    },
  ];

  test.each(FAULTS)('$what is stale within 5 s, in words, and live by itself afterwards', async (fault) => {
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
    await expectExact(atAsking, atListening, atEdge);
  });

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
    [
      'advanced',
      (slot: string) => `select pg_replication_slot_advance('${slot}', pg_current_wal_flush_lsn())`,
    ],
  ] as const)(
    'a slot that is %s by hand while it is disabled leaves commits out: stale until the subscription is made anew',
    async (_how, change) => {
      const { asking, atAsking } = boards;
      const slot = 'ingressos_para_triagem';
      await site.admin.unsafe(`alter subscription ${slot} disable`);
      await until(async () => expect((await readiness(asking)).text).toMatch(/is disabled/));
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
      await expectExact(atAsking);
    },
  );

  test('a source that is put back to an earlier copy of itself is stale, in words, until the subscription is made anew', async () => {
    const { asking, counter, atAsking, atEdge } = boards;
    const { folder } = site.source;
    await site.source.stop();
    await run('cp', ['-a', folder, `${folder}.copy`]);
    await site.startSource();
    for (let lost = 0; lost < 3; lost += 1) await site.enter();
    await site.vendor`select pg_logical_emit_message(true, 'test', repeat('x', 100000))`;
    // Live then, they have asked the source after that.
    await pause(STALE_AT_EDGE_MS);
    await expectExact(atAsking, atEdge);
    await site.source.stop();
    await run('rm', ['-rf', folder]);
    await run('mv', [`${folder}.copy`, folder]);
    await site.startSource();
    const words =
      /The subscription "ingressos_para_triagem" lacks commits: its source has gone back to an earlier state of itself/;
    const isStated = async (server: Pick<TestServer, 'url'>): Promise<void> =>
      expect(JSON.parse((await readiness(server)).text)).toMatchObject({
        waitingFor: expect.stringMatching(words),
      });
    for (const server of [asking, counter]) await until(() => isStated(server), 20_000);
    const { length } = atAsking.displayed;
    // Below what the subscription had reached, and beyond it.
    await site.enter();
    await site.vendor`select pg_logical_emit_message(true, 'test', repeat('x', 200000))`;
    await site.enter();
    const [{ lsn }] = await site.vendor<[{ lsn: string }]>`select pg_current_wal_lsn()::text as lsn`;
    await until(async () => {
      const slots = await site.vendor`
        select from pg_replication_slots where slot_name = 'ingressos_para_triagem' and confirmed_flush_lsn >= ${lsn}::pg_lsn`;
      expect(slots).toHaveLength(1);
    }, 30_000);
    await isStated(asking);
    expect(atAsking.displayed.slice(length).filter(({ live }) => live)).toEqual([]);
    await until(() => expect([atAsking.live, atEdge.live]).toEqual([false, false]));
    await site.unsubscribe();
    await site.subscribe();
    await expectExact(atAsking, atEdge);
  });

  test('a board that cannot ask the source warns beside its counts; one that can has no warning', async () => {
    expect(await readiness(boards.asking)).toEqual({ status: 200, text: '{"status":"observing"}' });
    // Half of wal_receiver_timeout, the second after which the worker looks, and what is stale.
    const seconds = (1_000 + 1_000 + FAULT_LIMITS.staleAfterMs) / 1_000;
    expect((await readiness(boards.listening)).text).toMatch(
      `behind its source is not known, as SOURCE_DATABASE_URL is not set: a source that stands still shows after ${seconds} s`,
    );
  });
});

test('a source whose standby takes over is stale, in words, while the subscription copies from the former primary', async () => {
  const { reader } = site;
  const pair = await startTestPair();
  closeOnce(site.unsubscribe);
  const { primary, standby } = pair;
  await publish(primary.database.admin, reader);
  await untilCaughtUp(pair);
  for (const { database } of [primary, standby]) await admitByPassword(database.admin);
  await site.unsubscribe();
  await site.subscribe(primary.host.split(':')[1]);
  const { name } = primary.database;
  const url = `postgres://${reader}:${reader}@${primary.host},${standby.host}/${name}`;
  const server = await start({ SOURCE_DATABASE_URL: url });
  const screen = openScreen(server.url);
  const enter = ({ database }: TestCluster, ticket: string): Promise<unknown> =>
    database.admin`update public.ingressos set status = 'lido' where codigo = ${ticket}`;
  await enter(primary, 'I0');
  await until(() => expect([screen.live, screen.total]).toEqual([true, 1]), 30_000);
  await promote(standby);
  await enter(standby, 'I1');
  await until(() => expect(screen.live).toBe(false), 20_000);
  await until(() =>
    expect(reasonsOf(server)).toMatch(
      /"ingressos_para_triagem" lacks commits: it copies from a former primary of its source: .* of SOURCE_DATABASE_URL is a former primary/,
    ),
  );
  const { length } = screen.displayed;
  await enter(primary, 'I2');
  await until(async () => expect((await recount(site.admin)).total).toBe(2));
  await pause(2 * STALE_WITHIN_MS);
  expect(screen.displayed.slice(length).filter(({ live }) => live)).toEqual([]);
  await site.unsubscribe();
  await site.subscribe(standby.host.split(':')[1]);
  await until(() => expect([screen.live, screen.total]).toEqual([true, 2]), 30_000);
  expect(await site.admin`select from public.tickets where id = 'I2' and entrou`).toEqual([]);
});
