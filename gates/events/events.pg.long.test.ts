import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { afterEach, describe, expect, test } from 'vitest';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { runProgram } from '../../testing/server/program.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { insertTickets } from '../../testing/database/database.ts';
import { readRecipe } from '../../testing/gates/recipes.ts';
import { until } from '../../testing/until.ts';
import { UsageError } from '../cli/errors.ts';
import { importTickets } from '../import/import.ts';
import { restore } from '../backup/restore.ts';
import { createEvent } from './create.ts';
import { deleteEvent } from './delete.ts';
import { EVENT_COMMANDS } from './event-commands.ts';
import { listEvents } from './list.ts';
import { setEvent } from './set.ts';
import { showEvent } from './show.ts';

const EVENT = 'e'.repeat(32);
const OTHER_EVENT = 'a'.repeat(32);
const TITLE = 'Ceará × Fortaleza';

const tool = useGatesTool();
const { run } = tool;

const create = (...args: string[]): Promise<number> =>
  run(createEvent, '--title', TITLE, '--id', EVENT, ...args);
const details = () =>
  tool.database.gates`
    select event_id, title, gates_open_at, kick_off_at, time_zone from event_details order by event_id`;
const events = async (): Promise<unknown[]> =>
  (await tool.database.gates`select id from events order by id`).map(({ id }) => id as unknown);

