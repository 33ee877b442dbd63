import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { quoteIdentifier } from '../../database/with-connection.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { type DisplayedState, openScreen } from '../../testing/browser/screen.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { duration, FAULT_LIMITS, IS_FULL } from '../../testing/durations.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { recount } from '../../testing/database/oracle.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { openConnectedBoard } from '../../testing/gates/connected-board.ts';
import { OWN_VIEW } from '../../testing/gates/own-view-system.ts';
import { HI_EVENTS, PRETIX } from '../../testing/gates/ticketing-systems.ts';
import {
  MENDED_WITHIN_MS,
  openWatchedSystem,
  STALE_WITHIN_MS,
  type WatchedSystem,
} from '../../testing/gates/watched-system.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { reasonsOf, startTestServer } from '../../testing/server/test-server.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { until } from '../../testing/until.ts';
import { findTarget } from '../cli/target.ts';
import { compare } from './compare.ts';
import { connectSystem } from './connect.ts';
import { findConnection, newName } from './connection.ts';
import { withDatabases } from './databases.ts';
import { nameRemoved } from './remove.ts';

/** Opens one session. What it holds, it lets go of before anything else of the test is closed. */
function openSession(url: string): { sql: postgres.Sql; end: () => Promise<void> } {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  return { sql, end: closeOnce(() => sql.end({ timeout: 1 })) };
}

/** The process that applies what the source sends. */
const WORKER = `select pid from pg_stat_subscription
  where relid is null and subid in (select s.oid from pg_subscription s join pg_database d on d.oid = s.subdbid
    where d.datname = current_database())`;

const DISABLED = `select from pg_subscription s join pg_database d on d.oid = s.subdbid
  where d.datname = current_database() and not s.subenabled`;

