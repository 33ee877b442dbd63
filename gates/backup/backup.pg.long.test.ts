import fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase, insertTickets, type TestDatabase } from '../../testing/database/database.ts';
import { makeTestDisk } from '../../testing/database/disk.ts';
import { IS_FULL } from '../../testing/durations.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { quoteIdentifier } from '../../database/with-connection.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { runProgram } from '../../testing/server/program.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { backup } from './backup.ts';
import { checksumLine, newChecksum, TABLES } from './backup-format.ts';
import { GatesError, UsageError } from '../cli/errors.ts';
import { restore } from './restore.ts';

const OTHER_EVENT = 'a'.repeat(32);
/** From one place at which a file is cut off or altered to the next. */
const STEP_BYTES = IS_FULL ? 3 : 23;

let source: TestDatabase;
let target: TestDatabase;
let folder: string;
let file: string;
let printed = '';

beforeAll(async () => {
  [source, target] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'triagem-backup-'));
  file = join(folder, 'match.sql.gz');
  printed = '';
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
  for (const { admin } of [source, target]) {
    await admin`truncate public.events, public.sectors, public.tickets, public.event_details, public.ticket_times,
      public.kept_readings`;
    const added = await admin<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = 'public.tickets'::regclass and attnum > 5 and not attisdropped`;
    for (const { name } of added)
      await admin.unsafe(`alter table public.tickets drop ${quoteIdentifier(name)}`);
  }
});

const backUp = (path = file): Promise<number> => backup.run([path], { GATES_DATABASE_URL: source.gatesUrl });
const bringBack = (path = file): Promise<number> =>
  restore.run([path], { GATES_DATABASE_URL: target.gatesUrl });
const check = (path = file): Promise<number> => restore.run([path, '--check'], {});

/** All that the three tables hold, as text. */
async function everything({ admin }: TestDatabase): Promise<string[]> {
  const tables = TABLES.map(
    (table) => admin<{ row: string }[]>`select t::text as row from ${admin(table)} t order by 1`,
  );
  return (await Promise.all(tables)).flatMap((rows) => rows.map(({ row }) => row));
}

/** The file again, with its script changed, and with the right checksum if it is to have one. */
function forge(change: (script: string) => string): void {
  const script = change(
    gunzipSync(readFileSync(file))
      .toString()
      .replace(/-- sha256 .*\n$/, ''),
  );
  writeFileSync(file, gzipSync(script + checksumLine(newChecksum().update(script))));
}

describe('what comes back', () => {
  test('is every row and column, whatever they hold, with whatever settings', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    const values = fc
      .sample(text, { seed: 20_250_326, numRuns: 80 })
      .filter((value) => !value.includes('\0') && Buffer.from(value).toString() === value)
      .concat(['\\.', '\\N', '\t', 'a\nb', 'a\r\nb', "';--", '"', '\\', 'ção', '😀', '\\.\n', '-- sha256 0']);
    const extra = `alter table public.tickets add "gate ""N""\t1" text, add scanned timestamptz, add seats int4range[],
      add twice text generated always as (id || id) stored, add serial bigint generated always as identity,
      add price money default '1234.56', add tags text[] default array['a', null]`;
    for (const { admin, name } of [source, target]) {
      await admin.unsafe(extra);
      await admin.unsafe(
        `alter database ${name} set datestyle = '${name === source.name ? 'SQL, DMY' : 'SQL, MDY'}'`,
      );
      await admin.unsafe(`alter database ${name} set array_nulls = off`);
    }
    await source.admin`insert into events values (${DEFAULT_EVENT_ID}), (${'b'.repeat(32)})`;
    await source.admin`
      insert into event_details values (${DEFAULT_EVENT_ID}, E'Ceará × "Fortaleza"\t;', '2026-11-22 16:00Z', '2026-11-22 18:00:00.25Z', 'America/Fortaleza'),
        (${OTHER_EVENT}, '\.', null, null, null)`;
    await source.admin`
      insert into ticket_times values (${DEFAULT_EVENT_ID}, 'a', '2025-03-26 23:15:00.123456Z'), (${OTHER_EVENT}, '\.', '2025-03-26 20:15Z')`;
    await source.admin`
      insert into kept_readings values (${OTHER_EVENT}, '\.', null, now(), now(), null, true, null, E'7\t', 'ticket')`;
    for (const [index, value] of [...new Set(values)].entries()) {
      await source.admin`
        insert into sectors values (${OTHER_EVENT}, ${value}, ${source.admin.json({ [value]: [value, null, index / 3] })})`;
      await source.admin`
        insert into tickets (event_id, id, is_valid_ticket, entrou, setor, "gate ""N""\t1", scanned, seats)
        values (${index % 2 ? DEFAULT_EVENT_ID : OTHER_EVENT}, ${value}, ${index % 3 > 0}, ${index % 5 > 0},
          ${index % 4 ? '4' : Buffer.from(value).subarray(0, 1).toString('hex')}, ${index % 7 ? value : null}, '2026-02-03 04:05:06.789+00', '{"[1,3)"}')`;
    }
    await backUp();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['match.sql.gz']);
    await bringBack();
    expect(await everything(target)).toEqual(await everything(source));
    expect(await everything(target)).toHaveLength(7 + 2 * new Set(values).size);
    for (const { admin, name } of [source, target]) {
      await admin.unsafe(`alter database ${name} reset all`);
    }
  });

  test('is what one commit left, while gates go on writing', async () => {
    await source.gates`
      insert into tickets select ${OTHER_EVENT}, 't' || n, true, true, '4' from generate_series(1, 20000) n`;
    await source.gates`insert into sectors values (${DEFAULT_EVENT_ID}, '4', '0')`;
    let committed = 0;
    const stopping = new AbortController();
    const writing = (async () => {
      for (; !stopping.signal.aborted; committed += 1) {
        await source.gates`
          with told as (update sectors set data = to_jsonb(${committed + 1}::int))
          insert into tickets values (${DEFAULT_EVENT_ID}, ${`w${committed}`}, true, true, '4')`;
      }
    })();
    await until(() => expect(committed).toBeGreaterThan(5));
    const before = committed;
    await backUp();
    const after = committed;
    stopping.abort();
    await writing;
    await bringBack();
    const [found] = await target.gates<[{ tickets: number; told: number; last: number }]>`
      select count(*)::int as tickets, (select (data #>> '{}')::int from sectors) as told,
        max(substr(id, 2)::int) + 1 as last
      from tickets where event_id = ${DEFAULT_EVENT_ID}`;
    expect(found).toEqual({ tickets: found.told, told: found.told, last: found.told });
    expect(found.told).toBeGreaterThanOrEqual(before);
    expect(found.told).toBeLessThanOrEqual(after + 1);
    expect(after).toBeGreaterThan(before);
  });

  test('is on the board that runs, at once and exactly', async () => {
    await insertTickets(source.gates, [
      { id: 'a', setor: '4', entrou: true },
      { id: 'b', setor: '99', entrou: true, valid: false },
      { id: 'c', setor: 'elsewhere', entrou: true },
      { id: 'd', setor: '4' },
    ]);
    await backUp();
    expect(printed).toMatch(
      `event ${DEFAULT_EVENT_ID}: 4 tickets, 3 valid, 3 entered\nsector documents: 0\n`,
    );
    const server = await startTestServer(target);
    const viewer = await openPageClient(server.url);
    await until(() => expect(viewer.live).toBe(true));
    await bringBack();
    await until(() => expect(viewer.counts).toMatchObject({ total: 3, others: 1 }));
    expect(viewer.counts?.sectors).toMatchObject({ '4': 1, '99': 1, '8': 0 });
  });

  test.each([
    [1, ['event_details', 'ticket_times', 'kept_readings']],
    [2, ['kept_readings']],
  ])('is in a file of version %i, too, which had fewer tables and no mark', async (version, lacking) => {
    await insertTickets(source.gates, [{ id: 'a', setor: '4', entrou: true }]);
    await backUp();
    forge((script) =>
      lacking.reduce(
        (text, table) =>
          text
            .replace(new RegExp(`,\\{"name":"${table}".*?\\]\\}`), '')
            .replace(new RegExp(`copy public\\.${table} [^;]*;\\n\\\\\\.\\n`), ''),
        script
          .replace('-- Triagem backup 3', `-- Triagem backup ${version}`)
          .replace(/^select pg_logical_emit_message.*\n/m, ''),
      ),
    );
    expect(gunzipSync(readFileSync(file)).toString()).not.toMatch(
      [...lacking, 'pg_logical_emit_message'].join('|'),
    );
    await bringBack();
    expect(await everything(target)).toEqual(await everything(source));
  });

  test('leaves events and sectors that are there as they are', async () => {
    await insertTickets(source.gates, [{ id: 'a', setor: '4' }]);
    for (const [{ gates }, door] of [
      [source, 'N1'],
      [target, 'N2'],
    ] as const) {
      await gates`insert into events values (${DEFAULT_EVENT_ID})`;
      await gates`insert into sectors values (${DEFAULT_EVENT_ID}, '4', ${gates.json({ door })})`;
    }
    await source.gates`insert into sectors values (${DEFAULT_EVENT_ID}, '99')`;
    await backUp();
    await bringBack();
    expect(await target.gates`select code, data from sectors order by code`).toEqual([
      { code: '4', data: { door: 'N2' } },
      { code: '99', data: {} },
    ]);
  });
});

describe('restore', () => {
  const refusal = async (): Promise<string> => {
    const reason: unknown = await check().then(
      () => 'accepted',
      (error: unknown) => error,
    );
    return reason instanceof GatesError ? reason.message : String(reason);
  };

  test('refuses a file that is cut off or altered, wherever it is', async () => {
    await insertTickets(
      source.gates,
      Array.from({ length: 3 }, (_, n) => ({ id: `t${n}`, setor: '4' })),
    );
    await backUp();
    const whole = readFileSync(file);
    for (let length = 0; length < whole.length; length += STEP_BYTES) {
      writeFileSync(file, whole.subarray(0, length));
      expect(await refusal()).toMatch(/cannot be restored: it is cut off/);
    }
    const script = gunzipSync(whole);
    for (let at = 0; at < script.length; at += STEP_BYTES) {
      const altered = Buffer.from(script);
      altered[at] = (altered[at] ?? 0) ^ 1;
      writeFileSync(file, gzipSync(altered, { level: 1 }));
      expect(await refusal(), `byte ${at}`).toMatch(/cannot be restored: it is (no backup|damaged|cut off)/);
    }
    // Beyond the head of gzip, which says nothing of what is in it.
    for (let at = 10; at < whole.length; at += STEP_BYTES) {
      const altered = Buffer.from(whole);
      altered[at] = (altered[at] ?? 0) ^ 1;
      writeFileSync(file, altered);
      expect(await refusal(), `byte ${at}`).toMatch(/cannot be restored: it is/);
    }
    for (const [appended, reason] of [
      ['\n', 'it is cut off at its very end, or something was appended'],
      ['appended\n', 'it is damaged, or has been altered'],
    ] as const) {
      writeFileSync(file, Buffer.concat([whole, Buffer.from(appended)]));
      expect(await refusal()).toContain(`cannot be restored: ${reason}.`);
    }
    await expect(bringBack()).rejects.toThrow(GatesError);
    expect(await everything(target)).toEqual([]);
    writeFileSync(file, whole);
    expect(await refusal()).toBe('accepted');
  });

  test.each([
    ['empty', Buffer.alloc(0), 'cut off'],
    ['a CSV', Buffer.from('id,isValidTicket,entrou,setor\na,1,1,4\n'), 'no backup of Triagem'],
    ['another gzip', gzipSync('-- PostgreSQL database dump\n'.repeat(100)), 'no backup of Triagem'],
    ['a short gzip', gzipSync('x'), 'cut off'],
    ['of a version to come', gzipSync('-- Triagem backup 4\n'), 'can read (its format is 4)'],
  ])('refuses a file that is %s', async (_what, content, reason) => {
    writeFileSync(file, content);
    await expect(bringBack()).rejects.toThrow(reason);
  });

  test.each([
    ['a ticket fewer than it says', (script: string) => script.replace(/^.*\ta\tt\tf\t4\n/m, '')],
    ['a statement of its own', (script: string) => script.replace('commit;', 'drop table tickets; commit;')],
    ['other columns than it says', (script: string) => script.replace('"setor") from', '"setor", "x") from')],
    ['something behind its end', (script: string) => `${script}select 1;\n`],
  ])('refuses a file with %s, though its checksum is right', async (_what, change) => {
    await insertTickets(source.gates, [
      { id: 'a', setor: '4' },
      { id: 'b', setor: '4' },
    ]);
    await backUp();
    forge(change);
    await expect(bringBack()).rejects.toThrow(/damaged, or has been altered/);
    expect(await everything(target)).toEqual([]);
  });

  test('undoes what it wrote where the counts are not those of the file', async () => {
    await insertTickets(source.gates, [{ id: 'a', setor: '4' }]);
    await backUp();
    forge((script) => script.replace('"entered":0', '"entered":1'));
    await expect(bringBack()).rejects.toThrow(/others than in the backup/);
    expect(await everything(target)).toEqual([]);
  });

  test.each(['new.entrou := not new.entrou', 'return null'])(
    'undoes it where a trigger says %j',
    async (body) => {
      const { admin } = target;
      await insertTickets(source.gates, [
        { id: 'a', setor: '4', entrou: true },
        { id: 'b', setor: '4' },
      ]);
      await backUp();
      await admin.unsafe(`
      create function public.meddle() returns trigger language plpgsql as $$ begin ${body}; return new; end $$;
      create trigger meddle before insert on public.tickets for each row execute function public.meddle()`);
      await expect(bringBack()).rejects.toThrow(
        /^2 tickets are others than in the backup once they are written: a trigger of public.tickets changes them/,
      );
      await admin`drop function public.meddle cascade`;
      expect(await everything(target)).toEqual([]);
    },
  );

  test('takes the name of a column for nothing else', async () => {
    await insertTickets(source.gates, [{ id: 'a', setor: '4' }]);
    await backUp();
    const name = 'x") from stdin; drop table public.events; --';
    forge((script) =>
      script
        .replace('"name":"setor"', `"name":${JSON.stringify(name)}`)
        .replace('"setor") from', `${quoteIdentifier(name)}) from`),
    );
    await expect(bringBack()).rejects.toThrow('columns that the database lacks');
    await target.admin.unsafe(
      `alter table tickets add ${quoteIdentifier(name)} text, alter setor set default '-'`,
    );
    await bringBack();
    const tickets = await target.admin<Record<string, unknown>[]>`select * from tickets`;
    expect(tickets).toEqual([expect.objectContaining({ setor: '-', [name]: '4' })]);
    expect(await target.admin`select from events`).toEqual([]);
    await target.admin`alter table tickets alter setor drop default`;
  });

  test('refuses a database that has a ticket, and names it', async () => {
    await insertTickets(source.gates, [{ id: 'a', setor: '4' }]);
    await backUp();
    await insertTickets(target.gates, [{ id: 'z', setor: '9', eventId: OTHER_EVENT }]);
    const before = await everything(target);
    await expect(bringBack()).rejects.toThrow(`has 1 tickets already (1 of event ${OTHER_EVENT})`);
    expect(await everything(target)).toEqual(before);
  });

  test('names the statement for a column that the database lacks', async () => {
    await source.admin`alter table tickets add "gate 1" varchar(9)`;
    await insertTickets(source.gates, [{ id: 'a', setor: '4' }]);
    await backUp();
    const reason: unknown = await bringBack().catch((error: unknown) => error);
    const statement = /ALTER TABLE .*;/.exec((reason as Error).message)?.[0] ?? '';
    expect(await everything(target)).toEqual([]);
    await target.admin.unsafe(statement);
    await bringBack();
    expect(await everything(target)).toEqual(await everything(source));
  });

  test('that loses its connection says so, and nothing is there', async () => {
    await insertTickets(source.gates, [{ id: 'a', setor: '4' }]);
    await backUp();
    const holder = await target.admin.reserve();
    await holder.unsafe('begin; lock table tickets in row exclusive mode');
    const restoring = bringBack().catch((error: unknown) => error);
    await until(async () => {
      const [{ ended }] = await source.admin<[{ ended: boolean }]>`
        select coalesce(bool_or(pg_terminate_backend(pid)), false) as ended from pg_stat_activity
        where datname = ${target.name} and application_name = 'triagem gates' and wait_event_type = 'Lock'`;
      expect(ended).toBe(true);
    });
    expect(await restoring).toMatchObject({
      message: expect.stringMatching(/does not answer.* Nothing was restored\.$/),
    });
    await holder.unsafe('commit');
    holder.release();
    expect(await everything(target)).toEqual([]);
  });
});

describe('backup', () => {
  test('never replaces a file', async () => {
    writeFileSync(file, 'tickets');
    await expect(backUp()).rejects.toThrow(/is there already/);
    expect(readFileSync(file, 'utf8')).toBe('tickets');
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('names the table that inherits where rows are missing', async () => {
    await source.admin`create table others () inherits (tickets)`;
    try {
      await source.admin`insert into others select ${OTHER_EVENT}, 'x', true, false, '4'`;
      await expect(backUp(join(folder, 'inherited.sql.gz'))).rejects.toThrow(
        /tickets: \d+ rows of \d+, as the others are in a table that inherits from it/,
      );
    } finally {
      await source.admin`drop table others`;
    }
  });

  test('says which folder is missing', async () => {
    await expect(backUp(join(folder, 'no/x.gz'))).rejects.toThrow(`there is no folder ${join(folder, 'no')}`);
  });

  test.each([
    [backup, []],
    [restore, ['a', '--force']],
  ])('names a wrong option, as restore does (%#)', async (command, args) => {
    await expect(command.run(args, {})).rejects.toThrow(UsageError);
  });

  test('whose connection is cut in the middle leaves no file', async () => {
    await source.gates`
      insert into tickets select ${OTHER_EVENT}, 't' || n, true, true, '4' from generate_series(1, 20000) n`;
    const network = await startNetwork(source.gatesUrl);
    network.cutAfter(400_000);
    await expect(backup.run([file], { GATES_DATABASE_URL: network.url })).rejects.toThrow(
      /does not answer: .* No file was written\.$/,
    );
    expect(network.cuts).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['SIGTERM', 130],
    ...(IS_FULL
      ? ([
          ['SIGINT', 130],
          ['SIGKILL', 'SIGKILL'],
        ] as const)
      : []),
  ] as const)('that %s ends leaves no file', async (signal, code) => {
    const holder = await source.admin.reserve();
    // The file is there by the time that the record is read.
    await holder.unsafe('begin; lock table triagem.minutes in access exclusive mode');
    const env = { GATES_DATABASE_URL: source.gatesUrl, RECORD_DATABASE_URL: source.recordUrl };
    const program = runProgram('gates', ['backup', file], env);
    await until(() => expect(readdirSync(folder), program.stderr()).toHaveLength(1), 30_000);
    program.child.kill(signal);
    expect(await program.ended).toBe(code);
    expect(program.stdout()).toBe('');
    await holder.unsafe('commit');
    holder.release();
    const left = readdirSync(folder).map((name) => name.replace(/[0-9a-f]{12}/, '…'));
    // Nobody can clean up after SIGKILL.
    expect(left).toEqual(signal === 'SIGKILL' ? ['match.sql.gz.….partial'] : []);
  });

  test('has what was there before or after a commit that empties and fills the tickets, and never an empty table', async () => {
    await source.admin`
      insert into tickets select ${OTHER_EVENT}, 't' || n, true, true, '4' from generate_series(1, 300) n`;
    const holder = await source.admin.reserve();
    await holder.unsafe(`begin; create temporary table kept on commit drop as select * from tickets;
      truncate tickets; insert into tickets select * from kept`);
    const program = runProgram('gates', ['backup', file, '--only', 'tickets'], {
      GATES_DATABASE_URL: source.gatesUrl,
    });
    await until(
      async () =>
        expect(
          await source.gates`select from pg_locks where relation = 'tickets'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`,
        ).toHaveLength(1),
      30_000,
    );
    await holder.unsafe('commit');
    holder.release();
    expect(await program.ended, program.stderr()).toBe(0);
    expect(program.stdout()).toContain(`event ${OTHER_EVENT}: 300 tickets, 300 valid, 300 entered`);
  });

  test('says that the disk is full, and leaves no file', async () => {
    const disk = await makeTestDisk({ megabytes: 1 });
    await source.gates`
      insert into tickets select ${OTHER_EVENT}, md5(n::text), true, true, '4' from generate_series(1, 70000) n`;
    const env = { GATES_DATABASE_URL: source.gatesUrl };
    const program = runProgram('gates', ['backup', join(disk.folder, 'x.gz')], env, disk.enter);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(`The disk of ${disk.folder} is full: free some space`);
    expect(program.stdout()).toBe('');
    expect(readdirSync(disk.seenFromOutside)).toEqual([]);
  });
});