describe('event create', () => {
  test('prints a new id alone, and on stderr what comes next, as settings that work', async () => {
    await run(createEvent, '--title', "Ceará × D'Oeste");
    expect(tool.stdout).toMatch(/^[0-9a-f]{32}\n$/);
    const id = tool.stdout.trim();
    expect(tool.stderr).toContain(`The event ${id} ("Ceará × D'Oeste") is made: no times, 0 tickets.\n`);
    expect(tool.stderr).toContain(`import FILE.csv --event ${id}\n`);
    expect(tool.stderr).toContain(`EVENT_ID=${id}\nEVENT_TITLE="Ceará × D'Oeste"\n`);
    expect(await events()).toEqual([id]);
    expect(tool.stderr).toContain(
      'then start the board with these lines in place of those in its file of settings (where a line there begins with "export", keep it):\nEVENT_ID=',
    );
    await run(createEvent, '--title', '"Grêmio" × Inter');
    expect(tool.stderr).toContain(' (""Grêmio" × Inter") is made: ');
    expect(await events()).toHaveLength(2);
    // Boards are known by the names of their sessions.
    const board = await tool.database.gates.reserve();
    await board`set application_name = ${board.unsafe(`'triagem board ${EVENT}'`)}`;
    await run(createEvent, '--title', 'x');
    expect(tool.stderr).toContain(
      `start the board, which shows ${EVENT}, again with these lines in place of those`,
    );
    await create();
    expect(tool.stderr).toContain('the running board shows it already; its settings are:');
    await board`reset application_name`;
    board.release();
  });

  test('reads local times in the time zone that is named, else in TIME_ZONE, else in that of São Paulo', async () => {
    const times = ['--gates-open', '2026-11-22T16:00', '--kick-off', '2026-11-22T18:00'];
    await create(...times, '--time-zone', 'America/Manaus');
    expect(tool.stderr).toContain(
      'gates open 2026-11-22 16:00, kick-off 2026-11-22 18:00 (America/Manaus), 0 tickets.',
    );
    const args = ['--title', 'x', ...times];
    const { gatesUrl } = tool.database;
    await createEvent.run(args, { GATES_DATABASE_URL: gatesUrl, TIME_ZONE: 'Asia/Kathmandu' });
    await createEvent.run(args, { GATES_DATABASE_URL: gatesUrl });
    const rows = await tool.database.gates`
      select gates_open_at, kick_off_at, time_zone from event_details order by kick_off_at`;
    expect(rows).toEqual(
      [
        ['2026-11-22T10:15:00.000Z', '2026-11-22T12:15:00.000Z', null],
        ['2026-11-22T19:00:00.000Z', '2026-11-22T21:00:00.000Z', null],
        ['2026-11-22T20:00:00.000Z', '2026-11-22T22:00:00.000Z', 'America/Manaus'],
      ].map(([open, kickOff, zone]) => ({
        gates_open_at: new Date(open ?? ''),
        kick_off_at: new Date(kickOff ?? ''),
        time_zone: zone,
      })),
    );
  });

  test('leaves an existing event alone: the same is accepted, another title or time is refused', async () => {
    await create('--kick-off', '2026-11-22T18:00');
    expect(await create('--kick-off', '2026-11-22T18:00')).toBe(0);
    expect(tool.stdout).toBe(`${EVENT}\n${EVENT}\n`);
    expect(tool.stderr).toContain('is there already, the same');
    const before = await details();
    await expect(create()).rejects.toThrow(
      `The event ${EVENT} ("${TITLE}") is there already, with kick-off 2026-11-22 18:00 (America/Sao_Paulo): leave`,
    );
    await expect(run(createEvent, '--title', 'x', '--id', EVENT)).rejects.toThrow('event set --event');
    expect(await details()).toEqual(before);
  });

  test('warns of a kick-off that is over', async () => {
    await create('--kick-off', '2999-11-22T18:00');
    expect(tool.stderr).not.toContain('Beware');
    await run(createEvent, '--title', TITLE, '--kick-off', '2020-11-22T18:00');
    expect(tool.stderr).toMatch(/Beware: this kick-off is over\. "event set --event \w{32} --kick-off TIME"/);
  });

  test('gives a title to an event that has tickets already', async () => {
    await insertTickets(tool.database.gates, [{ id: 'a', setor: '4', eventId: EVENT }]);
    await create();
    expect(tool.stderr).toContain('is made: no times, 1 ticket.');
  });

  test.each([
    [[], '--title is missing.'],
    [['--title', ' '], '--title is empty'],
    [['--title', 'a\u202Eb'], 'a character that no screen can show'],
    [['--title', 'x'.repeat(401)], '--title is longer than 400 bytes.'],
    [['--title', 'x', '--id', 'e'], '--id is "e", which is not 32 hexadecimal characters.'],
    [['--title', 'x', '--time-zone', 'BRT-3'], '--time-zone is "BRT-3": give an IANA name'],
    [['--title', 'x', '--kick-off', '18:00'], '--kick-off is "18:00", which is no time'],
  ])('names what is wrong (%#)', async (args, message) => {
    await expect(run(createEvent, ...args)).rejects.toThrow(UsageError);
    await expect(run(createEvent, ...args)).rejects.toThrow(message);
    expect(await events()).toEqual([]);
  });

  test('takes no kick-off before the gates open, and makes nothing then', async () => {
    const times = ['--gates-open', '2026-11-22T18:00', '--kick-off', '2026-11-22T18:00'];
    await expect(create(...times)).rejects.toThrow('must open before the kick-off. Nothing was changed.');
    expect(await events()).toEqual([]);
  });
});

