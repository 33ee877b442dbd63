import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { DESK_EVENT_PATH, openDesk } from '../testing/desk-client.ts';
import { makeTestFolder } from '../testing/folder.ts';
import { freePort } from '../testing/free-port.ts';
import { type Program, processesNaming, runProgram } from '../testing/program.ts';
import { openScreen } from '../testing/screen.ts';
import { until } from '../testing/until.ts';

/** Of what `npm run demo:fleet` says that it runs. */
function processOf({ stdout }: Program, name: string): number {
  const [, , again] = stdout().split(new RegExp(`(${name} runs again: process )`));
  const [, first] = new RegExp(`^  ${name} +(\\d+) `, 'm').exec(stdout()) ?? [];
  return Number.parseInt(again ?? first ?? '', 10);
}

test('npm run demo:fleet says what runs where; what is killed comes back; Ctrl-C leaves nothing running', async () => {
  const folder = makeTestFolder();
  const port = await freePort();
  const env = { ...process.env, DATA_DIR: folder, PORT: String(port) };
  const demo = runProgram('demo:fleet', ['--speed', '30'], env);
  await until(() => {
    expect(demo.child.exitCode, demo.stdout() + demo.stderr()).toBeNull();
    expect(demo.stdout()).toContain('Ctrl-C stops everything');
  }, 120_000);
  const screen = openScreen(`http://127.0.0.1:${port}`);
  await until(() => expect(screen.live).toBe(true));

  for (const name of ['edge-1', 'counter-1', 'nats-1', 'nginx']) {
    const killed = processOf(demo, name);
    process.kill(killed, 'SIGKILL');
    await until(() => expect(processOf(demo, name)).not.toBe(killed));
  }
  await until(() => expect(screen.live).toBe(true));
  const total = screen.total ?? 0;
  await until(() => expect(screen.total).toBeGreaterThan(total));

  // The desk's key is that of every edge.
  const [, key = ''] = /^ {2}Desk key: +(\S+)$/m.exec(demo.stdout()) ?? [];
  const edgePorts = [...demo.stdout().matchAll(/^ {2}edge-\d .*:(\d+)\/readyz$/gm)].map((match) => match[1]);
  expect(edgePorts).toHaveLength(2);
  for (const each of [port, ...edgePorts]) {
    // An edge that runs again may not listen yet.
    await until(async () => {
      const desk = await openDesk(`http://127.0.0.1:${each}`, { name: 'Ana', key });
      expect((await desk.get(`${DESK_EVENT_PATH}/log`)).status).toBe(200);
    });
  }
  expect(demo.stderr()).toContain('counters count it for their edges');

  // The spectators go on where they were.
  const killedAtMs = performance.now();
  const before = screen.total ?? 0;
  process.kill(processOf(demo, 'PostgreSQL primary'), 'SIGQUIT');
  await until(() => expect(screen.live).toBe(false));
  const [, promote = ''] = /the standby is promoted:\n +(.*)\n/.exec(demo.stdout()) ?? [];
  execFileSync('sh', ['-c', promote], { stdio: 'ignore' });
  await until(() => expect([screen.live, (screen.total ?? 0) > before]).toEqual([true, true]), 60_000);
  const shownSince = screen.displayed.filter(({ atMs }) => atMs > killedAtMs);
  expect(Math.min(...shownSince.map((displayed) => displayed.total ?? 0))).toBeGreaterThan(before / 2);

  const left = ['counter-1', 'counter-2', 'edge-1', 'edge-2'].map((name) => processOf(demo, name));
  expect(await demo.end('SIGINT')).toBe(0);
  for (const pid of left) expect(() => process.kill(pid, 0), String(pid)).toThrow('ESRCH');
  expect(processesNaming(folder)).toEqual([]);
}, 300_000);
