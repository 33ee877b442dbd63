import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, insertTickets, type TestDatabase } from '../../testing/database/database.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openRecordSession, openTestRecord, someMinutes } from '../../testing/desk/record.ts';
import { until } from '../../testing/until.ts';
import { backup } from '../../gates/backup/backup.ts';
import { GatesError, UsageError } from '../../gates/cli/errors.ts';
import { restore } from '../../gates/backup/restore.ts';
import { verifyRecord } from './verify.ts';

const EVENT = 'e'.repeat(32);
const OTHER_EVENT = 'a'.repeat(32);

/** Where it is restored from; the tool's own database is where to. */
const source = openForAll(createTestDatabase);
const tool = useGatesTool();

const file = (): string => join(tool.folder, 'match.sql.gz');
const urlsOf = ({ gatesUrl, recordUrl }: TestDatabase): Record<string, string> => ({
  GATES_DATABASE_URL: gatesUrl,
  RECORD_DATABASE_URL: recordUrl,
});
const backUp = (...options: string[]): Promise<number> => backup.run([file(), ...options], urlsOf(source));
const bringBack = (...options: string[]): Promise<number> =>
  restore.run([file(), ...options], urlsOf(tool.database));

/** As a board has recorded it. */
async function record(
  { recordUrl: url }: TestDatabase,
  eventId: string,
  ...ids: readonly string[]
): Promise<void> {
  const session = openRecordSession({ url, eventId });
  await session.readLog();
  await session.addMinutes(someMinutes(0, 5));
  for (const id of ids) await session.addEntry(occurrence(id, `'tab\t \\. ${id}`));
  await session.end();
}

async function recorded({ admin }: TestDatabase, eventId = '%'): Promise<readonly string[]> {
  const rows = await admin<{ row: string }[]>`
    select m::text as row from triagem.minutes m where event_id like ${eventId}
    union all select l::text from triagem.log l where event_id like ${eventId} order by 1`;
  return rows.map(({ row }) => row);
}

const ticketsIn = async ({ admin }: TestDatabase): Promise<number> =>
  (await admin`select from tickets`).length;

beforeEach(async () => {
  await insertTickets(source.gates, [
    { id: 'a', setor: '4', entrou: true, eventId: EVENT },
    { id: 'b', setor: '4', eventId: OTHER_EVENT },
  ]);
  await record(source, EVENT, 'first', 'second', 'third');
  await record(source, OTHER_EVENT, 'first');
});

afterEach(async () => {
  rmSync(file(), { force: true });
  await source.admin`truncate public.tickets, triagem.minutes, triagem.log`;
});

describe('the record in a backup', () => {
  test('comes back as it was, with a chain that holds, and goes on', async () => {
    await backUp();
    expect(tool.stdout).toMatch(/^record: 4 entries of the log, 30 minutes of a sector$/m);
    await bringBack();
    expect(await recorded(tool.database)).toEqual(await recorded(source));
    expect(await ticketsIn(tool.database)).toBe(2);
    await record(tool.database, EVENT, 'fourth');
    expect(await tool.run(verifyRecord)).toBe(0);
    expect(tool.stdout).toMatch(new RegExp(`${EVENT}: 4 rows, each as it was written`));
  });

  test('is of one event, where only that is asked for', async () => {
    await backUp('--event', EVENT);
    await bringBack();
    expect(await recorded(tool.database)).toEqual(await recorded(source, EVENT));
    expect(await ticketsIn(tool.database)).toBe(1);
    rmSync(file());
    await expect(backUp('--event', 'b'.repeat(32))).rejects.toThrow(
      /There is no event b+: .* No file was written\.$/,
    );
  });

  test('is of the instant of the tickets, while a board records', async () => {
    const { record: kept, stop } = openTestRecord({ url: source.recordUrl, eventId: EVENT });
    await until(() => expect(kept.state.kind).toBe('writer'));
    const stopping = new AbortController();
    const writing = (async () => {
      for (let n = 0; !stopping.signal.aborted; n += 1) {
        await kept.append(occurrence(`while ${n}`));
        await source.gates`insert into tickets values (${EVENT}, ${`w${n}`}, true, true, '4')`;
      }
    })();
    await until(async () => expect(await ticketsIn(source)).toBeGreaterThan(10));
    await backUp();
    stopping.abort();
    await writing;
    await stop();
    await bringBack();
    const [found] = await tool.database.admin<[{ said: number; let: number }]>`
      select (select count(*)::int from triagem.log where id like 'while %') as said,
        (select count(*)::int from tickets where id like 'w%') as let`;
    expect(found.let).toBeGreaterThan(10);
    expect([0, 1]).toContain(found.said - found.let);
  });

  test('is left out where that is asked for, and each can be restored without the other', async () => {
    await backUp();
    await bringBack('--only', 'tickets');
    expect([await ticketsIn(tool.database), await recorded(tool.database)]).toEqual([2, []]);
    await expect(bringBack()).rejects.toThrow('restore the record alone, with --only record.');
    await bringBack('--only', 'record');
    expect(await recorded(tool.database)).toEqual(await recorded(source));
    rmSync(file());
    await backUp('--only', 'tickets');
    expect(tool.stdout.split('\n').filter((line) => line.startsWith('record: '))).toHaveLength(4);
    await expect(bringBack('--only', 'record')).rejects.toThrow(/holds no record/);
  });
});

