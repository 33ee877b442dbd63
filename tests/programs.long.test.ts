import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, describe, expect, test } from 'vitest';
import { SECTOR_CODES } from '../domain/default-sectors.ts';
import { copyUsedDataFolder } from '../testing/database/cluster.ts';
import { IS_FULL } from '../testing/durations.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { install } from '../testing/server/installation.ts';
import { openForAll } from '../testing/open-for-tests.ts';
import { recount } from '../testing/database/oracle.ts';
import { openPageClient, type PageClient } from '../testing/browser/page-client.ts';
import { listenLocally } from '../testing/server/port.ts';
import { processesNaming, type Program } from '../testing/server/program.ts';
import { PROJECT_ROOT } from '../testing/project-root.ts';
import { EMAIL } from '../testing/server/server.ts';
import { startStopwatch } from '../testing/stopwatch.ts';
import { readiness, untilReady } from '../testing/server/test-server.ts';
import { until } from '../testing/until.ts';

/** Each has options of its own. */
const PROGRAMS = [
  'start',
  'demo',
  ...(IS_FULL ? ['migrate', 'keys', 'return', 'firestore', 'dev', 'soak', 'bench'] : []),
];

/** Its database is made: another start is ended while it makes one. */
const board = openForAll(() => {
  const folder = makeTestFolder();
  copyUsedDataFolder(folder);
  return install(folder);
});

async function expectRecount(viewer: PageClient): Promise<void> {
  const sql = postgres((await board.gates('url')).trim(), { max: 1, fetch_types: false });
  await until(async () => {
    expect(viewer.counts).toEqual(await recount(sql));
    expect(viewer.live).toBe(true);
  });
  await sql.end();
}

/** Ends a program, which must take less than 5 s; what ended it. */
async function endWithin5s(program: Program, signal: NodeJS.Signals): Promise<unknown> {
  const stopwatch = startStopwatch({ pids: () => [program.child.pid] });
  const end = await program.end(signal);
  expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
  return end;
}

describe('npm start, with the embedded database', () => {
  /** Without a key, which it makes. */
  const start = async (): Promise<Program> => {
    const program = board.run('start', [], { DASHBOARD_KEY: '' });
    await untilReady(board, 30_000);
    return program;
  };
  const keyOf = async (): Promise<string> =>
    ((await (await fetch(`${board.url}/config.json`)).json()) as { key: string }).key;

  test('shows what the gates tool and a gate system with its connection string write, and survives kill -9 with its key; a second one on its data folder says who holds it, and harms nothing; SIGINT ends it, nothing left', async () => {
    const server = await start();
    const viewer = await openPageClient(board.url, { account: { email: EMAIL, key: await keyOf() } });
    const file = join(board.folder, 'tickets.csv');
    const lines = Array.from({ length: 1_300 }, (_, n) => `t${n},true,false,${SECTOR_CODES[n % 13]}`);
    writeFileSync(file, `id,isValidTicket,entrou,setor\n${lines.join('\n')}\n`);
    await board.gates('import', file);
    await board.gates('enter', '--setor', '4', '--count', '10');
    await board.gates('revert', '--setor', '4', '--count', '3');
    await until(() => expect(viewer.counts?.sectors['4']).toBe(7));

    const sql = postgres((await board.gates('url')).trim(), { max: 4, fetch_types: false });
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => sql`update tickets set entrou = true where id = ${`t${n * 5}`}`),
    );
    await sql.end();
    await expectRecount(viewer);
    const before = viewer.counts;

    const key = await keyOf();
    expect(key.length).toBeGreaterThanOrEqual(16);
    expect(await server.end('SIGKILL')).toBe('SIGKILL');
    const first = await start();
    const after = await openPageClient(board.url, { account: { email: EMAIL, key } });
    await until(() => expect(after.counts).toEqual(before));
    await expectRecount(after);
    expect(await keyOf()).toBe(key);
    expect(statSync(join(board.folder, 'secrets.json')).mode & 0o777).toBe(0o600);

    const second = board.run('start', [], { PORT: '0' });
    expect(await second.ended).toBe(1);
    expect(second.stderr()).toContain(String(first.child.pid));
    expect(second.stderr()).toContain(board.folder);
    expect((await readiness(board)).status).toBe(200);

    expect(await endWithin5s(first, 'SIGINT')).toBe(0);
    await until(() => expect(after.ended).toBe(true));
    expect(processesNaming(board.folder)).toEqual([]);
    expect(server.stdout() + first.stdout()).not.toContain(key);
  });

  test('SIGTERM while the database is made ends it within 5 s, nothing left', async () => {
    const half = join(board.folder, 'half');
    const server = board.run('start', [], { DATA_DIR: half });
    await until(() => expect(server.stdout(), server.stderr()).toContain('making a database'), 30_000);
    expect(await endWithin5s(server, 'SIGTERM'), server.stderr()).toBe(0);
    expect(processesNaming(half)).toEqual([]);
    expect(readdirSync(half).filter((name) => name.startsWith('cluster'))).toEqual([]);
  });

  const terminal = ['script', '--quiet', '--return', '--command', 'npm start', '/dev/null'];
  test.each([
    ['SIGTERM to npm', ['npm', 'start'], 'SIGTERM'],
    ...(IS_FULL
      ? ([
          ['SIGHUP to npm', ['npm', 'start'], 'SIGHUP'],
          ['a terminal that goes away', terminal, 'SIGKILL'],
        ] as const)
      : []),
  ] as const)(
    '%s ends streams and database within 5 s, nothing left',
    async (_what, [command, ...args], signal) => {
      const program = spawn(command, args, {
        cwd: PROJECT_ROOT,
        env: { PATH: process.env['PATH'], HOME: board.folder, ...board.settings },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      await untilReady(board, 30_000);
      const stopwatch = startStopwatch({ pids: () => [] });
      program.kill(signal);
      await until(() => expect(processesNaming(board.folder)).toEqual([]), 30_000);
      expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
    },
  );

  test('without a server, the gates tool says what to start', async () => {
    const program = board.run('gates', ['url']);
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toMatch(/npm start|npm run demo/);
  });
});