describe('event set', () => {
  test('changes what is named, and leaves the rest', async () => {
    await create('--kick-off', '2026-11-22T18:00', '--time-zone', 'America/Manaus');
    await run(setEvent, '--event', EVENT, '--kick-off', '2026-11-22T18:30');
    expect(tool.stdout).toContain(`${EVENT} ("${TITLE}"): kick-off 2026-11-22 18:30 (America/Manaus)\n`);
    expect(await details()).toMatchObject([{ title: TITLE, kick_off_at: new Date('2026-11-22T22:30:00Z') }]);
    const late = run(setEvent, '--event', EVENT, '--gates-open', '2026-11-22T19:00');
    await expect(late).rejects.toThrow('must open before the kick-off');
    await run(setEvent, '--event', EVENT, '--kick-off', 'none', '--gates-open', '2026-11-22T19:00');
    expect(await details()).toMatchObject([{ title: TITLE, kick_off_at: null, time_zone: 'America/Manaus' }]);
  });

  test('names a kick-off that a desk has set, where it is another one', async () => {
    await create('--time-zone', 'America/Manaus');
    const data = JSON.stringify({ kickOffAtMs: Date.UTC(2026, 10, 22, 22, 45) });
    await tool.database.admin`
      insert into triagem.log (event_id, seq, id, at, source, kind, data, figures, previous)
      values (${EVENT}, 1, 'a', now(), 'live', 'kick-off', ${data}::text::jsonb, '{}', '')`;
    const before = tool.stderr.length;
    await run(setEvent, '--event', EVENT, '--kick-off', '2026-11-22T18:45');
    expect(tool.stderr.slice(before)).not.toContain('desk');
    await run(setEvent, '--event', EVENT, '--kick-off', '2026-11-22T19:00');
    expect(tool.stderr.slice(before)).toContain(
      'A desk has set the kick-off to 2026-11-22 18:45 (America/Manaus), which stands before this one until it is taken back there ("desfazer").\n',
    );
    const GATES_DATABASE_URL = tool.database.gatesUrl;
    for (const unread of [{}, { RECORD_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }]) {
      const args = ['--event', EVENT, '--kick-off', '2026-11-22T19:30'];
      expect(await setEvent.run(args, { GATES_DATABASE_URL, ...unread })).toBe(0);
    }
  });

  test('makes no event, and gives none without a title only times', async () => {
    const set = (...args: string[]): Promise<number> => run(setEvent, '--event', EVENT, ...args);
    await expect(set('--title', 'x')).rejects.toThrow(`There is no event ${EVENT}: make it with`);
    await insertTickets(tool.database.gates, [{ id: 'a', setor: '4', eventId: EVENT }]);
    await expect(set('--kick-off', '2026-11-22T18:00')).rejects.toThrow('has no title yet');
    await set('--title', TITLE);
    expect(await details()).toMatchObject([{ event_id: EVENT, title: TITLE }]);
    await expect(set()).rejects.toThrow('Nothing is named that is to change.');
  });
});

describe('event list', () => {
  test('shows the tickets of each event, and when one that is in was last written, whatever the DateStyle', async () => {
    const { admin, name } = tool.database;
    await create('--kick-off', '2026-11-22T18:00', '--time-zone', 'America/Manaus');
    await insertTickets(tool.database.gates, [
      { id: 'a', setor: '4', eventId: EVENT, entrou: true },
      { id: 'b', setor: '4', eventId: EVENT, valid: false },
      { id: 'c', setor: '4', eventId: OTHER_EVENT },
    ]);
    const [clock] = await tool.database.gates<[{ now: Date }]>`select now()`;
    await admin.unsafe(`alter database ${name} set datestyle = 'German'`);
    await run(listEvents, '--json');
    const rows = JSON.parse(tool.stdout.replace(`${EVENT}\n`, '')) as { lastEntryAt: string }[];
    expect(rows).toEqual([
      {
        isShown: false,
        eventId: OTHER_EVENT,
        title: null,
        gatesOpenAt: null,
        kickOffAt: null,
        timeZone: null,
        tickets: 1,
        valid: 1,
        entered: 0,
        lastEntryAt: null,
      },
      expect.objectContaining({
        title: TITLE,
        kickOffAt: '2026-11-22T22:00:00.000Z',
        tickets: 2,
        valid: 1,
        entered: 1,
      }),
    ]);
    const lastEntryMs = Date.parse(rows[1]?.lastEntryAt ?? '');
    expect(lastEntryMs).toBeGreaterThan(clock.now.getTime() - 60_000);
    expect(lastEntryMs).toBeLessThanOrEqual(clock.now.getTime());
    await run(listEvents);
    await admin.unsafe(`alter database ${name} reset datestyle`);
    expect(tool.stdout).toMatch(
      new RegExp(
        String.raw`^  ${EVENT} +2 +1 +1  \d{4}-\d\d-\d\d \d\d:\d\d  2026-11-22 18:00  America/Manaus +${TITLE}$`,
        'm',
      ),
    );
    expect(tool.stdout).toMatch(new RegExp(`^  ${OTHER_EVENT} +1 +1 +0  - +- +America/Sao_Paulo +-$`, 'm'));
  });

  test('names "event create" where there is none', async () => {
    expect(await run(listEvents)).toBe(0);
    expect(tool.stdout).toBe('');
    expect(tool.stderr).toContain('event create');
  });
});

