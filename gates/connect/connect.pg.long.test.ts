import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { FILLING_MARK } from '../../domain/connection-marks.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { readVenue } from '../../domain/venue-file.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { connectTestDatabase, newEventId } from '../../testing/database/database.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { openConnectedBoard, type ConnectedBoard } from '../../testing/gates/connected-board.ts';
import { OWN_VIEW } from '../../testing/gates/own-view-system.ts';
import { ALF_IO, HI_EVENTS, PRETIX, TICKETING_SYSTEMS } from '../../testing/gates/ticketing-systems.ts';
import { until } from '../../testing/until.ts';
import { findTarget } from '../cli/target.ts';
import { compare } from './compare.ts';
import { connectSystem } from './connect.ts';
import { findConnection, newName, systemOf } from './connection.ts';
import { withDatabases } from './databases.ts';
import { findTables } from './find-tables.ts';
import { planSteps, runSteps } from './steps.ts';

/** Everything that a connection could leave: names, rights, comments, and the tickets. */
async function traces({ theirs, ours }: ConnectedBoard): Promise<string> {
  const read = (sql: postgres.Sql): Promise<unknown> => sql`
    select (select json_agg(oid::regclass::text || coalesce(relacl::text, '') order by oid) from pg_class
        where relnamespace >= 16384 or relnamespace = 'public'::regnamespace) as classes,
      (select json_agg(attrelid::regclass || attname || attacl::text order by attrelid, attnum) from pg_attribute
        where attacl is not null and attacl <> '{}') as columns,
      (select json_agg(nspname || coalesce(nspacl::text, '') order by nspname) from pg_namespace where nspname !~ '^pg_(toast_)?temp') as namespaces,
      (select json_agg(proname order by 1) from pg_proc where pronamespace >= 16384) as functions,
      (select json_agg(tgname order by 1) from pg_trigger where not tgisinternal) as triggers,
      (select json_agg(pubname order by 1) from pg_publication) as publications,
      (select json_agg(slot_name order by 1) from pg_replication_slots
        where database = current_database() and not temporary) as slots,
      (select json_agg(subname order by 1) from pg_subscription
        where subdbid = (select oid from pg_database where datname = current_database())) as subscriptions`;
  const tickets = await ours.admin`select * from tickets order by id`;
  return JSON.stringify([await read(theirs.admin), await read(ours.admin), tickets]);
}

async function operateOnAll({ system, vendor }: ConnectedBoard, tickets = 12): Promise<void> {
  for (let ticket = 1; ticket <= tickets; ticket += 1) {
    for (const operation of system.operations) await operation(vendor, ticket);
  }
}