describe('settings at fault', () => {
  test('stop the start in one message that names each', async () => {
    const settings = { DATABASE_URL: 'postgres://x@127.0.0.1:1/y', DASHBOARD_KEY: 'short', PORT: 'no' };
    const program = board.run('start', [], settings);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/PORT is "no"/);
    expect(program.stderr()).toMatch(/SESSION_SECRET is missing/);
    expect(program.stderr()).toMatch(/DASHBOARD_KEY is too short/);
  });

  test('that a program does not know end it before it begins', async () => {
    await Promise.all(
      PROGRAMS.map(async (name) => {
        const program = board.run(name, ['--port', '9999', '--bogus']);
        expect(await program.ended, name).toBe(2);
        expect(program.stderr()).toMatch(/Unknown option '--port'\. See npm (run (-s )?)?\w+ -- --help\./);
        expect(program.stdout()).toBe('');
      }),
    );
  });

  test('are explained by a program that is asked for its help', async () => {
    const program = board.run('gates', ['--help']);
    expect(await program.ended).toBe(0);
    expect(program.stdout()).toMatch(/^Usage: npm run -s gates/);
  });
});

describe('what cannot be served is told before a database is made', () => {
  const nothingMade = (): string => join(board.folder, 'nothing-made');

  afterEach(() => {
    expect(existsSync(nothingMade())).toBe(false);
  });

  const NOT_OURS = '192.0.2.1';
  test.each([
    ['a HOST that is not ours', { HOST: NOT_OURS }, /HOST 192\.0\.2\.1 is no address of this machine: set/],
    ...(IS_FULL
      ? ([
          ['a HOST that nobody knows', { HOST: 'nobody.invalid' }, /HOST nobody\.invalid is no address/],
          [
            'a METRICS_HOST',
            { METRICS_PORT: '0', METRICS_HOST: NOT_OURS },
            /METRICS_HOST 192\.0\.2\.1 is no/,
          ],
        ] as const)
      : []),
  ] as const)('%s', async (_what, settings, words) => {
    const program = board.run('start', [], { PORT: '0', DATA_DIR: nothingMade(), ...settings });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(words);
  });

  test.each(
    [
      ['PORT', (port: string) => ({ PORT: port })],
      ['METRICS_PORT', (port: string) => ({ PORT: '0', METRICS_PORT: port })],
    ].slice(0, IS_FULL ? 2 : 1) as [string, (port: string) => Record<string, string>][],
  )('a %s that is taken', async (name, settingsOf) => {
    const other = createServer();
    const port = String(await listenLocally(other));
    const program = board.run('start', [], { ...settingsOf(port), DATA_DIR: nothingMade() });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain(` ${name} ${port} is taken by process ${process.pid} (`);
    other.close();
  });

  // Other systems have no folder that refuses every account and tells it so in this way.
  test.skipIf(!existsSync('/proc/self'))('a DATA_DIR that cannot be made, in one message', async () => {
    const program = board.run('start', [], { DATA_DIR: '/proc/nope' });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/The data folder \/proc\/nope cannot be made \(.*\)\. Set DATA_DIR to/);
    expect(program.stderr()).not.toMatch(/\n\s+at /);
  });
});

describe('npm run demo', () => {
  test('fills the stadium, says how to stop, and leaves nothing', async () => {
    const demo = board.run('demo', ['--speed', '2000']);
    await until(() => expect(demo.stdout()).toContain(board.url), 120_000);
    expect(demo.stdout()).toMatch(/Ctrl-C/);
    expect(await (await fetch(board.url)).text()).toContain('demonstração');
    const viewer = await openPageClient(board.url);
    await until(() => expect(viewer.counts?.total).toBeGreaterThan(2_000), 40_000);
    expect(viewer.counts?.others).toBe(0);
    expect(demo.stdout()).toMatch('Inventing twelve earlier matches');
    await until(() => expect(demo.stdout()).toMatch(/sector 7 lets nobody in for 6 min/), 20_000);
    const key = /Desk key: +([0-9a-f]{24})\n/.exec(demo.stdout())?.[1];
    expect(demo.stdout()).toContain(`The desk:   ${board.url}/fluxo#chave=${key}&nome=Demo\n`);
    const signIn = await fetch(`${board.url}/fluxo/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: board.url },
      body: JSON.stringify({ name: 'Ana', key }),
    });
    expect(signIn.status).toBe(204);
    expect(demo.stderr()).toMatch(
      /Event \w{32} \("Triagem · Palestra × Atlético"\), which the running board shows/,
    );
    expect(demo.stderr()).not.toMatch('GATES_DATABASE_URL');
    expect(await demo.end('SIGINT')).toBe(0);
    expect(processesNaming(board.folder)).toEqual([]);
  });
});