describe('event show', () => {
  test('counts by sector of the venue, and names the codes that it does not know', async () => {
    await create();
    await insertTickets(tool.database.gates, [
      { id: 'a', setor: 'N1', eventId: EVENT, entrou: true },
      { id: 'b', setor: 'N2', eventId: EVENT, valid: false, entrou: true },
      { id: 'c', setor: 'S', eventId: EVENT },
      { id: 'd', setor: 'VIP\u001B', eventId: EVENT, entrou: true },
      { id: 'e', setor: 'VIP\u001B', eventId: EVENT },
    ]);
    const venueFile = join(tool.folder, 'venue.json');
    writeFileSync(
      venueFile,
      JSON.stringify({
        name: 'x',
        sectors: [
          { code: 'N', name: 'NORTE', codes: ['N1', 'N2'] },
          { code: 'S', name: 'SUL' },
        ],
      }),
    );
    const env = { GATES_DATABASE_URL: tool.database.gatesUrl, VENUE_FILE: venueFile };
    await showEvent.run(['--event', EVENT], env);
    expect(tool.stdout).toMatch(
      `${TITLE}\n${EVENT}\nno times\n5 tickets, 4 valid, 3 entered; last change of one that is in: 20`,
    );
    expect(tool.stdout).toMatch(/^NORTE +2 +1 +2\nSUL +1 +1 +0\nothers +2 +2 +1$/m);
    expect(tool.stdout).toContain('"VIP\\u001b": 2 tickets, 1 entered\n');
    const before = tool.stdout.length;
    await showEvent.run(['--event', EVENT, '--json'], env);
    expect(JSON.parse(tool.stdout.slice(before))).toMatchObject({
      tickets: 5,
      sectors: [
        { code: 'N', tickets: 2, valid: 1, entered: 2 },
        { code: 'S', tickets: 1 },
      ],
      others: [{ setor: 'VIP\u001B', tickets: 2, entered: 1 }],
    });
  });

  test('refuses an unknown event', async () => {
    await expect(run(showEvent, '--event', EVENT)).rejects.toThrow(`There is no event ${EVENT}`);
  });
});

