import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useGatesTool } from '../testing/gates/gates-tool.ts';
import { PROJECT_ROOT } from '../testing/project-root.ts';
import { enter, revert } from './simulator/enter.ts';
import { GatesError, UsageError } from './cli/errors.ts';
import { importTickets } from './import/import.ts';
import { simulate } from './simulator/simulate.ts';
import { url } from './cli/url.ts';

const tool = useGatesTool();
const { run } = tool;

test('url prints the connection string and nothing else on stdout', async () => {
  await run(url);
  expect(tool.stdout).toBe(`${tool.database.gatesUrl}\n`);
});

test.each([
  [enter, ['--sector', '4'], 'There is no option "--sector".'],
  [enter, ['--count', '0'], '--count is "0"'],
  [enter, ['--count', '1.5'], '--count is "1.5"'],
  [enter, ['--count', '-1'], '--count is "-1", which is not a whole number from 1 on.'],
  [enter, ['--count=-1'], '--count is "-1"'],
  [enter, ['--count'], '--count needs a value.'],
  [enter, ['--event', '--batch'], '--event needs a value.'],
  [enter, ['--batch=yes'], '--batch takes no value.'],
  [enter, ['-x'], 'There is no option "-x".'],
  [enter, ['--', '-x'], '"-x" is one argument too many.'],
  [enter, ['--id', 'a', '--setor', '4'], '--id names the tickets'],
  [revert, ['--id', 'a', '--count', '1'], '--id names the tickets'],
  [enter, ['--setor', '4'], 'Say which tickets'],
  [revert, [], 'Say which tickets'],
  [revert, ['--count', '1', '--event', 'x'], '--event is "x"'],
  [importTickets, [], 'FILE.csv is missing'],
  [importTickets, ['a', 'b'], '"b" is one argument too many'],
  [simulate, ['--speed', '-1'], '--speed is "-1"'],
  [simulate, ['--remove', '--reset'], '--remove goes with --event only.'],
  [simulate, ['--speed', 'fast'], '--speed is "fast"'],
  [url, ['x'], '"x" is one argument too many'],
])('a wrong option is named (%#)', async (command, args, text) => {
  await expect(run(command, ...args)).rejects.toThrow(UsageError);
  await expect(run(command, ...args)).rejects.toThrow(text);
});

test('output that cannot be written is said, and the command has failed', () => {
  const { status, stderr } = spawnSync('bash', ['-c', 'node tools/launch.mjs gates url > /dev/full'], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, GATES_DATABASE_URL: tool.database.gatesUrl },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Standard output cannot be written: ENOSPC/m)]);
});

test('the reader of the output may leave: the command finishes, and the exit code reports it', async () => {
  const file = tool.csv('a,1,0,4', 'b,1,0,4');
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', 'node tools/launch.mjs gates import "$0" 2>&1 | true; exit "${PIPESTATUS[0]}"', file],
    {
      cwd: PROJECT_ROOT,
      env: { ...process.env, GATES_DATABASE_URL: tool.database.gatesUrl },
      encoding: 'utf8',
    },
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(await tool.tickets()).toHaveLength(2);
});

test('where no database runs, the message names what to start', async () => {
  await expect(url.run([], { DATA_DIR: tool.folder })).rejects.toThrow(/npm start/);
  writeFileSync(
    join(tool.folder, 'gates.json'),
    JSON.stringify({ url: 'postgres://a:b@127.0.0.1:1/x', pid: 1 }),
  );
  await expect(url.run([], { DATA_DIR: tool.folder })).rejects.toThrow(/does not answer/);
});

test('where a database is down whose board runs, the message names it, and no other is looked for', async () => {
  const announcement = { url: 'postgres://a:b@127.0.0.1:1/x', pid: process.pid };
  writeFileSync(join(tool.folder, 'gates.json'), JSON.stringify(announcement));
  const asking = url.run([], { DATA_DIR: tool.folder });
  await expect(asking).rejects.toThrow(`The database in ${tool.folder} does not answer: `);
  await expect(asking).rejects.not.toThrow('No running embedded database');
});

test('a wrong GATES_DATABASE_URL is explained, with the fix', async () => {
  const refused = async (change: Partial<URL>): Promise<string> => {
    const wrong = Object.assign(new URL(tool.database.gatesUrl), change).href;
    const error: unknown = await url
      .run([], { GATES_DATABASE_URL: wrong })
      .catch((reason: unknown) => reason);
    return error instanceof GatesError ? error.message : String(error);
  };
  expect(await refused({ password: 'wrong' })).toMatch(/refuses the login: correct user and password/);
  expect(await refused({ pathname: '/none' })).toMatch(/does not exist: create it, or correct its name/);
  const listed = url.run([], { GATES_DATABASE_URL: 'postgres://a:b@h1,/x' });
  await expect(listed).rejects.toThrow('GATES_DATABASE_URL has no host in place 2 of its 2');
  const silent = url.run([], { GATES_DATABASE_URL: 'postgres://a:b@[::1]:1,127.0.0.1:1/x' });
  await expect(silent).rejects.toThrow(
    /^GATES_DATABASE_URL names no host that is the primary: \[::1\]:1 does not answer \(.*::1.*\); 127\.0\.0\.1:1 does not answer/,
  );
  expect(await refused({ port: '1' })).toMatch(/GATES_DATABASE_URL does not answer: connect ECONNREFUSED/);
});