test('a board is live with all tickets at once, also where the fill was broken off', async () => {
  const board = await openWatchedSystem(HI_EVENTS);
  const { ours, screen, server } = board;
  const holder = openSession(ours.adminUrl);
  // What the fill waits for before it reads.
  await holder.sql`
    select pg_advisory_lock(hashtext('gates -- connect'), hashtext(${quoteIdentifier(await newName(holder.sql))}))`;
  const broken = board.connect().catch((error: unknown) => error);
  await until(
    () =>
      expect(reasonsOf(server)).toMatch(
        /"triagem_\w+": its tickets are not filled yet: .*connect hi\.events"/,
      ),
    60_000,
  );
  await until(async () => {
    const ended = await ours.admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'triagem gates' and wait_event_type = 'Lock'`;
    expect(ended).toHaveLength(1);
  });
  expect(await broken).toBeInstanceOf(Error);
  await holder.end();
  await expect(board.run(compare, [])).rejects.toThrow(/is not complete: run "connect hi\.events" again/);
  expect(screen.live).toBe(false);
  await board.connect();
  await board.untilShown();
  const shown = screen.displayed
    .filter(({ live, total }) => live && total !== undefined)
    .map(({ total }) => total);
  const { total } = await recount(ours.admin);
  expect(total).toBeGreaterThan(0);
  expect(new Set(shown)).toEqual(new Set([total]));
});

test('nothing of a connection that is being removed is live', async () => {
  const board = await openWatchedSystem(HI_EVENTS);
  // It does not know the source, with which the copies could be compared: only without them it has all that there is.
  const other = await startTestServer(board.ours, {}, { limits: FAULT_LIMITS });
  const screens = [board.screen, openScreen(other.url)];
  const untilAll = (...states: string[]): Promise<void> =>
    until(() => expect(screens.map(({ displayed }) => describeState(displayed.at(-1)))).toEqual(states));
  await board.connect();
  await board.untilShown();
  const { total } = board.screen;
  await untilAll(`live ${total}`, `stale ${total}`);
  expect(reasonsOf(other)).toMatch(/SOURCE_DATABASE_URL is not set: without it the copied tables/);
  const removed = board.run(connectSystem, ['--remove', '--yes']);
  await until(async () => expect(await board.ours.admin.unsafe(DISABLED)).toHaveLength(1));
  const shown = screens.map(({ displayed }) => displayed.length - 1);
  await removed;
  await untilAll('stale 0', 'live 0');
  await until(() =>
    expect(reasonsOf(board.server)).toMatch(/no subscription of this database brings tickets/),
  );
  const [seen = [], withoutSource = []] = screens.map(({ displayed }, index) =>
    displayed
      .slice(shown[index])
      .map(describeState)
      .filter((state, at, states) => state !== states[at - 1]),
  );
  // It is live until it notices that the subscription is disabled, and then no more.
  expect(seen.filter((state, at) => at > 0 || state !== `live ${total}`)).toEqual([
    `stale ${total}`,
    'stale 0',
  ]);
  // Whether the board shows the empty table before it finds the subscription gone depends on which it reads first.
  expect(withoutSource.filter((state) => state !== 'stale 0')).toEqual([`stale ${total}`, 'live 0']);
});

function describeState(state: DisplayedState | undefined): string {
  return `${state?.live === true ? 'live' : 'stale'} ${state?.total}`;
}

describe('what keeps the tickets from following makes the board stale, and is mended by itself', () => {
  interface Fault {
    readonly what: string;
    readonly inflict: (board: WatchedSystem) => Promise<() => unknown>;
    readonly staleWithinMs?: number;
  }
  const holdTickets = async ({ ours }: WatchedSystem, ids: string): Promise<() => Promise<unknown>> => {
    const holder = openSession(ours.gatesUrl);
    await holder.sql.unsafe(`begin; select from public.tickets where ${ids} for update`);
    return holder.end;
  };
  const FAULTS: readonly Fault[] = [
    {
      what: 'an error of the trigger',
      staleWithinMs: duration(2_000, 1_000),
      inflict: async ({ ours }) => {
        await ours.admin.unsafe(`
          create function public.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
          create trigger refuse before insert or update on public.tickets for each row execute function public.refuse();
          alter table public.tickets enable always trigger refuse`);
        return () => ours.admin.unsafe('drop function public.refuse() cascade');
      },
    },
    { what: 'a lock that it waits for', inflict: (board) => holdTickets(board, 'true') },
    {
      what: 'a deadlock',
      inflict: async (board) => {
        const { ours } = board;
        const holder = openSession(ours.gatesUrl);
        await holder.sql.unsafe('begin; select from public.tickets for update');
        const [{ name }] = await ours.admin<[{ name: string }]>`
          select subname as name from pg_subscription s join pg_database d on d.oid = s.subdbid
          where d.datname = current_database()`;
        const waiting = until(async () => {
          const locks = await ours.admin`
            select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`;
          expect(locks.length).toBeGreaterThan(0);
        }).then(() =>
          holder.sql`select pg_advisory_xact_lock(hashtext('gates -- connect'), hashtext(${`"${name}"`}))`.catch(
            () => {},
          ),
        );
        return async () => {
          await waiting;
          await until(async () => {
            const [{ deadlocks }] = await ours.admin<[{ deadlocks: number }]>`
              select deadlocks::int from pg_stat_database where datname = current_database()`;
            expect(deadlocks).toBeGreaterThan(0);
          });
          await holder.end();
        };
      },
    },
  ];
  const MORE_FAULTS: readonly Fault[] = [
    {
      what: 'a lock that it waits for longer than lock_timeout',
      inflict: async (board) => {
        const { admin, name } = board.ours;
        await admin.unsafe(`alter database ${name} set lock_timeout = '50ms'`);
        const restartWorker = (): Promise<unknown> =>
          admin.unsafe(`select pg_terminate_backend(pid) from (${WORKER}) w`);
        await restartWorker();
        const release = await holdTickets(board, 'true');
        return async () => {
          await admin.unsafe(`alter database ${name} reset lock_timeout`);
          await release();
          await restartWorker();
        };
      },
    },
    {
      what: 'a worker that is cancelled while it waits',
      inflict: async (board) => {
        const release = await holdTickets(board, 'true');
        const cancelling = setInterval(
          () =>
            void board.ours.admin.unsafe(`select pg_cancel_backend(pid) from (${WORKER}) w`).catch(() => {}),
          50,
        );
        return async () => {
          clearInterval(cancelling);
          await release();
        };
      },
    },
  ];

  const board = openForAll(async () => {
    const opened = await openWatchedSystem(PRETIX);
    await opened.connect();
    return opened;
  });

  test.each(IS_FULL ? [...FAULTS, ...MORE_FAULTS] : FAULTS)(
    '$what',
    async ({ inflict, staleWithinMs = STALE_WITHIN_MS }) => {
      await board.untilShown();
      const remedy = await inflict(board);
      const stopwatch = startStopwatch({ observersIn: board.ours });
      await board.system.checkIn(board.vendor, 2);
      await board.vendor`update pretixbase_orderposition set canceled = not canceled`;
      await until(() => expect(board.screen.live).toBe(false));
      expect(await stopwatch.elapsedMs()).toBeLessThan(staleWithinMs);
      await remedy();
      await board.untilShown(MENDED_WITHIN_MS);
      expect(await board.run(compare, [])).toMatch(/all the same here/);
    },
  );
});

test('a second row of a ticket stops the subscription, until it is gone and the view is connected again', async () => {
  const board = await openConnectedBoard(OWN_VIEW);
  const { vendor } = board;
  const { admin } = board.ours;
  const path = join(makeTestFolder(), 'view.sql');
  writeFileSync(
    path,
    `select i.codigo as key, i.codigo as grp, true as is_valid_ticket, l.anulada = false as entrou, null as setor
     from public.ingressos i left join public.leituras l on l.codigo = i.codigo`,
  );
  const tables = 'ingressos(codigo,status,portao) leituras(codigo,anulada)';
  const connect = (): Promise<string> =>
    board.run(connectSystem, ['--view', path, '--tables', tables, '--yes']);
  const hasEntered = () => admin`select entrou from tickets where id = 'I1'`;
  await connect();
  await vendor`insert into leituras (id, codigo, anulada) values (1, 'I1', false)`;
  await until(async () => expect(await hasEntered()).toEqual([{ entrou: true }]));
  const second = `insert into leituras (id, codigo, anulada) values (2, 'I1', true)`;
  const [{ name }] = await admin<[{ name: string }]>`
    select subname as name from pg_subscription s join pg_database d on d.oid = s.subdbid
    where d.datname = current_database()`;
  const asReplication = 'set local session_replication_role = replica';
  for (const filled of [
    `${asReplication}; ${second}`,
    `${asReplication}; alter table leituras disable trigger user; ${second}; select ${name}.fill()`,
  ])
    await expect(admin.unsafe(filled)).rejects.toThrow(/two rows have the same key/);

  await vendor.unsafe(second);
  await until(async () =>
    expect(
      await admin`select from pg_stat_subscription_stats where subname = ${name} and apply_error_count > 0`,
    ).toHaveLength(1),
  );
  expect(await hasEntered()).toEqual([{ entrou: true }]);
  await vendor`delete from leituras where id = 1`;
  expect(await connect()).toMatch(/in place of a subscription whose worker fails: .*: done/);
  expect(await hasEntered()).toEqual([{ entrou: false }]);
});

test('the tickets of a commit are brought in step at once, however many rows it has', async () => {
  const board = await openConnectedBoard(OWN_VIEW);
  const { vendor } = board;
  const { admin } = board.ours;
  await board.connect();
  const [{ waiting }] = await admin<[{ waiting: string }]>`
    select tgrelid::regclass::text as waiting from pg_trigger where tgname = 'triagem_connect_placing'`;
  await admin.unsafe(`
    create table public.placings ();
    create function public.note_placing() returns trigger language plpgsql as
      $$ begin insert into public.placings default values; return null; end $$;
    create trigger note_placing after delete on ${waiting} for each statement execute function public.note_placing();
    alter table ${waiting} enable always trigger note_placing`);
  await vendor.begin(async (sql) => {
    await sql`insert into ingressos select 'J' || n, 'vendido', '4' from generate_series(1, 500) n`;
    await sql`insert into leituras (codigo) select 'J' || n from generate_series(1, 500) n`;
    await sql`update ingressos set portao = '5' where codigo < 'J2'`;
  });
  await board.untilExact();
  expect(await admin`select from public.placings`).toHaveLength(1);
  await board.system.checkIn(vendor, 3);
  await board.untilExact();
  expect(await admin`select from public.placings`).toHaveLength(2);
});

test('tickets of a view that do not follow from the group of a row, or from a renamed label, are not live', async () => {
  const path = join(makeTestFolder(), 'view.sql');
  writeFileSync(
    path,
    `select i.codigo as key, i.codigo as grp, i.situacao = 'vendido' as is_valid_ticket, i.portao as setor,
      exists (select from public.leituras l where upper(l.codigo) = i.codigo) as entrou from public.ingressos i`,
  );
  const tables = 'ingressos(codigo,portao,situacao) leituras(codigo)';
  const board = await openWatchedSystem({ ...OWN_VIEW, options: ['--view', path, '--tables', tables] });
  const { admin } = board.theirs;
  await admin`create type situacao as enum ('vendido', 'cancelado')`;
  await board.vendor`alter table ingressos add column situacao situacao default 'vendido'`;
  await board.connect();
  await board.untilShown();
  await admin`alter type situacao rename value 'vendido' to 'pago'`;
  await until(() =>
    expect(reasonsOf(board.server)).toMatch(/what is here of public\.ingressos is not what the source has/),
  );
  await until(() => expect(board.screen.live).toBe(false));
  await admin`alter type situacao rename value 'pago' to 'vendido'`;
  await board.untilShown();
  await board.vendor`insert into leituras (codigo) values ('i1')`;
  await until(() =>
    expect(reasonsOf(board.server)).toMatch(
      /1 tickets are not as its tables have them, .* is not grp of the view in all of its rows/,
    ),
  );
  await until(() => expect(board.screen.live).toBe(false));
});

test('what was left out for a while is not live until it is filled or copied again', async () => {
  const board = await openWatchedSystem(HI_EVENTS);
  const { ours, theirs, server, vendor } = board;
  const { admin } = ours;
  let seen = 0;
  const untilReason = async (reason: RegExp): Promise<void> => {
    await until(() => expect(reasonsOf({ logged: server.logged.slice(seen) })).toMatch(reason));
    seen = server.logged.length;
  };
  const untilCopied = (id: number): Promise<void> =>
    until(async () =>
      expect(await admin`select from attendees where id = ${id} and event_id = 2`).toHaveLength(1),
    );
  await board.connect();
  await board.untilShown();

  await admin`alter table attendees disable trigger triagem_connect`;
  await untilReason(/the table public\.attendees has lost its trigger: .*connect hi\.events" makes it anew/);
  await vendor`update attendees set event_id = 2 where id = 1`;
  await untilCopied(1);
  const shown = board.screen.displayed.length;
  await admin`alter table attendees enable always trigger triagem_connect`;
  await untilReason(
    /"triagem_\w+": 1 tickets are not as its tables have them, .*compare --repair" copies its tables anew/,
  );
  expect(board.screen.displayed.slice(shown).filter(({ live }) => live)).toEqual([]);
  expect(await board.connect()).toMatch(/triggers, and all tickets, .*: done/);
  await board.untilShown();

  const [{ waiting }] = await admin<[{ waiting: string }]>`
    select tgrelid::regclass::text as waiting from pg_trigger where tgname = 'triagem_connect_placing'`;
  await admin.unsafe(`alter table ${waiting} disable trigger triagem_connect_placing`);
  await untilReason(/has lost its trigger/);
  expect(await board.connect()).toMatch(/triggers, and all tickets, .*: done/);
  await board.untilShown();

  // An earlier version made none.
  await admin.unsafe(`drop table ${waiting} cascade`);
  expect(await board.connect()).toMatch(/triggers, and all tickets, .*: done/);
  await board.system.checkIn(vendor, 3);
  await board.untilShown();

  await admin`drop trigger triagem_connect on attendees`;
  await untilReason(/has lost its trigger/);
  expect(await board.connect()).toMatch(/triggers, and all tickets, .*: done/);
  await board.untilShown();

  // What is published again brings nothing of what was left out.
  const [{ name }] = await theirs.admin<[{ name: string }]>`select pubname as name from pg_publication`;
  const publish = (what: string): Promise<unknown> =>
    theirs.admin.unsafe(`alter publication ${name} set (publish = '${what}')`);
  const leaveOut = async (): Promise<void> => {
    await publish('insert');
    await untilReason(/public\.attendees.* not published any more, or not with every change/);
    await vendor`update attendees set event_id = 3 - event_id where id = 2`;
  };
  await leaveOut();
  await publish('insert, update, delete, truncate');
  await untilReason(/what is here of public\.attendees is not what the source has/);
  await board.run(compare, ['--repair']);
  await board.untilShown();
  await leaveOut();
  expect(await board.connect()).toMatch(/a publication of these columns: done\n.*: done/);
  await board.untilShown();

  // Altered, and as before at the next look.
  await publish('insert');
  await vendor`update attendees set event_id = 3 - event_id where id = 3`;
  await publish('insert, update, delete, truncate');
  await untilReason(/what is here of public\.attendees is not what the source has/);
  await board.run(compare, ['--repair']);
  await board.untilShown();

  // What the source got by replication of its own.
  const [{ following }] = await admin<[{ following: string }]>`
    select subname as following from pg_subscription s join pg_database d on d.oid = s.subdbid
    where d.datname = current_database()`;
  await admin.unsafe(`alter subscription ${following} set (origin = none)`);
  await untilReason(/leaves out what its source got by replication .*SET \(origin = any\)/);
  const replicating = openSession(theirs.adminUrl);
  await replicating.sql.unsafe(`select pg_replication_origin_create('upstream');
    select pg_replication_origin_session_setup('upstream');
    update attendees set event_id = 3 - event_id where id = 4`);
  await replicating.end();
  await theirs.admin`select pg_replication_origin_drop('upstream')`;
  // Once a later change has come, it never comes.
  await vendor`update attendees set event_id = 2 where id = 5`;
  await untilCopied(5);
  await admin.unsafe(`alter subscription ${following} set (origin = any)`);
  await untilReason(/what is here of public\.attendees is not what the source has/);
  await board.run(compare, ['--repair']);
  await board.untilShown();

  await vendor`
    insert into attendee_check_ins (short_id, check_in_list_id, product_id, attendee_id, event_id)
    select 'cin', 1, product_id, id, event_id from attendees`;
  await board.untilShown();
  const reader = new URL(board.env['SOURCE_DATABASE_URL'] ?? '').username;
  const [{ columns }] = await theirs.admin<[{ columns: string }]>`
    select array_to_string(attnames, ',') as columns from pg_publication_tables where tablename = 'attendee_check_ins'`;
  await theirs.admin.begin((sql) =>
    sql.unsafe(`create table anew (like attendee_check_ins including indexes);
      insert into anew select * from attendee_check_ins offset 1;
      drop table attendee_check_ins;
      alter table anew rename to attendee_check_ins;
      alter publication ${name} add table attendee_check_ins (${columns});
      grant select (${columns}) on attendee_check_ins to ${reader}`),
  );
  await untilReason(
    /what is here of public\.attendee_check_ins is not what the source has, .* made anew there/,
  );
  await board.run(compare, ['--repair']);
  await board.untilShown();
  await theirs.admin`create table more () inherits (attendee_check_ins)`;
  await untilReason(/public\.attendee_check_ins is not published any more, .* inherited by another/);
  await theirs.admin`drop table more`;
  await board.untilShown();
});

test('a board whose role lost its rights with another connection is not live, and connect again gives them back', async () => {
  const board = await openWatchedSystem(HI_EVENTS);
  const { ours, server, screen, system } = board;
  await board.connect();
  await board.untilShown();
  const other = await createTestDatabase();
  const env = { ...board.env, GATES_DATABASE_URL: other.gatesUrl, MIGRATE_DATABASE_URL: other.adminUrl };
  const connectOther = (...args: string[]): Promise<string> =>
    board.run({ ...connectSystem, run: (given) => connectSystem.run(given, env) }, [...args, '--yes']);
  await connectOther(...system.options);
  const removed = await withDatabases(env, await findTarget(env), async (databases) => {
    const connection = await findConnection(databases.here.sql);
    return connection && nameRemoved(databases, connection);
  });
  expect(removed).toMatch(
    /^its tickets, and every right of the role "leitor_\w+" to columns of the source's/,
  );
  await connectOther('--remove');
  await ours.admin.unsafe(`select pg_terminate_backend(pid) from (${WORKER}) w`);
  await until(() =>
    expect(reasonsOf(server)).toMatch(
      /cannot be compared with their source: permission denied for table \w+: "npm run -s gates -- connect hi\.events", run again with its options, grants the right again/,
    ),
  );
  expect(screen.live).toBe(false);
  await expect(board.run(compare, [])).rejects.toThrow(
    /^The role of SOURCE_DATABASE_URL may not read .*: run "connect hi\.events" again with its options, which grants/,
  );
  expect(await board.connect()).toMatch(/the reader may read the columns: done/);
  await board.untilShown();
  expect(await board.run(compare, [])).toMatch(/all the same here/);
});

describe('an open check-in and a move of the same ticket', () => {
  test('of the source are both in the ticket, in either order', async () => {
    for (const system of IS_FULL ? [HI_EVENTS, PRETIX] : [HI_EVENTS]) {
      const board = await openConnectedBoard(system);
      await board.connect();
      for (const operations of [
        [system.checkIn, system.move],
        [system.move, system.checkIn],
      ] as const) {
        const [first, second] = operations;
        const { sql: session, end } = openSession(board.theirs.adminUrl);
        await session`begin`;
        await first(session, 3);
        await second(board.vendor, 3);
        await session`commit`;
        await end();
        await board.untilExact();
      }
      expect(await board.run(compare, [])).toMatch(/all the same here/);
    }
  });

  test('that two sessions apply side by side here are both in the ticket, and the copies are mended by compare', async () => {
    const board = await openConnectedBoard(HI_EVENTS);
    const { ours } = board;
    await board.connect();
    const one = openSession(ours.adminUrl);
    const two = openSession(ours.adminUrl);
    for (const { sql } of [one, two]) await sql`set session_replication_role = replica`;
    await one.sql.unsafe(`begin;
      insert into attendee_check_ins (id, attendee_id, check_in_list_id) values (9001, 2, 1); set constraints all immediate`);
    const moving = two.sql.unsafe(`update attendees set product_id = 3 where id = 2`).execute();
    await until(async () => {
      const waiting = await ours.admin`
        select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
      expect(waiting).toHaveLength(1);
    });
    await one.sql.unsafe('commit');
    await moving;
    await Promise.all([one.end(), two.end()]);
    const [ticket] =
      await ours.admin`select entrou, setor from tickets where id = '2' and event_id = ${DEFAULT_EVENT_ID}`;
    expect(ticket).toEqual({ entrou: true, setor: '3' });
    expect(await board.run(compare, [], 1).catch(String)).toMatch(
      /2: at the source valid, not entered, sector \d; here valid, entered, sector 3/,
    );
    expect(await board.run(compare, ['--repair'])).toMatch(
      /1 differ here.*Copied anew\..*all the same here/s,
    );
    await board.untilExact();
  });
});