describe('event delete', () => {
  const path = (): string => join(tool.folder, 'event.sql.gz');
  afterEach(() => rmSync(path(), { force: true }));
  const remove = (...args: string[]): Promise<number> =>
    run(deleteEvent, '--event', EVENT, '--export', path(), '--yes', ...args);

  async function fill(): Promise<void> {
    const { gates } = tool.database;
    await create('--kick-off', '2026-11-22T18:00');
    await gates`insert into sectors values (${EVENT}, '4', '{"gates": ["N1"]}'), (${OTHER_EVENT}, '4', '{}')`;
    await gates`
      insert into tickets select ${EVENT}, 't' || n, n % 7 > 0, n % 3 = 0, '4' from generate_series(1, 3000) n`;
    await gates`insert into ticket_times select event_id, id, now() from tickets where id < 't2'`;
    await gates`
      insert into kept_readings values (${EVENT}, 'late', null, now(), now(), null, true, null, '7', 'ticket')`;
    await insertTickets(gates, [{ id: 'x', setor: '4', eventId: OTHER_EVENT, entrou: true }]);
  }

  async function everything(): Promise<string[]> {
    const tables = ['events', 'sectors', 'tickets', 'event_details', 'ticket_times', 'kept_readings'].map(
      (name) =>
        tool.database.admin<{ row: string }[]>`select t::text as row from ${tool.database.admin(name)} t`,
    );
    const rows = (await Promise.all(tables)).flat();
    return rows.map(({ row }) => row).toSorted((a, b) => (a < b ? -1 : 1));
  }

  test('writes the event into a file first, which brings back all of it beside others', async () => {
    await fill();
    const before = await everything();
    await remove();
    expect(tool.stderr).toContain(`${EVENT} ("${TITLE}") with 3000 tickets: 2572 valid, 1000 entered.`);
    expect(tool.stdout).toContain(`with 3000 tickets deleted; "restore ${path()}" brings it back\n`);
    expect(await everything()).toHaveLength(2);
    expect((await everything()).join('\n')).not.toContain(EVENT);
    // A gate of the other event lets somebody in meanwhile.
    await tool.database.admin.begin(async (gate) => {
      await gate`update tickets set entrou = true where id = 'x'`;
      await run(restore, path());
    });
    expect(await everything()).toEqual(before);
    await expect(run(restore, path())).rejects.toThrow(`The event ${EVENT} has 3000 tickets here already`);
  });

  test('names the readings that wait for its tickets; who is in, and out, by those and by messages, is listed by docs/trouble.md', async () => {
    const { admin } = tool.database;
    await admin`
      insert into tickets (event_id, id, is_valid_ticket, entrou, setor)
      values (${EVENT}, 'in', true, true, '4'), (${EVENT}, 'left', true, false, '4'), (${EVENT}, 'never', true, false, '4')`;
    await admin`insert into ticket_times (event_id, id, at) values (${EVENT}, 'left', now())`;
    await admin`
      insert into kept_readings (event_id, id, at, received_at, entrou, gate, reason)
      select ${EVENT}, id, at::timestamptz, at::timestamptz, entrou, 'A', 'unknown-id'
      from (values ('waits', '2026-01-01', true), ('was in', '2026-01-01', true), ('was in', '2026-01-02', false)) k (id, at, entrou)`;
    const [, statement = ''] = readRecipe('since', { ID: EVENT }, 'docs/trouble.md').split("<<'SQL'");
    const rows = await admin.unsafe(statement.replace(/SQL\n$/, '')).values();
    expect(rows.map((row) => row.join(' ')).toSorted()).toEqual([
      'in --id=in',
      'in --id=waits',
      'out --id=left',
      'out --id=was in',
    ]);
    await remove();
    expect(tool.stderr).toContain(
      '3 readings of gates wait for tickets of this event, and will be deleted, too:',
    );
  });

  test('asks, and is refused where nobody can be asked; needs the event to be named', async () => {
    await fill();
    const without = run(deleteEvent, '--event', EVENT, '--export', path());
    await expect(without).rejects.toThrow('needs --yes, as nobody is here to be asked.');
    await expect(run(deleteEvent, '--yes')).rejects.toThrow('--event is missing');
    await expect(run(deleteEvent, '--yes', '--event', 'b'.repeat(32))).rejects.toThrow('There is no event');
    expect(await events()).toEqual([EVENT]);
  });

  test('deletes nothing where the file cannot be written', async () => {
    await fill();
    const before = await everything();
    writeFileSync(path(), 'x');
    await expect(remove()).rejects.toThrow(/is there already.* Nothing was deleted\.$/);
    await expect(remove('--export', join(tool.folder, 'no/x.gz'))).rejects.toThrow(/there is no folder/);
    expect(await everything()).toEqual(before);
  });

  test('deletes nothing where a trigger keeps a ticket', async () => {
    await fill();
    const before = await everything();
    const { admin } = tool.database;
    await admin.unsafe(`
      create function public.keep() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger keep before delete on public.tickets for each row when (old.id = 't1') execute function public.keep()`);
    await expect(remove()).rejects.toThrow('A trigger keeps 1 ticket of the event. Nothing was deleted.');
    await admin`drop function public.keep cascade`;
    expect(await everything()).toEqual(before);
  });

  test('deletes nothing where a foreign key would delete rows that are in no backup', async () => {
    await fill();
    const before = await everything();
    const { admin } = tool.database;
    await admin.unsafe(`
      alter table public.tickets add constraint one_id unique (id);
      create table public.passages (id text constraint of_ticket references public.tickets (id) on delete cascade)`);
    await expect(remove()).rejects.toThrow(
      /^The foreign key "of_ticket" of (public\.)?passages deletes .*: save them, and drop that key\. Nothing was deleted\.$/,
    );
    await admin`drop table public.passages`;
    await admin`alter table public.tickets drop constraint one_id`;
    expect(await everything()).toEqual(before);
  });

  test('leaves an event alone that a running board shows', async () => {
    await fill();
    const server = await startTestServer(tool.database, { EVENT_ID: EVENT });
    await until(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200));
    await expect(remove()).rejects.toThrow(
      `A running board, or a fleet's desk, shows the event ${EVENT}: start that with another EVENT_ID first. Nothing`,
    );
    await server.stop();
    expect(existsSync(path())).toBe(false);
  });

  test.each(['ready', ''])('leaves an event alone whose record a fleet keeps (%j)', async (candidacy) => {
    await fill();
    const counter = await tool.database.gates.reserve();
    await counter`set application_name = ${counter.unsafe(`'triagem record ${EVENT} ${candidacy}'`)}`;
    await expect(remove()).rejects.toThrow(/fleet's desk, shows the event .* Nothing was deleted\.$/);
    await counter`reset application_name`;
    counter.release();
    expect(existsSync(path())).toBe(false);
    expect(await events()).toEqual([EVENT]);
  });

  /** What a gate writes before the deletion waits for it, and after. */
  const WRITES: Record<string, readonly ((gate: postgres.Sql) => Promise<unknown>)[]> = {
    'a ticket': [
      async (gate) => gate`update tickets set entrou = true where event_id = ${EVENT} and id = 't3'`,
    ],
    'the time of a message that changes nothing': [
      async (gate) => gate`select from tickets where event_id = ${EVENT} and id = 't3' for update`,
      async (gate) => gate`insert into ticket_times values (${EVENT}, 't3', now())`,
    ],
    'a later time': [
      async (gate) => gate`select from tickets where event_id = ${EVENT} and id = 't1' for update`,
      async (gate) => gate`update ticket_times set at = now() where event_id = ${EVENT} and id = 't1'`,
    ],
  };
  test.each(Object.keys(WRITES))('deletes nothing where a gate wrote %s after the export', async (what) => {
    await fill();
    // A connection that is still to be made cannot be reserved.
    await tool.database.admin`select`;
    const gate = await tool.database.admin.reserve();
    await gate`begin`;
    const [before, after] = WRITES[what] ?? [];
    await before?.(gate);
    const deleting = remove().catch((error: unknown) => error);
    await until(async () => {
      const waiting = await tool.database.gates`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'triagem gates' and wait_event_type = 'Lock'`;
      expect(waiting).toHaveLength(1);
    });
    await after?.(gate);
    await gate`commit`;
    gate.release();
    const written = await everything();
    expect(await deleting).toMatchObject({
      message: expect.stringMatching(/has written a ticket .* Nothing was deleted\.$/),
    });
    expect(await everything()).toEqual(written);
  });

  test('takes nothing from the board of another event', async () => {
    await fill();
    const server = await startTestServer(tool.database, { EVENT_ID: OTHER_EVENT });
    const viewer = await openPageClient(server.url, { eventId: OTHER_EVENT });
    await until(() => expect(viewer.counts).toMatchObject({ total: 1 }));
    await remove();
    await insertTickets(tool.database.gates, [{ id: 'y', setor: '4', eventId: OTHER_EVENT, entrou: true }]);
    await until(() => expect(viewer.counts).toMatchObject({ total: 2 }));
    expect(viewer.live).toBe(true);
  });
});

describe('the command line', () => {
  const program = async (...args: string[]) => {
    const env = { GATES_DATABASE_URL: tool.database.gatesUrl };
    const { ended, stdout, stderr } = runProgram('gates', args, env);
    return { code: await ended, stdout: stdout(), stderr: stderr() };
  };
  afterEach(() => {
    expect(readdirSync('.').filter((name) => name.endsWith('.sql.gz'))).toEqual([]);
  });

  test('has help, and names unknown commands', async () => {
    expect(await program('event', '--help')).toMatchObject({
      code: 0,
      stdout: EVENT_COMMANDS['event']?.help,
    });
    const wrong = await program('event', 'make');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toBe('There is no command "event make". See npm run -s gates -- event --help.\n');
  });

  test('of create leads to an import by its output alone', async () => {
    const { stdout } = await program('event', 'create', '--title', TITLE);
    await run(importTickets, tool.csv('a,1,1,4'), '--event', stdout.trim());
    await run(showEvent, '--event', stdout.trim());
    expect(tool.stdout).toMatch(/^NORTE +1 +1 +1$/m);
  });
});
