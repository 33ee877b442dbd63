import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { SECTOR_CODES } from '../domain/default-sectors.ts';
import { freePort } from '../server/database/embedded/free-port.ts';
import { recountShown } from '../testing/oracle.ts';
import { openPageClient, type PageClient } from '../testing/page-client.ts';
import { processesNaming, type Program, runProgram } from '../testing/program.ts';
import { EMAIL, KEY } from '../testing/server.ts';
import { startStopwatch } from '../testing/stopwatch.ts';
import { until } from '../testing/until.ts';

let dataDir: string;
let env: Record<string, string>;
let url: string;
const running: Program[] = [];

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'triagem-programs-'));
  chmodSync(dataDir, 0o755);
  const [port, databasePort] = [await freePort(), await freePort()];
  url = `http://127.0.0.1:${port}`;
  env = {
    PORT: String(port),
    EMBEDDED_DATABASE_PORT: String(databasePort),
    DATA_DIR: dataDir,
    DASHBOARD_EMAIL: EMAIL,
    DASHBOARD_KEY: KEY,
  };
});

afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
});

afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

function run(name: string, args: readonly string[] = [], more: Record<string, string> = {}): Program {
  const program = runProgram(name, args, { ...env, ...more });
  running.push(program);
  return program;
}

async function startServer(): Promise<Program> {
  const server = run('start');
  await until(async () => {
    expect(server.child.exitCode, server.stderr()).toBeNull();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  }, 30_000);
  return server;
}

/** A gates command; its standard output, once it has succeeded. */
async function gates(...args: string[]): Promise<string> {
  const program = run('gates', args);
  expect(await program.ended, program.stderr()).toBe(0);
  return program.stdout();
}

async function expectRecount(viewer: PageClient): Promise<void> {
  const sql = postgres((await gates('url')).trim(), { max: 1 });
  await until(async () => {
    expect(viewer.counts).toEqual(await recountShown(sql, DEFAULT_EVENT_ID));
    expect(viewer.live).toBe(true);
  });
  await sql.end();
}

