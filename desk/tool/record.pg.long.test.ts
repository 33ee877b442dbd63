import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { LogEntry, LogKind } from '../model/log/flow-log.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { sha256 } from '../http/record-files.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { openTestRecord, someMinutes } from '../../testing/desk/record.ts';
import { until } from '../../testing/until.ts';
import { GatesError, UsageError } from '../../gates/cli/errors.ts';
import { exportRecord } from './export.ts';
import { importRecord } from './import.ts';
import { RECORD_COMMANDS } from './record-commands.ts';
import { verifyRecord } from './verify.ts';
import { withdrawImports } from './withdraw.ts';

const EVENT = 'e'.repeat(32);
const OTHER_EVENT = 'a'.repeat(32);
const OF_EVENT = ['--event', EVENT];

const tool = useGatesTool();
const { run } = tool;

/** What a board has recorded: minutes, and what operators said. */
async function recordMatch(): Promise<void> {
  const { record, stop } = openTestRecord({ url: tool.database.recordUrl, eventId: EVENT });
  await until(() => expect(record.state.kind).toBe('writer'));
  record.writeMinutes(someMinutes(0, 3));
  await record.append(occurrence('a', '=cmd|"calc"!A1\nsecond line'));
  await record.append({ ...occurrence('b'), by: '@somebody', sector: null });
  await record.append(occurrence('c'));
  await stop();
}

const LINES = [
  'sector,minute,admitted,valid',
  '7,2025-05-04T16:00:00-03:00,5,100',
  '99,2025-05-04T16:00:00-03:00,0,10',
  '7,2025-05-04T16:01:00-03:00,9,100',
  '99,2025-05-04T16:01:00-03:00,1,10',
];

