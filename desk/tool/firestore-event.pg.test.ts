import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { openRecordSession, someMinutes } from '../../testing/desk/record.ts';
import { backup } from '../../gates/backup/backup.ts';
import { loadCommands } from '../../gates/commands.ts';
import { GatesError, UsageError } from '../../gates/cli/errors.ts';
import { restore } from '../../gates/backup/restore.ts';
import { exportRecord } from './export.ts';
import { importRecord } from './import.ts';
import { verifyRecord } from './verify.ts';
import { withdrawImports } from './withdraw.ts';

/** As a Firestore document may be named; a terminal would turn its direction, and SQL end a literal. */
const EVENT = "D'Ávila × \\ Final \u202e2";
const PRINTED = "D'Ávila × \\ Final \\u{202e}2";

const tool = useGatesTool();

/** As beside the embedded database of a board on Firestore, which records. */
function besideBoard(): Record<string, string> {
  const { gatesUrl: url, recordUrl } = tool.database;
  const board = { eventId: EVENT, title: 'Triagem' };
  const announcement = { url, recordUrl, pid: process.pid, board, hasTickets: false };
  writeFileSync(join(tool.folder, 'gates.json'), JSON.stringify(announcement));
  return { DATA_DIR: tool.folder };
}

const logIds = async (): Promise<string[]> => {
  const rows = await tool.database.admin<{ id: string }[]>`
    select id from triagem.log where event_id = ${EVENT} order by seq`;
  return rows.map(({ id }) => id);
};

async function recordLog(): Promise<void> {
  const session = openRecordSession({ url: tool.database.recordUrl, eventId: EVENT });
  await session.readLog();
  await session.addMinutes(someMinutes(0, 3));
  for (const id of ['a', 'b']) await session.addEntry(occurrence(id));
  await session.end();
}

test('the record of a board on Firestore is exported and verified, by the event that the board shows', async () => {
  await recordLog();
  const env = besideBoard();
  expect(await exportRecord.run(['--log'], env)).toBe(0);
  expect(tool.stderr).toContain(`Event ${PRINTED} ("Triagem"), which the running board shows.\n`);
  expect(tool.stdout.split('\n')[1]).toMatch(/^"?D'Ávila × \\ Final .*,1,a,/);
  expect(await verifyRecord.run([], env)).toBe(0);
  expect(tool.stdout).toContain(`${PRINTED}: 2 rows, each as it was written; last link 2:`);
});

test('it is backed up and restored, alone or with all others', async () => {
  await recordLog();
  const env = besideBoard();
  for (const options of [['--event', EVENT], []]) {
    const file = join(tool.folder, 'record.sql.gz');
    expect(await backup.run([file, ...options], env)).toBe(0);
    await tool.database.admin`truncate triagem.log, triagem.minutes`;
    expect(await restore.run([file], env)).toBe(0);
    expect(await logIds()).toEqual(['a', 'b']);
    expect(tool.stderr).not.toContain('was not in the backup');
    rmSync(file);
  }
});

test('another log of the event is named in a statement that removes it, and nothing else', async () => {
  await recordLog();
  const env = besideBoard();
  const file = join(tool.folder, 'record.sql.gz');
  await backup.run([file], env);
  await tool.database.admin`delete from triagem.log where seq > 1`;
  await tool.database.admin`update triagem.log set kind = 'other'`;
  const refused: unknown = await restore
    .run([file, '--only', 'record'], env)
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(GatesError);
  const statements = (refused as GatesError).message.match(/DELETE FROM [^;]*;/g) ?? [];
  expect(statements).toHaveLength(2);
  for (const statement of statements) await tool.database.admin.unsafe(statement);
  expect(await logIds()).toEqual([]);
  rmSync(file);
});

test('an earlier match of Firestore is imported and withdrawn by its ID', async () => {
  const path = join(tool.folder, 'minutes.csv');
  const minute = '7,2025-05-04T16:00:00-03:00,5,100';
  writeFileSync(path, `sector,minute,admitted,valid\n${minute}\n`);
  const env = { RECORD_DATABASE_URL: tool.database.recordUrl };
  expect(await importRecord.run([path, '--event', 'Final-2025', '--yes'], env)).toBe(0);
  expect(await withdrawImports.run(['--event', 'Final-2025'], env)).toBe(0);
  expect(tool.stdout).toMatch(
    /1 minutes recorded for the event Final-2025.*\n1 import .* Final-2025 withdrawn/,
  );
  await expect(importRecord.run([path, '--event', 'a/b', '--yes'], env)).rejects.toThrow(UsageError);
});

test.each([
  ['url'],
  ['import', 'tickets.csv'],
  ['enter', '--id', 'a'],
  ['simulate'],
  ['kept'],
  ['event list'],
  ['event create', '--title', 'x'],
  ['sector list'],
])('no ticket is written into the database of its record: %s', async (name, ...args) => {
  writeFileSync(join(tool.folder, 'tickets.csv'), 'id,isValidTicket,entrou,setor\na,1,0,4\n');
  const env = besideBoard();
  const paths = args.map((arg) => (arg.endsWith('.csv') ? join(tool.folder, arg) : arg));
  const commands = await loadCommands(name.split(' ')[0] ?? '');
  await expect(commands[name]?.run(paths, env)).rejects.toThrow(
    /^The board of .* counts tickets in Firestore, and keeps its record alone here: tickets are written there, not with this tool\.$/,
  );
});