describe('npm start, with the embedded database', () => {
  test('shows what the gates tool and a gate system with its connection string write, and survives kill -9', async () => {
    const server = await startServer();
    const viewer = await openPageClient(url);
    const file = join(dataDir, 'tickets.csv');
    const lines = Array.from({ length: 1_300 }, (_, n) => `t${n},true,false,${SECTOR_CODES[n % 13]}`);
    writeFileSync(file, `id,isValidTicket,entrou,setor\n${lines.join('\n')}\n`);
    await gates('import', file);
    await gates('enter', '--setor', '4', '--count', '10');
    await gates('revert', '--setor', '4', '--count', '3');
    await until(() => expect(viewer.counts?.sectors['4']).toBe(7));

    const sql = postgres((await gates('url')).trim(), { max: 4 });
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => sql`update tickets set entrou = true where id = ${`t${n * 5}`}`),
    );
    await sql.end();
    await expectRecount(viewer);
    const before = viewer.counts;

    server.child.kill('SIGKILL');
    expect(await server.ended).toBe('SIGKILL');
    await startServer();
    const after = await openPageClient(url);
    await until(() => expect(after.counts).toEqual(before));
    await expectRecount(after);
    after.leave();
  });

  test('a second one on the same data folder says who holds it, and harms nothing', async () => {
    const first = await startServer();
    const second = run('start', [], { PORT: '0' });
    expect(await second.ended).toBe(1);
    expect(second.stderr()).toContain(String(first.child.pid));
    expect(second.stderr()).toContain(dataDir);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends streams and database, exit 0 within 5 s, nothing left',
    async (signal) => {
      const server = await startServer();
      const viewer = await openPageClient(url);
      const stopwatch = startStopwatch({ pids: () => [server.child.pid] });
      server.child.kill(signal);
      expect(await server.ended).toBe(0);
      expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
      await until(() => expect(viewer.ended).toBe(true));
      expect(processesNaming(dataDir)).toEqual([]);
      expect(server.stdout()).not.toContain(KEY);
    },
  );

  test('SIGTERM while the database is made ends it within 5 s, nothing left', async () => {
    const folder = join(dataDir, 'half');
    const server = run('start', [], { DATA_DIR: folder });
    await until(() => expect(server.stdout(), server.stderr()).toContain('making a database'), 30_000);
    const stopwatch = startStopwatch({ pids: () => [server.child.pid] });
    server.child.kill('SIGTERM');
    expect(await server.ended, server.stderr()).toBe(0);
    expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
    expect(processesNaming(folder)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith('cluster'))).toEqual([]);
  });

  const terminal = ['script', '--quiet', '--return', '--command', 'npm start', '/dev/null'];
  test.each([
    ['SIGTERM to npm', ['npm', 'start'], 'SIGTERM'],
    ['SIGHUP to npm', ['npm', 'start'], 'SIGHUP'],
    ['a terminal that goes away', terminal, 'SIGKILL'],
  ] as const)(
    '%s ends streams and database within 5 s, nothing left',
    async (_what, [command, ...args], signal) => {
      const program = spawn(command, args, {
        cwd: join(import.meta.dirname, '..'),
        env: { PATH: process.env['PATH'], HOME: dataDir, ...env },
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      await until(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 30_000);
      const stopwatch = startStopwatch({ pids: () => [] });
      program.kill(signal);
      await until(() => expect(processesNaming(dataDir)).toEqual([]), 30_000);
      expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
    },
  );

  test('makes a key and a secret once, and keeps them where only its user reads', async () => {
    const keys: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const server = run('start', [], { DASHBOARD_KEY: '' });
      await until(async () => {
        const { key } = (await (await fetch(`${url}/config.json`)).json()) as { key: string };
        keys[round] = key;
      }, 30_000);
      server.child.kill('SIGTERM');
      await server.ended;
      expect(server.stdout()).not.toContain(keys[round]);
    }
    expect(keys[0]?.length).toBeGreaterThanOrEqual(16);
    expect(keys[1]).toBe(keys[0]);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  test('without a server, the gates tool says what to start', async () => {
    const program = run('gates', ['url']);
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toMatch(/npm start|npm run demo/);
  });
});

describe('settings at fault', () => {
  test('stop the start in one message that names each', async () => {
    const program = run('start', [], {
      DATABASE_URL: 'postgres://x@127.0.0.1:1/y',
      DASHBOARD_KEY: 'short',
      PORT: 'no',
    });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(
      /PORT is "no"[\s\S]*SESSION_SECRET is missing|SESSION_SECRET is missing[\s\S]*PORT is "no"/,
    );
    expect(program.stderr()).toMatch(/DASHBOARD_KEY is too short/);
  });

  test('of a program are named, with its help', async () => {
    const program = run('gates', ['enter', '--setro', '4']);
    expect(await program.ended).toBe(2);
    expect(program.stderr()).toMatch(/--setro/);
    expect(program.stderr()).toMatch(/--help/);
    const demo = run('demo', ['--sped', '4']);
    expect(await demo.ended).toBe(2);
    expect(demo.stdout() + demo.stderr()).toMatch(/--sped/);
  });

  test('that a program does not know end it before it begins', async () => {
    await Promise.all(
      ['start', 'migrate', 'demo', 'dev', 'soak', 'bench'].map(async (name) => {
        const program = run(name, ['--port', '9999', '--bogus']);
        expect(await program.ended, name).toBe(2);
        expect(program.stderr()).toMatch(/Unknown option '--port'\. See npm (run )?\w+ -- --help\./);
        expect(program.stdout()).toBe('');
      }),
    );
  });

  const EXPLAINED: readonly [name: string, args: readonly string[]][] = [
    ['gates', ['--help']],
    ['gates', ['import', '--help']],
    ['gates', ['enter', '--help']],
    ['gates', ['revert', '--help']],
    ['gates', ['simulate', '--help']],
    ['gates', ['url', '--help']],
    ['gates', ['listen', '--help']],
    ['gates', ['backup', '--help']],
    ['gates', ['restore', '--help']],
    ['demo', ['--help']],
    ['migrate', ['--help']],
    ['start', ['--help']],
    ['dev', ['--help']],
    ['soak', ['--help']],
    ['bench', ['--help']],
  ];

  test('are explained by each program', async () => {
    await Promise.all(
      EXPLAINED.map(async ([name, args]) => {
        const program = run(name, args);
        expect(await program.ended, name).toBe(0);
        expect(program.stdout()).toMatch(/Usage/);
      }),
    );
  });
});

describe('what cannot be served is told before a database is made', () => {
  const nothingMade = join(tmpdir(), `triagem-nothing-${randomBytes(6).toString('hex')}`);

  afterEach(() => {
    expect(existsSync(nothingMade)).toBe(false);
  });

  test.each([
    [
      'a HOST that is not ours',
      { HOST: '192.0.2.1' },
      /HOST 192\.0\.2\.1 is no address of this machine: set/,
    ],
    [
      'a HOST that nobody knows',
      { HOST: 'no-such-host.invalid' },
      /HOST no-such-host\.invalid is no address/,
    ],
    ['a METRICS_HOST', { METRICS_PORT: '0', METRICS_HOST: '192.0.2.1' }, /METRICS_HOST 192\.0\.2\.1 is no/],
  ])('%s', async (_what, settings, words) => {
    const program = run('start', [], { PORT: '0', DATA_DIR: nothingMade, ...settings });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(words);
  });

  test.each([
    ['PORT', (port: string) => ({ PORT: port })],
    ['METRICS_PORT', (port: string) => ({ PORT: '0', METRICS_PORT: port })],
  ])('a %s that is taken', async (name, settingsOf) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const program = run('start', [], { ...settingsOf(String(port)), DATA_DIR: nothingMade });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(
      new RegExp(` ${name} ${port} is taken: stop who uses it, or set another`),
    );
    other.close();
  });

  // Other systems have no folder that refuses every account and tells it so in this way.
  test.skipIf(!existsSync('/proc/self'))('a DATA_DIR that cannot be made, in one message', async () => {
    const program = run('start', [], { DATA_DIR: '/proc/nope' });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/The data folder \/proc\/nope cannot be made \(.*\)\. Set DATA_DIR to/);
    expect(program.stderr()).not.toMatch(/\n\s+at /);
  });
});

describe('npm run demo', () => {
  test('fills the stadium, says how to stop, and leaves nothing', async () => {
    const demo = run('demo', ['--speed', '6000']);
    await until(() => expect(demo.stdout()).toContain(url), 30_000);
    expect(demo.stdout()).toMatch(/Ctrl-C/);
    const html = await (await fetch(url)).text();
    expect(html).toContain('demonstração');
    const viewer = await openPageClient(url);
    await until(() => expect(viewer.counts?.total).toBeGreaterThan(2_000), 40_000);
    expect(viewer.counts?.others).toBe(0);
    expect(demo.stderr()).toMatch(
      /Event \w{32} \("Triagem · Palestra × Atlético"\), which the running board shows/,
    );
    expect(demo.stderr()).not.toMatch('GATES_DATABASE_URL');
    demo.child.kill('SIGINT');
    expect(await demo.ended).toBe(0);
    expect(processesNaming(dataDir)).toEqual([]);
  });
});