/** Outside a full run the one with the most tables, and the view of an unknown system. */
describe.each(IS_FULL ? TICKETING_SYSTEMS : [PRETIX, OWN_VIEW])('$name', (system) => {
  test('is connected, followed, and removed without a trace on either side', async () => {
    const board = await openConnectedBoard(system);
    const before = await traces(board);
    const printed = await board.run(connectSystem, [...system.options, '--print']);
    // No name, no address and no barcode leaves them, and no password is printed; that of the role is its name.
    expect(printed).not.toMatch(/name_|full_name|first_name|email|secret|uuid|public_id/);
    expect(printed).toMatch(/ to "leitor_\w+";\n[\s\S]* connection 'postgres:\/\/leitor_\w+:PASSWORD@/);
    // Else each commit plans its queries anew: five times the processor time in pretix.
    for (const text of printed.split('create or replace function').filter((part) => part.includes('plpgsql')))
      expect(text).toMatch(/^[^$]* set plan_cache_mode = force_generic_plan as \$\$/);
    expect(await traces(board)).toBe(before);
    expect(await board.connect()).toMatch(
      system === OWN_VIEW
        ? /tickets name a sector that the board does not know/
        : /built-in venue's names: 1 as LESTE INFERIOR LATERAL, .*\nRun this again with --venue FILE/,
    );
    await board.untilExact();
    await operateOnAll(board);
    await board.untilExact();
    // Also where nothing is left of what it follows.
    if (system === PRETIX) {
      await board.vendor`update pretixbase_order set event_id = 2`;
      await board.untilExact();
    }
    expect(await board.connect()).not.toContain(': done');
    await board.run(connectSystem, ['--remove', '--yes']);
    expect(await traces(board)).toBe(before);
  });
});

test('two servers are connected as two databases of one are, and the slot of a lost board is named', async () => {
  const theirs = await startTestCluster();
  const board = await openConnectedBoard(HI_EVENTS, { theirs: theirs.database });
  const { admin } = board.theirs;
  await admin`select pg_create_logical_replication_slot('triagem_0123456789ab', 'pgoutput')`;
  const statements = /the slot triagem_0123456789ab of .*there: (.*)/.exec(await board.connect())?.[1] ?? '';
  await admin.unsafe(statements);
  expect(await admin`select from pg_replication_slots where slot_name = 'triagem_0123456789ab'`).toEqual([]);
  await operateOnAll(board);
  await board.untilExact();
  for (const table of ['attendee_check_ins', 'attendees cascade']) {
    // A commit that changes what it then truncates.
    await board.vendor.begin((sql) =>
      sql.unsafe(
        `delete from attendee_check_ins where id % 2 = 0; update attendees set id = id; truncate ${table}`,
      ),
    );
    await board.untilExact();
  }
  expect(await board.run(connectSystem, ['--remove', '--yes'])).toContain('removed, on both sides');
});

test('a connection that reads another server than the one that is named is made anew', async () => {
  const former = await openConnectedBoard(HI_EVENTS, { theirs: (await startTestCluster()).database });
  const { ours } = former;
  await former.connect();
  const theirs = (await startTestCluster()).database;
  const board = await openConnectedBoard(HI_EVENTS, { theirs, ours });
  const [{ name }] = await ours.admin<[{ name: string }]>`
    select subname as name from pg_subscription s join pg_database d on d.oid = s.subdbid
    where d.datname = current_database()`;
  // A copy of a server has its slots, too.
  await theirs.admin`select pg_create_logical_replication_slot(${name}, 'pgoutput')`;
  await operateOnAll(board);
  expect(await board.connect()).toMatch(/in place of a subscription that reads another server: .*: done/);
  await board.untilExact();
  expect(await board.connect()).not.toContain(': done');
  await until(() => former.theirs.admin`select pg_drop_replication_slot(${name})`);
});

/** Does the first `count` steps of a connection, as a process that is killed then. */
async function beginConnecting({ env, system }: ConnectedBoard, count: number): Promise<number> {
  const target = await findTarget(env);
  return withDatabases(env, target, async (databases) => {
    const settings = {
      system: system.name,
      view: undefined,
      event: '1',
      list: '1',
      sectors: {},
      eventId: DEFAULT_EVENT_ID,
    };
    const there = await findConnection(databases.here.sql);
    const connection = there ?? { name: await newName(databases.here.sql), settings };
    const tables = await findTables(databases.owner.sql, systemOf(settings));
    const steps = await planSteps(databases, connection, tables, new AbortController().signal);
    await runSteps(steps.slice(0, count), new AbortController().signal, () => {});
    return steps.length;
  });
}

test('a connection that was broken off after any of its steps is completed, or removed', async () => {
  const board = await openConnectedBoard(HI_EVENTS);
  const before = await traces(board);
  await board.vendor`insert into check_in_lists (short_id, name, event_id) values ('c', 'Outra', 2)`;
  await expect(
    board.run(connectSystem, ['hi.events', '--event', '1', '--list', '3', '--yes']),
  ).rejects.toThrow(/^--list: the event has no list 3; it has 1, 2\.$/);
  const left: string[] = [];
  const steps = await beginConnecting(board, 0);
  for (let count = 1; count < steps; count += IS_FULL ? 1 : 4) {
    await beginConnecting(board, count);
    // What is on their side alone is not found here: the next run has the same names.
    if (count > 2) {
      await board.run(connectSystem, ['--remove', '--yes']);
      left.push(await traces(board));
      await beginConnecting(board, count);
    }
    await board.connect();
    await board.untilExact();
    await board.run(connectSystem, ['--remove', '--yes']);
    left.push(await traces(board));
  }
  expect(new Set(left)).toEqual(new Set([before]));
  const event = newEventId();
  await board.connect('--into', event);
  expect(await board.run(connectSystem, ['--remove', '--yes'])).toContain(`Event ${event}: `);
});

test('a connection whose tables are being copied is made anew, and removed, and waits for no transaction that the copy waits for', async () => {
  // The transaction holds up every slot of its server.
  const theirs = (await startTestCluster()).database;
  await theirs.admin.unsafe(`create database board template ${theirs.name}`);
  const inBoard = (url: string): string => Object.assign(new URL(url), { pathname: '/board' }).href;
  const ours = connectTestDatabase('board', {
    adminUrl: inBoard(theirs.adminUrl),
    ownerUrl: inBoard(theirs.ownerUrl),
    observerUrl: inBoard(theirs.observerUrl),
    gatesUrl: inBoard(theirs.gatesUrl),
    recordUrl: inBoard(theirs.recordUrl),
  });
  const board = await openConnectedBoard(HI_EVENTS, { theirs, ours });
  const before = await traces(board);
  const subscription = async () => {
    const [found] = await ours.admin<
      { oid: number; name: string }[]
    >`select oid, subname as name from pg_subscription`;
    return found;
  };
  /** The tables are being copied, and a copy waits, while it runs. */
  const whileCopying = async (act: () => Promise<void>): Promise<void> => {
    // A slot is there, and a subscription that waits.
    await beginConnecting(board, 4);
    await theirs.gates.begin(async (sql) => {
      await sql`select pg_current_xact_id()`;
      await ours.admin.unsafe(`alter subscription ${(await subscription())?.name} enable`);
      await until(async () => {
        const slots = await board.vendor`select from pg_replication_slots where slot_name like 'pg%sync%'`;
        expect(slots.length).toBeGreaterThan(0);
      });
      await act();
    });
  };
  const removed = vi.fn<() => void>();
  await whileCopying(async () => {
    void board.run(connectSystem, ['--remove', '--yes']).then(removed);
    await until(() => expect(removed).toHaveBeenCalled());
  });
  expect(await traces(board)).toBe(before);
  let connected: Promise<string> | undefined;
  await whileCopying(async () => {
    const former = await subscription();
    await theirs.admin.unsafe(`drop publication ${former?.name}`);
    connected = board.connect();
    await until(async () => expect([undefined, former?.oid]).not.toContain((await subscription())?.oid));
  });
  await connected;
  await board.untilExact();
});

test('a view is evaluated here as it is at the source', async () => {
  const board = await openConnectedBoard(OWN_VIEW);
  const { theirs, vendor } = board;
  await theirs.admin.unsafe(
    `create type situacao as enum ('cancelado', 'vendido');
    create collation sem_caixa (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
  );
  await vendor`
    alter table ingressos add column em timestamptz default '2026-11-28 00:30Z', add column dia text default '05/12/2026',
      add column situacao situacao default 'vendido', add column portas char(3)[] default '{N1}',
      add column porta char(5) default 'N1', add column bits bit(8) default b'10100000',
      add column nome text collate sem_caixa default 'ana', add column peso float8 default 0.1::float8 + 0.2::float8,
      add column lido bytea default 'lido', add column nada text`;
  for (const setting of [
    `datestyle = 'SQL, DMY'`,
    'extra_float_digits = 0',
    `bytea_output = 'escape'`,
    'transform_null_equals = on',
  ])
    await theirs.admin.unsafe(
      `alter database "${new URL(theirs.adminUrl).pathname.slice(1)}" set ${setting}`,
    );
  const path = join(makeTestFolder(), 'view.sql');
  const options = [
    '--view',
    path,
    '--tables',
    'ingressos(codigo,em,dia,situacao,porta,portas,bits,nome,peso,lido,nada)',
  ];
  // A function of theirs that is here, too, stands for whatever the two databases evaluate otherwise, as by a collation.
  for (const [database, text] of [
    [theirs, 'A'],
    [board.ours, 'B'],
  ] as const)
    await database.admin.unsafe(
      `create function lugar() returns text immutable language sql return '${text}'`,
    );
  writeFileSync(
    path,
    'select codigo as key, codigo as grp, true as is_valid_ticket, false as entrou, public.lugar() as setor from public.ingressos',
  );
  await expect(board.run(connectSystem, [...options, '--yes'])).rejects.toThrow(
    /^40 tickets are not here what they are at the source, .* sector A, and here .* sector B\. .* "connect --remove"/,
  );
  const marks = () => board.ours
    .admin`select obj_description(oid, 'pg_subscription') as mark from pg_subscription s
    where subdbid = (select oid from pg_database where datname = current_database())`;
  expect(await marks()).toEqual([{ mark: FILLING_MARK }]);
  await board.run(connectSystem, ['--remove', '--yes']);
  writeFileSync(
    path,
    `select codigo as key, codigo as grp, situacao = 'vendido' and dia::date = '05/12/2026' and porta = 'N1'
        and peso::text = '0.3' and lido::text = 'lido' and nada = null and 'N1' = any (portas) and bits = b'10100000' and nome collate "C" in ('ana', 'lia') as is_valid_ticket,
      em < timestamptz '2026-11-28 00:45Z' as entrou, (em at time zone 'America/Sao_Paulo')::date::text as setor from public.ingressos`,
  );
  await board.run(connectSystem, [...options, '--yes']);
  const tickets = () => board.ours.admin`
    select is_valid_ticket as valid, entrou, setor, count(*)::int as n from tickets group by 1, 2, 3 order by 4 desc`;
  expect(await tickets()).toEqual([{ valid: true, entrou: true, setor: '27/11/2026', n: 40 }]);
  await vendor`update ingressos set em = em + interval '1 day', dia = '12/05/2026' where codigo = 'I1'`;
  await vendor`update ingressos set porta = 'N1x', portas = '{N1x}', bits = b'10100001' where codigo = 'I2'`;
  await vendor`update ingressos set nome = 'Ana' where codigo = 'I3'`;
  const moved = { valid: false, entrou: false, setor: '28/11/2026', n: 1 };
  await until(async () => expect(await tickets()).toContainEqual(moved));
  await until(async () =>
    expect(await tickets()).toContainEqual({ valid: false, entrou: true, setor: '27/11/2026', n: 2 }),
  );
  expect(await board.run(compare, [])).toMatch(/all the same here/);
});

test('events, lists and categories are listed to choose from, and make a venue', async () => {
  const board = await openConnectedBoard(PRETIX);
  const list = (...args: string[]): Promise<string> => board.run(connectSystem, args);
  expect(await list('pretix')).toMatch(/--event +valid +name\n1 +\d+ +Final\n2 +\d+ +Outro/);
  expect(await list('pretix', '--event', '1')).toMatch(
    /--list +scanned +name\n1 +\d+ +Portões\n2 +\d+ +Lounge\n\n--category ID=SECTOR +valid +name\n1 +\d+ +Norte\n/,
  );
  // A script would take it for connected.
  const missing = (option: string): RegExp => new RegExp(`^Nothing is connected: --${option} is missing`);
  await expect(list('pretix', '--list', '1', '--yes')).rejects.toThrow(missing('event'));
  await expect(list('pretix', '--event', '1', '--yes')).rejects.toThrow(missing('list'));
  // Capacities are asked for by --venue only.
  await board.vendor`insert into pretixbase_quota values (3, 20)`;
  await board.vendor`insert into pretixbase_quota_items values (3, 3, 3)`;
  await board.vendor`alter table pretixbase_quota rename to pretixbase_quotas`;
  expect(await list('pretix', '--event', '1')).toContain('Norte');
  await board.vendor`alter table pretixbase_quotas rename to pretixbase_quota`;
  // All that admit, and no parking.
  await board.vendor`update pretixbase_order set event_id = 1`;
  const [, event] = /\n1 +(\d+) +Final/.exec(await list('pretix')) ?? [];
  const items = [...(await list('pretix', '--event', '1')).matchAll(/\n\d +(\d+) +(?:Norte|Sul|Camarote)/g)];
  expect(items).toHaveLength(3);
  expect(items.reduce((sum, [, tickets]) => sum + Number(tickets), 0)).toBe(Number(event));
  await expect(list('pretix', '--event', '99')).rejects.toThrow(
    /^--event: the source has no event 99; it has 1, 2\.$/,
  );
  // A list and an item of another event.
  await board.vendor`
    insert into pretixbase_checkinlist (event_id, name, all_products, include_pending) values (2, 'Outra', true, false)`;
  await board.vendor`insert into pretixbase_item (event_id, name, admission) values (2, 'Outro', true)`;
  await expect(list('pretix', '--event', '1', '--list', '3', '--yes')).rejects.toThrow(
    /^--list: the event has no list 3; it has 1, 2\.$/,
  );
  await expect(list(...PRETIX.options, '--category', '5=1', '--yes')).rejects.toThrow(
    /^--category: the event has no category 5; it has 1, 2, 3\.$/,
  );
  // Limited to parking.
  await board.vendor`update pretixbase_checkinlist set all_products = false where id = 2`;
  await board.vendor`update pretixbase_checkinlist_limit_products set checkinlist_id = 2 where item_id = 4`;
  await board.vendor`delete from pretixbase_checkinlist_limit_products where checkinlist_id = 2 and item_id < 4`;
  await expect(list('pretix', '--event', '1', '--list', '2')).rejects.toThrow(
    /no ticket of this event on this list \(items without admission are left out\)/,
  );
  // As npm calls it, from another folder than the project's.
  const folder = makeTestFolder();
  const path = join(folder, 'venue.json');
  Object.assign(board.env, { npm_lifecycle_event: 'gates', INIT_CWD: folder });
  const options = ['--category', '3=1', '--category', '2=', '--venue', 'venue.json'];
  await board.run(connectSystem, [...PRETIX.options, '--print', ...options]);
  expect(existsSync(path)).toBe(false);
  const said = await board.connect(...options);
  expect(said).toContain(
    `this SOURCE_DATABASE_URL, without which it is not live, and VENUE_FILE=${path} for`,
  );
  expect(said).not.toContain('built-in');
  const venue = readFileSync(path, 'utf8');
  expect(readVenue(venue).sectors).toEqual([
    { code: '1', name: 'Norte', stand: 'Norte', codes: ['1'], capacity: 520 },
  ]);
  // As after a run that was broken off.
  expect(await board.connect(...options)).toContain(`${path}: 1 sectors.`);
  await expect(board.connect('--category', '3=4', '--category', '1=5')).rejects.toThrow(
    /^This database is connected with pretix, event 1, list 1, with --category 2=, with --category 3=1, not --category 3=4, without --category 1=5: "connect --remove" first/,
  );
  await expect(list('pretix', '--list', '2', '--yes')).rejects.toThrow(
    /^This database is connected with pretix, event 1, list 1: "connect --remove" first/,
  );
  await board.run(connectSystem, ['--remove', '--yes']);
  writeFileSync(path, '{}');
  await expect(board.connect(...options)).rejects.toThrow(/is there already, and is not replaced/);
  writeFileSync(path, venue);
  await board.connect(...options);
  expect(readFileSync(path, 'utf8')).toBe(venue);
  const sectors = await board.ours.admin`select distinct setor from tickets order by 1`;
  expect(sectors.map(({ setor }) => String(setor))).toEqual(['1']);

  const other = await openConnectedBoard(ALF_IO);
  const otherPath = join(folder, 'other.json');
  await other.connect('--venue', otherPath);
  const { sectors: rows } = readVenue(readFileSync(otherPath, 'utf8'));
  expect(rows.map(({ code, capacity }) => [code, capacity])).toEqual([
    ['1', 500],
    ['2', 300],
    ['99', 20],
  ]);
});

describe('is refused in words', () => {
  const refusal = async (
    board: ConnectedBoard,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const error: unknown = await connectSystem
      .run([...args, '--yes'], { ...board.env, ...env })
      .catch((reason: unknown) => reason);
    return error instanceof Error ? error.message : 'not refused';
  };

  test('what is no system, no event, or no database of theirs', async () => {
    const board = await openConnectedBoard(ALF_IO);
    const { options } = ALF_IO;
    const before = await traces(board);
    expect(await refusal(board, ['eventbrite'])).toMatch(
      /"eventbrite" is not known: it is one of alf.io, pretix/,
    );
    expect(await refusal(board, ['alf.io', '--event', '7'])).toBe(
      '--event: the source has no event 7; it has 1, 2.',
    );
    expect(await refusal(board, [...options, '--category', '4=1', '--category', '9=1'])).toBe(
      '--category: the event has no category 4, 9; it has 1, 2, 3.',
    );
    expect(await refusal(board, ['alf.io', '--event', '1; drop'])).toMatch(/give the number of the event/);
    expect(await refusal(board, ['pretix', '--event', '1', '--list', '1'])).toMatch(
      /has no table pretixbase_orderposition, .*is it the database of pretix/,
    );
    const own = { SOURCE_DATABASE_URL: board.ours.adminUrl, SOURCE_OWNER_URL: board.ours.adminUrl };
    expect(await refusal(board, options, own)).toMatch(/names a database of a board/);
    expect(await refusal(board, options, { MIGRATE_DATABASE_URL: board.ours.gatesUrl })).toMatch(
      /MIGRATE_DATABASE_URL may not make a subscription: let it name a superuser/,
    );
    expect(await refusal(board, options, { SOURCE_OWNER_URL: '' })).toMatch(
      /too few rights \(permission denied/,
    );
    await board.ours.admin`insert into tickets values (upper(${DEFAULT_EVENT_ID}), 'A', true, true, '4')`;
    expect(await refusal(board, options)).toMatch(
      /has 1 tickets that came another way, .*"event create", connect with --into .*"event delete --event \w+", connect with --into/,
    );
    await board.ours.admin`delete from tickets`;
    await board.ours.admin`create table ticket (id int)`;
    expect(await refusal(board, options)).toMatch(/has a table public.ticket of its own/);
    await board.ours.admin`drop table ticket`;
    await board.vendor`alter table ticket rename column status to state`;
    expect(await refusal(board, options)).toMatch(
      /ticket of the source has no column status; it has .*state, uuid/,
    );
    await board.vendor`alter table ticket rename column state to status`;
    await board.vendor`alter table ticket replica identity nothing`;
    expect(await refusal(board, options)).toMatch(/no primary key as its replica identity/);
    await board.vendor`alter table ticket replica identity default`;
    await board.vendor`create table "Ticket de 2025" () inherits (ticket)`;
    expect(await refusal(board, options)).toMatch(
      /public\.ticket of the source is inherited by "Ticket de 2025", and only what stands in one table/,
    );
    await board.vendor`drop table "Ticket de 2025"`;
    // It has row security of its own, which hides nothing from these roles.
    const hides =
      /Row security of the table public\.ticket .* role "leitor_\w+" of SOURCE_DATABASE_URL, .*ALTER ROLE "leitor_\w+" BYPASSRLS;/;
    await board.vendor`create policy few on ticket as restrictive using (id < 9)`;
    expect(await refusal(board, options)).toMatch(hides);
    await board.vendor`drop policy few on ticket`;
    await board.vendor`alter policy ticket_access_policy on ticket to postgres`;
    expect(await refusal(board, options)).toMatch(hides);
    await board.vendor`alter policy ticket_access_policy on ticket to public`;
    expect(await traces(board)).toBe(before);
  });

  test('a view with two rows of a key, or none, and options that do not fit', async () => {
    const board = await openConnectedBoard(OWN_VIEW);
    const { vendor } = board;
    const view = (text: string): readonly string[] => {
      const path = join(makeTestFolder(), 'view.sql');
      writeFileSync(path, text);
      return ['--view', path, '--tables', 'ingressos(codigo,status,portao) leituras(codigo,anulada)'];
    };
    await vendor`insert into leituras (codigo) values ('I1'), ('I1')`;
    const columns = 'true as is_valid_ticket, true as entrou, null as setor';
    const twice = view(`select i.codigo as key, i.codigo as grp, ${columns}
      from public.ingressos i join public.leituras l on l.codigo = i.codigo`);
    expect(await refusal(board, twice)).toMatch(/has 2 rows for the key "I1"/);
    const none = view(`select nullif(codigo, 'I1') as key, codigo as grp, ${columns} from public.ingressos`);
    expect(await refusal(board, none)).toMatch(/1 rows of the view have no key or no grp/);
    expect(await refusal(board, view('select 1'))).toMatch(
      /The source cannot answer this: column .*key.* does not exist/,
    );
    const before = await traces(board);
    const of = (key: string, more = '', valid = 'true'): readonly string[] =>
      view(`select ${key} as key, i.codigo as grp, ${valid} as is_valid_ticket, true as entrou, null as setor
        from public.ingressos i ${more}`);
    await vendor`alter table ingressos add column em timestamptz, add column peso float8, add column dados jsonb`;
    const refused = (valid: string): Promise<string> =>
      refusal(board, [...of('codigo', '', valid).slice(0, 3), 'ingressos(codigo,status,em,peso,dados)']);
    for (const [valid, named] of [
      ["now() - interval '20 seconds' > '2026-01-01'", 'now\\(\\), .*'],
      ["age('2026-01-01'::timestamp) > '1 day'", 'age\\(timestamp without time zone\\)'],
      ["current_date > '2026-01-01'", 'CURRENT_DATE, CURRENT_USER or the like'],
      ['exists (select random() < 2)', 'random\\(\\)'],
      ["current_setting('work_mem') = '4MB'", 'current_setting\\(text\\)'],
      ["to_regclass('tickets') is null", 'to_regclass\\(text\\)'],
      ["i.em::date = '2026-11-28'", 'date\\(timestamp with time zone\\)'],
      ["i.em > '2026-11-28'::date", 'timestamptz_gt_date\\(timestamp with time zone,date\\)'],
      ["to_char(i.em, 'DD') = '28'", 'to_char\\(timestamp with time zone,text\\)'],
      [
        "i.em + interval '1 day' > '2026-11-28 00:00Z'",
        'timestamptz_pl_interval\\(timestamp with time zone,interval\\)',
      ],
      ["i.em::text like '2026-11-28%'", 'a cast of a timestamptz, an array or a row to or from text'],
      [
        "(i.status || '2026-11-28')::timestamptz > i.em",
        'a cast of a timestamptz, an array or a row to or from text',
      ],
      ["array[i.em]::text like '%28%'", 'a cast of a timestamptz, an array or a row to or from text'],
      [
        'exists (select from jsonb_to_record(i.dados) as r (em timestamptz) where r.em > i.em)',
        'jsonb_to_record\\(jsonb\\)',
      ],
      [
        "jsonb_path_exists_tz(i.dados, '$.em.datetime()')",
        'jsonb_path_exists_tz\\(jsonb,jsonpath,jsonb,boolean\\)',
      ],
    ] as const)
      expect(await refused(valid)).toMatch(
        new RegExp(`^The view calls ${named}, whose answer may change while no row does`),
      );
    const last = (order: string): string =>
      `(select o.status from public.ingressos o where o.codigo = i.codigo ${order}) = 'vendido'`;
    for (const [valid, named] of [
      [last('order by o.em desc limit 1'), 'limit or offset'],
      [last('offset 1'), 'limit or offset'],
      [`exists (select distinct on (o.em) 1 from public.ingressos o order by o.em)`, 'distinct on'],
      [
        `exists (select from (select row_number() over (order by o.em) from public.ingressos o) r)`,
        'a window',
      ],
      ['exists (select from public.ingressos tablesample system (50))', 'tablesample'],
      [
        "(array(select o.status from public.ingressos o order by o.em))[1] = 'vendido'",
        'array\\(select ...\\)',
      ],
      ["(select (array_agg(o.status))[1] from public.ingressos o) = 'vendido'", 'array_agg\\(anynonarray\\)'],
      ['(select sum(o.peso) from public.ingressos o) = 1', 'sum\\(double precision\\)'],
      ["i.ctid = '(0,1)'", "a whole row, or a column of the system's"],
      ['i::text is not null', "a whole row, or a column of the system's"],
    ] as const)
      expect(await refused(valid)).toMatch(new RegExp(`^The view has ${named}, whose answer may be another`));
    await vendor.unsafe(`create type situacao as enum ('vendido', 'cancelado'); create type faixa as range (subtype = int);
      alter table ingressos add column situacao situacao, add column faixa faixa`);
    const typed = (valid: string): Promise<string> =>
      refusal(board, [...of('codigo', '', valid).slice(0, 3), 'ingressos(codigo,situacao,faixa)']);
    expect(await typed("i.situacao < 'cancelado'")).toMatch(
      /^The view calls enum_lt\(anyenum,anyenum\) for an enum, which is text here/,
    );
    expect(await typed("i.situacao::text = 'vendido' and i.faixa && int4range(1, 2)")).toMatch(
      /operator does not exist/,
    );
    expect(await typed('not isempty(i.faixa)')).toMatch(
      /^The view reads columns of the type faixa, which is text here/,
    );
    await vendor.unsafe(`create collation sem_caixa (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      alter table ingressos add column nome text collate sem_caixa`);
    for (const valid of ["i.nome = 'a'", "i.nome::text like 'a%'", "coalesce(i.nome, 'a') in ('b', 'c')"])
      expect(
        await refusal(board, [...of('codigo', '', valid).slice(0, 3), 'ingressos(codigo,status,nome)']),
      ).toMatch(/^The view reads texts with the collation sem_caixa, for which different texts may be equal/);
    await vendor`alter table ingressos add column upper text generated always as (upper(portao)) stored`;
    expect(
      await refusal(board, [...of('codigo', '', 'upper is null').slice(0, 3), 'ingressos(codigo,upper)']),
    ).toMatch(/^The table public\.ingressos of the source computes its column upper, /);
    await vendor`create table portoes (id int primary key, nome text)`;
    await vendor`insert into portoes values (1, 'Norte')`;
    const joined = of('i.codigo', 'left join public.portoes p on p.id::text = i.portao');
    expect(await refusal(board, joined)).toMatch(
      /^--tables lacks what the view reads \(relation "public\.portoes" does not exist\): name each table/,
    );
    expect(await refusal(board, of('i.comprador_email || codigo'))).toMatch(
      /^--tables lacks what the view reads \(column i\.comprador_email does not exist\)/,
    );
    expect(
      await refusal(board, [...joined.slice(0, 3), 'ingressos(codigo,portao) portoes(id,nome)']),
    ).toMatch(/^No value of the first column that --tables names of public\.portoes is a grp of the view/);
    // As one of ours is called.
    await vendor`create table events (id int)`;
    expect(
      await refusal(board, of('i.codigo', 'left join public.events e on e.id::text = i.portao')),
    ).toMatch(/^--tables lacks what the view reads \(it reads events\)/);
    await vendor`drop table portoes, events`;
    expect(await traces(board)).toBe(before);
    // What ordinary views need.
    const ordinary = of(
      "lower(codigo) || ':' || to_char(timestamp '2026-01-01 12:00', 'YYYY')",
      '',
      `(select count(*) + count(distinct o.status) > 0 and max(o.codigo) <> '' from public.ingressos o)
        and not exists (select from public.leituras m where m.codigo = i.codigo and m.id > 7) and concat(i.status, 1) = ''`,
    );
    expect(await board.run(connectSystem, [...ordinary, '--print'])).toContain('create view');
    expect(await refusal(board, [...none.slice(0, 3), 'ingressos'])).toMatch(
      /not of the form TABLE\(GROUP,COLUMN/,
    );
    expect(await refusal(board, none.slice(0, 2))).toMatch(/--view and --tables go together/);
    expect(await refusal(board, ['alf.io', ...none])).toMatch(/Name the system .*, or another's view/);
  });

  test('a server without logical replication', async () => {
    const theirs = await startTestCluster({ settings: { wal_level: 'replica' } });
    const board = await openConnectedBoard(HI_EVENTS, { theirs: theirs.database });
    expect(await refusal(board, HI_EVENTS.options)).toMatch(
      /wal_level is "replica".*ALTER SYSTEM SET wal_level/,
    );
  });
});
