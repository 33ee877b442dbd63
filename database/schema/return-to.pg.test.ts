import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { positionOf } from '../../domain/live-message.ts';
import { shortTimelineOf } from '../../domain/log-position.ts';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { FAULT_LIMITS } from '../../testing/durations.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { runAtTerminal } from '../../testing/server/terminal.ts';
import { runProgram } from '../../testing/server/program.ts';
import { startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { OWNER_PLACE } from './preconditions.ts';
import { returnTo } from './return-to.ts';

const AT_MS = 1_795_000_000_000;

test('only the owner of a database can go back to its former primary, which then ranks above the timelines before', async () => {
  const database = await createTestDatabase({ outside: { a: '4', b: '4' } });
  const server = await startTestServer(database, {}, { limits: FAULT_LIMITS });
  const screen = openScreen(server.url);
  await setEntered(database.gates, 'a', true);
  await until(() => expect([screen.live, screen.total]).toEqual([true, 1]));
  const timeline = (): string =>
    shortTimelineOf(positionOf(screen.board.shown?.id ?? '')).split('.')[1] ?? '';
  expect(timeline()).toBe('11');
  const said: string[] = [];
  const asked: string[] = [];
  let isRefused = false;
  let nowMs = AT_MS;
  const give = (ownerUrl: string): Promise<void> =>
    returnTo({
      ownerUrl,
      place: OWNER_PLACE,
      host: undefined,
      by: "Ana d'Ávila",
      now: () => nowMs,
      confirm: async (question) => {
        asked.push(question);
        if (isRefused) throw new Error('refused');
      },
      log: (line) => void said.push(line),
    });
  await expect(give(database.observerUrl)).rejects.toThrow('does not own public.triagem_schema');
  await expect(give(database.recordUrl)).rejects.toThrow('does not own public.triagem_schema');
  const two = database.ownerUrl.replace('127.0.0.1', '127.0.0.1:1,127.0.0.1');
  await expect(give(two)).rejects.toThrow(/MIGRATE_DATABASE_URL names 127.0.0.1:1, .* Say which of them/);
  isRefused = true;
  await expect(give(database.ownerUrl)).rejects.toThrow('refused');
  isRefused = false;
  expect(said).toEqual([]);
  expect(asked.at(-1)).toMatch(
    /^Go back to 127\.0\.0\.1:\d+, on timeline 1\? What only another primary has /,
  );
  // Another host, which is not named, has none of a later time; with a clock that stands, each is above the one before.
  for (const [afterS, rank] of [
    [0, 0x6afd_86c0],
    [0, 0x6afd_86c1],
    [60, 0x6afd_86fc],
    [0, 0x6afd_86fd],
  ] as const) {
    nowMs = AT_MS + afterS * 1_000;
    await give(database.ownerUrl);
    const returned = `R8${rank.toString(16).toUpperCase()}11`;
    await until(() => expect([screen.live, timeline()]).toEqual([true, returned]));
  }
  expect(said[0]).toMatch(/^127\.0\.0\.1:\d+ counts again, on timeline 1: by Ana d'Ávila\.$/);
  await setEntered(database.gates, 'b', true);
  await until(() => expect([screen.live, screen.total]).toEqual([true, 2]));
});

test('npm run return asks, and changes nothing unless the answer is yes', async () => {
  const database = await createTestDatabase();
  for (const [answer, exitCode, printed] of [
    ['\n', 1, 'Nothing was changed.'],
    ['\x03', 1, 'Nothing was changed.'],
    ['sim\n', 0, 'counts again'],
  ] as const) {
    const terminal = runAtTerminal(['return', '--by', 'Ana'], { MIGRATE_DATABASE_URL: database.ownerUrl });
    await until(() => expect(terminal.shown()).toContain('[y/N]'));
    terminal.type(answer);
    expect(await terminal.ended).toBe(exitCode);
    expect(terminal.shown()).toContain(printed);
  }
  const piped = runProgram('return', ['--by', 'Ana'], { MIGRATE_DATABASE_URL: database.ownerUrl });
  expect(await piped.ended).toBe(2);
  expect(piped.stderr()).toContain('it needs --yes, as nobody is here to be asked');
});

test('npm run return finds the embedded database that runs in DATA_DIR, unless the settings name another server', async () => {
  const { gatesUrl, ownerUrl, observerUrl } = await createTestDatabase();
  const dataDir = makeTestFolder();
  const goBack = (env: Record<string, string> = {}) =>
    runProgram('return', ['--by', 'Ana', '--yes'], { DATA_DIR: dataDir, ...env });
  const nobody = goBack();
  expect([await nobody.ended, nobody.stderr()]).toEqual([
    2,
    expect.stringContaining(`MIGRATE_DATABASE_URL is not set, and no embedded database runs in ${dataDir}, `),
  ]);
  cpSync(join(inject('usedDataFolder'), 'secrets.json'), join(dataDir, 'secrets.json'));
  writeFileSync(join(dataDir, 'gates.json'), JSON.stringify({ url: gatesUrl, pid: process.pid }));
  const other = goBack({ DATABASE_URL: observerUrl });
  expect([await other.ended, other.stderr()]).toEqual([
    2,
    expect.stringContaining('MIGRATE_DATABASE_URL is not set.'),
  ]);
  const found = goBack();
  expect([await found.ended, found.stdout(), found.stderr()]).toEqual([
    0,
    expect.stringContaining(`${new URL(ownerUrl).host} counts again, on timeline 1: by Ana.`),
    expect.stringContaining(`Using the database in ${dataDir} (port ${new URL(ownerUrl).port}).`),
  ]);
});
