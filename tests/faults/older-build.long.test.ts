import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeTestDisk } from '../../testing/database/disk.ts';
import { openForEach } from '../../testing/open-for-tests.ts';
import { type Program, runProgram } from '../../testing/server/program.ts';
import { copyBuiltProject } from '../../testing/project-copy.ts';
import { serverEnvironment } from '../../testing/server/server.ts';
import { until } from '../../testing/until.ts';

/** A service's account on a copy of the project that it may read and not write, with sources newer than the build. */
const disk = openForEach(() => makeTestDisk({ megabytes: 100 }));

beforeEach(() => {
  copyBuiltProject(disk.seenFromOutside);
  appendFileSync(join(disk.seenFromOutside, 'server/config.ts'), '\n');
});

function run(name: string): Program {
  // Nobody answers there: the board serves all the same.
  const env = serverEnvironment('postgres://observer:secret@127.0.0.1:1/triagem', 0);
  return runProgram(name, [], env, disk.enter, disk.folder);
}

const FIX = /build cannot be written here \(EROFS, as uid \d+\)\. Run "npm ci" and "npm run build" in /;

test('the board starts as it was built, and says what is to be done', async () => {
  await disk.setReadOnly(true);
  const server = run('start');
  await until(() => expect(server.stdout()).toContain('serving the board'), 30_000);
  expect(server.stderr()).toMatch(/^WARNING: going on with a build that is older than the sources/);
  expect(server.stderr()).toMatch(FIX);
});

test('a program that can wait does not', async () => {
  await disk.setReadOnly(true);
  const migrate = run('migrate');
  expect(await migrate.ended).toBe(1);
  expect(migrate.stderr()).toMatch(/^The build is older than the sources/);
  expect(migrate.stderr()).toMatch(FIX);
});

test('without a whole build, the start says what to run', async () => {
  rmSync(join(disk.seenFromOutside, 'build/.sources'));
  await disk.setReadOnly(true);
  const server = run('start');
  expect(await server.ended).toBe(1);
  expect(server.stderr()).toMatch(/^Triagem is not built\./);
  expect(server.stderr()).toMatch(FIX);
  expect(server.stderr()).not.toMatch(/\n\s+at /);
});