describe('a restore of the record', () => {
  test('adds what is missing to the same log, and nothing to one that went on', async () => {
    await backUp();
    await record(source, EVENT, 'later');
    await tool.database.admin`truncate triagem.log`;
    await bringBack('--only', 'record');
    await record(tool.database, EVENT, 'another');
    const went = await recorded(tool.database);
    await bringBack('--only', 'record');
    expect(await recorded(tool.database)).toEqual(went);
    expect(tool.stderr).toMatch(/4 of \d+ entries of the log are there already, and stay as they are\./);
    await tool.database.admin`delete from triagem.log where seq > 1`;
    await bringBack();
    expect(await recorded(tool.database)).not.toEqual(went);
    expect(await tool.run(verifyRecord)).toBe(0);
  });

  test('refuses an event that has another log, with tickets and all, and names what its owner may do', async () => {
    await backUp();
    await record(tool.database, EVENT, 'of its own');
    const before = await recorded(tool.database);
    const refused: unknown = await bringBack().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(GatesError);
    const { message } = refused as GatesError;
    expect(message).toMatch(/^The event e{32} has another log here, of 1 entries/);
    // Started with it before, the board begins another log, and the same refusal follows.
    expect(message).toMatch(/runs without DESK_KEY\), .* restore, and only then start with DESK_KEY again/);
    expect(message).toMatch(/Nothing was recorded\. No ticket was restored\.$/);
    expect([await ticketsIn(tool.database), await recorded(tool.database)]).toEqual([0, before]);
    for (const statement of message.match(/DELETE FROM [^;]*;/g) ?? []) {
      await tool.database.admin.unsafe(statement);
    }
    await bringBack();
    expect(await recorded(tool.database)).toEqual(await recorded(source));
  });

  test('is restored beside a board that waits for the tickets, which goes on behind it', async () => {
    await backUp();
    const board = openTestRecord({ url: tool.database.recordUrl, eventId: EVENT });
    await until(() => expect(board.record.state.kind).toBe('writer'));
    await bringBack();
    // What it knows of the log is no more: its next entry is refused once, and written behind the others.
    board.record.note(occurrence('of the board'));
    await until(async () => {
      const rows = await tool.database.admin`select seq::int from triagem.log where id = 'of the board'`;
      expect(rows).toEqual([{ seq: 4 }]);
    });
    expect(board.logged.filter(({ level }) => level !== 30)).toEqual([]);
    await board.stop();
    expect(await tool.run(verifyRecord)).toBe(0);
  });
});

describe('the role of the record', () => {
  test('is asked for where there is a record, by backup and by restore', async () => {
    await backUp();
    const without = { GATES_DATABASE_URL: tool.database.gatesUrl };
    await expect(restore.run([file()], without)).rejects.toThrow(
      /^The backup holds a record, and nothing names a role here .*: set RECORD_DATABASE_URL/,
    );
    await bringBack();
    const other = join(tool.folder, 'other.sql.gz');
    await expect(backup.run([other], without)).rejects.toThrow(
      /^The database has a record of the flow, .*: set RECORD_DATABASE_URL .* --only tickets/,
    );
    expect(await backup.run([other, '--only', 'tickets'], without)).toBe(0);
    rmSync(other);
  });

  test('is not needed where nothing was recorded', async () => {
    await source.admin`truncate triagem.minutes, triagem.log`;
    expect(await backup.run([file()], { GATES_DATABASE_URL: source.gatesUrl })).toBe(0);
    expect(tool.stdout).not.toMatch(/record:/);
  });

  test.each([
    [backup, 'record'],
    [restore, 'minutes'],
  ])('a wrong --only is named (%#)', async (command, only) => {
    await expect(command.run(['x', '--only', only], {})).rejects.toThrow(UsageError);
  });
});