function minutesFile(lines: readonly string[] = LINES): string {
  const path = join(tool.folder, 'minutes.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const importLines = (...options: string[]): Promise<number> =>
  run(importRecord, minutesFile(), ...OF_EVENT, '--yes', ...options);

const recorded = () => tool.database.admin<{ minutes: number; kinds: string | null }[]>`
  select (select count(*)::int from triagem.minutes) as minutes,
    (select string_agg(kind, ' ' order by seq) from triagem.log) as kinds`;

async function refusal(
  attempt: Promise<unknown>,
  kind: typeof GatesError | typeof UsageError,
): Promise<string> {
  const error: unknown = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(kind);
  return (error as Error).message;
}

/** Of marks: as desks say it, and as older ones did. */
async function recordMarks(): Promise<void> {
  const { record, stop } = openTestRecord({ url: tool.database.recordUrl, eventId: EVENT });
  await until(() => expect(record.state.kind).toBe('writer'));
  const say = (id: string, kind: LogKind, data: object) =>
    record.append({ ...occurrence(id), kind, data } as unknown as LogEntry);
  await say('old', 'mark', { mark: 'unscanned' });
  await say('old back', 'take-back', { id: 'old' });
  const estimate = { count: 50, how: 'a olho; sem pressa' };
  await say('new', 'mark', { mark: 'unscanned', sinceMs: 1_795_000_000_000, estimate });
  await say('estimate', 'estimate', { mark: 'new', count: 150, how: 'contagem manual' });
  await say('ended', 'take-back', { id: 'new', why: 'ended' });
  await say('mistake', 'take-back', { id: 'new', why: 'mistake' });
  await say('away', 'interrupted', { what: 'tickets', fromMs: 1, toMs: 2 });
  await stop();
}

test('marks, how they ended, estimates and interruptions are in the chain and in the file, beside those of older desks', async () => {
  await recordMarks();
  await run(exportRecord, ...OF_EVENT, '--log');
  const rows = parse<Record<string, string>>(tool.stdout, { columns: true });
  expect(rows.map(({ kind, data = '' }) => [kind, JSON.parse(data) as unknown])).toEqual([
    ['mark', { mark: 'unscanned' }],
    ['take-back', { id: 'old' }],
    [
      'mark',
      { mark: 'unscanned', sinceMs: 1_795_000_000_000, estimate: { count: 50, how: 'a olho; sem pressa' } },
    ],
    ['estimate', { mark: 'new', count: 150, how: 'contagem manual' }],
    ['take-back', { id: 'new', why: 'ended' }],
    ['take-back', { id: 'new', why: 'mistake' }],
    ['interrupted', { what: 'tickets', fromMs: 1, toMs: 2 }],
  ]);
  await run(verifyRecord);
  expect(tool.stdout).toMatch(/: 7 rows, each as it was written; last link 7:[0-9a-f]{64}\n$/);
});

describe('record export', () => {
  test('writes the minutes as a CSV, one line a sector and minute, and says its hash', async () => {
    await recordMatch();
    await run(exportRecord, ...OF_EVENT);
    const lines = tool.stdout.split('\r\n');
    expect(lines).toHaveLength(11);
    expect(lines.slice(0, 4)).toEqual([
      'event,source,import,sector,minute,admitted,net,entered,reverted,moved,lots,valid',
      `${EVENT},live,,,2026-11-18T11:07:00Z,2,10,12,3,1,0,5000`,
      `${EVENT},live,,4,2026-11-18T11:07:00Z,0,10,12,3,1,0,5000`,
      `${EVENT},live,,99,2026-11-18T11:07:00Z,1,10,12,3,1,0,5000`,
    ]);
    expect(lines).toContain(`${EVENT},live,,,2026-11-18T11:09:00Z,22,10,,,,2,5000`);
    expect(tool.stderr).toContain(`9 minutes of a sector; SHA-256 ${sha256(tool.stdout)}\n`);
  });

  test('writes the log with its links into a new file, whole, and runs nobody a formula', async () => {
    await recordMatch();
    const path = join(tool.folder, 'log.csv');
    await run(exportRecord, ...OF_EVENT, '--log', '--out', path);
    const rows = parse<Record<string, string>>(readFileSync(path), { columns: true });
    expect(rows.map(({ seq, by, kind }) => [seq, by, kind])).toEqual([
      ['1', 'Ana Lúcia', 'occurrence'],
      ['2', "'@somebody", 'occurrence'],
      ['3', 'Ana Lúcia', 'occurrence'],
    ]);
    expect(JSON.parse(rows[0]?.['data'] ?? '')).toEqual({ text: '=cmd|"calc"!A1\nsecond line' });
    expect(rows.map(({ previous }) => previous)).toEqual(['', rows[0]?.['sha256'], rows[1]?.['sha256']]);
    expect(tool.stdout).toBe('');
    expect(tool.stderr).toContain(
      `3 entries of the log written to ${path}; SHA-256 ${sha256(readFileSync(path, 'utf8'))}`,
    );
    const again = run(exportRecord, ...OF_EVENT, '--log', '--out', path);
    expect(await refusal(again, GatesError)).toMatch(
      /is there already, and is not replaced.*No file was written/,
    );
    const both = run(exportRecord, ...OF_EVENT, '--log', '--minutes');
    expect(await refusal(both, UsageError)).toMatch(/each is a file of its own/);
  });
});

describe('record verify', () => {
  test('prints the last link of each event, which a later check holds the log against', async () => {
    await recordMatch();
    expect(await run(verifyRecord)).toBe(0);
    expect(tool.stdout).toMatch(
      new RegExp(`^${EVENT}: 3 rows, each as it was written; last link 3:[0-9a-f]{64}\n$`),
    );
    const [, link = ''] = /last link (\S+)/.exec(tool.stdout) ?? [];
    expect(await run(verifyRecord, ...OF_EVENT, '--link', link)).toBe(0);
    expect(await run(verifyRecord, ...OF_EVENT, '--link', `3:${'0'.repeat(64)}`)).toBe(1);
    expect(tool.stdout).toMatch(
      /NOT as it was written: row 3 or .*: its SHA-256 is not the one that was kept/,
    );
    // The last row that was taken away shows nowhere else.
    await tool.database.admin`delete from triagem.log where seq = 3`;
    expect(await run(verifyRecord, ...OF_EVENT)).toBe(0);
    expect(await run(verifyRecord, ...OF_EVENT, '--link', link)).toBe(1);
  });

  test.each([
    ['changed', `update triagem.log set data = '{"text":"nothing"}' where seq = 2`, 3],
    ['given another time', `update triagem.log set at = at + interval '1 ms' where seq = 1`, 2],
    ['given another name', `update triagem.log set by_name = 'somebody' where seq = 2`, 3],
    ['given other figures', `update triagem.log set figures = '{}' where seq = 1`, 2],
    ['removed', 'delete from triagem.log where seq = 2', 2],
    ['removed at the beginning', 'delete from triagem.log where seq = 1', 1],
  ])('tells a row that was %s', async (_what, harm, row) => {
    await recordMatch();
    await tool.database.admin.unsafe(harm);
    expect(await run(verifyRecord)).toBe(1);
    expect(tool.stdout).toMatch(new RegExp(`^${EVENT}: NOT as it was written: row ${row} or `));
  });

  test('says where there is nothing to verify', async () => {
    expect(await run(verifyRecord)).toBe(0);
    expect(tool.stderr).toContain('The record has no log yet.\n');
    const link = `1:${'0'.repeat(64)}`;
    expect(await refusal(run(verifyRecord, '--link', link), UsageError)).toMatch(/name it with --event/);
    expect(await refusal(run(verifyRecord, ...OF_EVENT, '--link', link), GatesError)).toMatch(/has no log/);
    expect(await refusal(run(verifyRecord, ...OF_EVENT, '--link', '3'), UsageError)).toMatch(/SEQ:SHA256/);
  });
});

describe('record import', () => {
  test('adds the minutes of an earlier match, and says so in its log, with the hash of the file', async () => {
    expect(await importLines()).toBe(0);
    expect(tool.stderr).toContain(
      '2 sectors from 2025-05-04T19:00Z to 2025-05-04T19:01Z: 10 in at the end, of 110 valid tickets.\n',
    );
    const hash = sha256(readFileSync(minutesFile(), 'utf8'));
    expect(tool.stdout).toBe(`2 minutes recorded for the event ${EVENT}; SHA-256 of the file ${hash}\n`);
    const rows = await tool.database.admin`
      select source, sector, minute, admitted, net, entered, valid from triagem.minutes order by minute, sector`;
    const at = (time: string): Date => new Date(`2025-05-04T${time}Z`);
    expect(rows).toMatchObject([
      { source: 'import', sector: '7', minute: at('19:00'), admitted: 5, net: 5, entered: null, valid: 100 },
      { sector: '99', minute: at('19:00'), admitted: 0, net: 0 },
      { sector: '7', minute: at('19:01'), admitted: 9, net: 4 },
      { sector: '99', minute: at('19:01'), admitted: 1, net: 1 },
    ]);
    const [entry] = await tool.database.admin`select * from triagem.log`;
    expect(entry).toMatchObject({
      source: 'import',
      kind: 'import',
      data: { minutes: 2, sha256: hash },
      figures: { total: { admitted: 10, valid: 110, perMinute: null }, sector: null },
    });
    expect(await run(verifyRecord)).toBe(0);
  });

  test('takes the same file once; another only in the place of the first, which is withdrawn and stays', async () => {
    await importLines();
    expect(await importLines()).toBe(0);
    expect(tool.stdout).toContain('is recorded for the event');
    expect(await recorded()).toEqual([{ minutes: 4, kinds: 'import' }]);
    const another = [...LINES, '7,2025-05-04T16:02:00-03:00,12,100', '99,2025-05-04T16:02:00-03:00,1,10'];
    const file = minutesFile(another);
    const withoutReplace = run(importRecord, file, ...OF_EVENT, '--yes');
    expect(await refusal(withoutReplace, GatesError)).toMatch(
      /has an import already: .*--replace.*Nothing was recorded/,
    );
    expect(await run(importRecord, file, ...OF_EVENT, '--yes', '--replace')).toBe(0);
    expect(await recorded()).toEqual([{ minutes: 10, kinds: 'import take-back import' }]);
    expect(await run(withdrawImports, ...OF_EVENT)).toBe(0);
    expect(tool.stdout).toContain(`1 import of the event ${EVENT} withdrawn\n`);
    expect(await run(withdrawImports, ...OF_EVENT)).toBe(0);
    expect(tool.stdout).toContain('has no import to withdraw');
    expect(await importLines()).toBe(0);
    expect(await recorded()).toEqual([{ minutes: 14, kinds: 'import take-back import take-back import' }]);
    expect(await run(verifyRecord)).toBe(0);
  });

  test('takes what record export has written, minutes behind a gap too; without their net it names the first that is missing', async () => {
    const { record, stop } = openTestRecord({ url: tool.database.recordUrl, eventId: EVENT });
    await until(() => expect(record.state.kind).toBe('writer'));
    // In the first minute that was watched, some were in already.
    record.writeMinutes([...someMinutes(2, 3), ...someMinutes(9, 2)]);
    await record.append(occurrence('a'));
    await stop();
    const path = join(tool.folder, 'exported.csv');
    await run(exportRecord, ...OF_EVENT, '--out', path);
    expect(await run(importRecord, path, '--event', OTHER_EVENT, '--yes')).toBe(0);
    expect(tool.stdout).toContain('5 minutes recorded');
    const rows = (eventId: string) => tool.database.admin`
      select minute, sector, admitted, net, valid from triagem.minutes
      where event_id = ${eventId} order by minute, sector`;
    expect(await rows(OTHER_EVENT)).toEqual(await rows(EVENT));
    const gap = [...LINES, '7,2025-05-04T16:05:00-03:00,250,100', '99,2025-05-04T16:05:00-03:00,1,10'];
    const attempt = run(importRecord, minutesFile(gap), '--event', 'd'.repeat(32), '--yes');
    expect(await refusal(attempt, GatesError)).toMatch(/^The minute 2025-05-04T19:02Z is missing/);
  });

  test('leaves an event alone that a board records, and takes others meanwhile', async () => {
    const { record } = openTestRecord({ url: tool.database.recordUrl, eventId: EVENT });
    await until(() => expect(record.state.kind).toBe('writer'));
    for (const attempt of [() => importLines(), () => run(withdrawImports, ...OF_EVENT)]) {
      expect(await refusal(attempt(), GatesError)).toMatch(
        /^A board or another command adds to the record of the event e{32} now: .*Nothing was/,
      );
    }
    expect(await run(importRecord, minutesFile(), '--event', OTHER_EVENT, '--yes')).toBe(0);
    await record.append(occurrence('a'));
    expect(await recorded()).toEqual([{ minutes: 4, kinds: 'import occurrence' }]);
  });

  test('is told what is missing, and writes nothing of a file with a bad line', async () => {
    const bad = run(importRecord, minutesFile([...LINES, '7,x,1,1']), ...OF_EVENT, '--yes');
    expect(await refusal(bad, GatesError)).toMatch(/^Line 6 is bad: minute is "x"/);
    expect(await refusal(run(importRecord, minutesFile(), '--yes'), UsageError)).toMatch(
      /--event is missing/,
    );
    expect(await refusal(run(importRecord, minutesFile(), ...OF_EVENT), UsageError)).toMatch(/needs --yes/);
    const nowhere = run(importRecord, join(tool.folder, 'nowhere.csv'), ...OF_EVENT, '--yes');
    expect(await refusal(nowhere, GatesError)).toMatch(/cannot be read/);
    expect(await recorded()).toEqual([{ minutes: 0, kinds: null }]);
  });
});

test('of a board without a desk it says that there is no record', async () => {
  const announced = { url: tool.database.gatesUrl, pid: process.pid };
  writeFileSync(join(tool.folder, 'gates.json'), JSON.stringify(announced));
  const asked = verifyRecord.run([], { DATA_DIR: tool.folder });
  expect(await refusal(asked, GatesError)).toBe(
    `The board of ${tool.folder} keeps no record: start it with DESK_KEY set.`,
  );
});

test('record alone says which commands there are; without its setting it names that', async () => {
  const { record } = RECORD_COMMANDS;
  expect(await refusal(record?.run([], {}) ?? Promise.resolve(), UsageError)).toBe(
    'Which? record export, import, withdraw, verify or drill.',
  );
  const { gatesUrl } = tool.database;
  const unset = verifyRecord.run([], { GATES_DATABASE_URL: gatesUrl });
  expect(await refusal(unset, GatesError)).toMatch(
    /RECORD_DATABASE_URL is not set, and GATES_DATABASE_URL names/,
  );
  const wrong = verifyRecord.run([], { RECORD_DATABASE_URL: gatesUrl });
  expect(await refusal(wrong, GatesError)).toMatch(
    /The database of RECORD_DATABASE_URL gives this role too few rights/,
  );
});
