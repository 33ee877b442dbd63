import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { PROJECT_ROOT } from '../testing/project-root.ts';
import { processesNaming } from '../testing/server/program.ts';
import { EMAIL, KEY } from '../testing/server/server.ts';

/** A network of its own, in which there is nothing but this machine. */
const ISOLATED = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--map-current-user', '--keep-caps']),
  '--net',
];
const LOOPBACK_UP = `perl -e 'my $r = pack("a16s", "lo", 0x41); socket(my $s, 2, 2, 0); ioctl($s, 0x8914, $r) or die $!'`;

/** Signs in, and prints what the board says. */
const READ_BOARD = `
  const url = 'http://127.0.0.1:3000';
  for (;;) {
    const ready = await fetch(url + '/readyz').catch(() => undefined);
    if (ready?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { eventId, email, key } = await (await fetch(url + '/config.json')).json();
  const body = JSON.stringify({ email, key });
  const signedIn = await fetch(url + '/api/sign-in', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const cookie = signedIn.headers.get('set-cookie').split(';')[0];
  const count = await fetch(url + '/api/events/' + eventId + '/tickets/count?isValidTicket=true', { headers: { cookie } });
  const elsewhere = await fetch('http://192.0.2.1/').catch(({ cause }) => cause.code);
  console.log(JSON.stringify({ page: (await fetch(url)).status, eventId, ...(await count.json()), elsewhere }));
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'triagem-package-'));
  chmodSync(folder, 0o755);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the archive is installed and run on a machine without a network, on its own Node', async () => {
  // How hard it is packed has no bearing on what is in it.
  const env = { ...process.env, GZIP: '-1' };
  const options = { cwd: PROJECT_ROOT, encoding: 'utf8', stdio: 'pipe', env } as const;
  const told = execFileSync(process.execPath, ['tools/package.mjs'], options);
  const archive = /^(\/.*\.tar\.gz) \(\d+ MB\)\n$/.exec(told)?.[1] ?? '';
  execFileSync('tar', ['--extract', `--file=${archive}`, '--strip-components=1', `--directory=${folder}`]);
  const version = /triagem-(\d+\.\d+\.\d+)-/.exec(archive)?.[1] ?? 'a version';
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  expect(readme).toMatch(`# Triagem ${version}, installed`);
  // `triagem-*/` is two folders once there is a `triagem-data`.
  expect(readme).toContain(`cd ${execFileSync('tar', ['-tf', archive], options).split('/', 1)[0]}\n`);
  // The archive has no tools/.
  const guide = readFileSync(join(folder, 'docs/gates.md'), 'utf8');
  const started = [...guide.matchAll(/^ExecStart=.* tools\/launch\.mjs (.*)$/gm)].map(
    ([, command]) => command,
  );
  expect(started).toHaveLength(2);
  for (const command of started)
    expect(guide).toContain(`\n# From the archive: ExecStart=/opt/triagem/triagem ${command}\nExecStart=`);
  // The page is built already, and nothing that builds or tests is there.
  for (const name of ['react', 'typescript', 'vitest']) {
    expect(existsSync(join(folder, 'node_modules', name))).toBe(false);
  }
  expect(readdirSync(join(folder, 'build')).toSorted()).toEqual([
    'board',
    'database',
    'desk',
    'domain',
    'fleet',
    'gates',
    'server',
    'web',
  ]);
  expect(readdirSync(join(folder, 'deploy')).toSorted()).toEqual([
    'connecting.html',
    'firestore.rules',
    'grafana-dashboard.json',
    'kiosk.sh',
    'nats-server.conf',
    'nginx-edges.conf',
    'nginx.conf',
    'prometheus-alerts.yml',
    'prometheus.yml',
    'triagem.service',
    'triagem@.service',
  ]);

  const usage = spawnSync(join(folder, 'triagem'), { encoding: 'utf8' }).stderr;
  const programs = (/^Usage: triagem (.*?)\. Each/.exec(usage)?.[1] ?? '').split(' | ');
  expect(programs.length).toBeGreaterThan(4);
  for (const program of programs) {
    const [name = ''] = program.split(' ');
    expect(execFileSync(join(folder, 'triagem'), [name, '--help'], { encoding: 'utf8' })).toMatch(/Usage:/);
  }

  const script = `${LOOPBACK_UP}
    ./triagem start >/dev/null & server=$!
    ./node --input-type=module -e "$READ_BOARD" >/dev/null
    printf 'id,isValidTicket,entrou,setor\\na,true,true,4\\nb,false,false,9\\n' | ./triagem gates import - 2>/dev/null
    ./node --input-type=module -e "$READ_BOARD"
    kill $server; wait $server; echo "ended with $?"
    env -u DATA_DIR -u DASHBOARD_EMAIL -u DASHBOARD_KEY ROLE=counter ./triagem start 2>&1 || true`;
  const settings = {
    PATH: '/usr/bin:/bin',
    DATA_DIR: join(folder, 'data'),
    DASHBOARD_EMAIL: EMAIL,
    DASHBOARD_KEY: KEY,
    READ_BOARD,
  };
  const { stdout } = await promisify(execFile)('unshare', [...ISOLATED, 'sh', '-euc', script], {
    cwd: folder,
    env: settings,
  });
  const [inserted, , , said = '', ended, ...faults] = stdout.split('\n');
  expect(inserted).toBe('2 inserted');
  expect(JSON.parse(said)).toEqual({
    page: 200,
    eventId: DEFAULT_EVENT_ID,
    count: 1,
    elsewhere: 'ENETUNREACH',
  });
  expect(ended).toBe('ended with 0');
  // It wants no folder of data.
  expect(faults.join('\n')).toMatch(/NATS_URL is missing/);
  expect(faults.join('\n')).not.toMatch(/DATA_DIR/);
  expect(processesNaming(folder)).toEqual([]);
});
