import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk, openDeskStream } from '../../testing/desk/desk-client.ts';
import { openServerClient } from '../../testing/firestore/server-client.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { freePort } from '../../testing/server/free-port.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { processesNaming, type Program, runProgram } from '../../testing/server/program.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { testInFull } from '../../testing/test-in-full.ts';
import { until } from '../../testing/until.ts';

const START_LIMIT_MS = 180_000;

interface Demo {
  readonly program: Program;
  readonly url: string;
  readonly folder: string;
}

async function runDemo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Demo> {
  const [folder, port] = [makeTestFolder(), await freePort()];
  const settings = { ...env, DATA_DIR: join(folder, 'data'), PORT: String(port) };
  const program = runProgram('demo', ['--firestore', ...args], settings);
  return { program, url: `http://127.0.0.1:${port}`, folder };
}

function printed({ program }: Demo, pattern: RegExp): readonly string[] {
  return pattern.exec(program.stdout())?.slice(1) ?? [];
}

async function untilPrinted({ program }: Demo, text: string): Promise<void> {
  const ended = program.ended.then((end) => {
    throw new Error(`it ended with ${end}: ${program.stdout()}${program.stderr()}`);
  });
  await Promise.race([until(() => expect(program.stdout()).toContain(text), START_LIMIT_MS), ended]);
}

async function expectStopped({ program, folder }: Demo): Promise<void> {
  const stopwatch = startStopwatch({ pids: () => [program.child.pid] });
  expect(await program.end('SIGINT'), program.stdout()).toBe(0);
  expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
  expect(processesNaming(folder)).toEqual([]);
}

test('npm run demo -- --firestore fills a stadium in the emulator, on board and desk, and leaves nothing', async () => {
  const demo = await runDemo(['--tickets', '400', '--speed', '600'], {
    FIRESTORE_EMULATOR_HOST: '127.0.0.1:1',
  });
  await untilPrinted(demo, 'Ctrl-C stops everything');
  const viewer = await openPageClient(demo.url, { host: new URL(demo.url).host });
  expect(demo.program.stdout()).toContain('Not used, as the demo has its own: FIRESTORE_EMULATOR_HOST.');
  expect(demo.program.stdout()).toContain('a stand-in of this demo');
  expect(await (await fetch(demo.url)).text()).toContain('demonstração');

  await untilPrinted(demo, 'All spectators are in');
  const [inside] = printed(demo, /All spectators are in: (\d+) of 400\./).map(Number);
  await until(() => expect([viewer.live, viewer.counts?.total]).toEqual([true, inside]));
  const totals = new Set(viewer.frames.map(({ data }) => data.total));
  expect(totals.size).toBeGreaterThan(5);
  expect(viewer.counts?.others).toBe(0);
  expect(demo.program.stdout()).toMatch(/sector 7 lets nobody in for 6 min/);

  const [host = '', project = '', path = ''] = printed(demo, /Firestore: +(\S+), project (\S+), (\S+)\n/);
  const tickets = openServerClient(host, project).collection(path);
  const counted = await tickets.where('entrou', '==', true).count().get();
  expect(counted.data().count).toBe(inside);

  const [key = ''] = printed(demo, /Desk key: +(\w+)\n/);
  const desk = await openDesk(demo.url, { name: 'Ana', key });
  const stream = await openDeskStream(demo.url, desk.cookie);
  await until(() => expect(stream.state?.times.kickOffAtMs).toBeGreaterThan(Date.now()));
  expect(stream.state?.record).toMatchObject({ state: { kind: 'writer' } });
  stream.leave();
  await expectStopped(demo);
});

testInFull('it ends while it starts, and leaves nothing', async () => {
  const demo = await runDemo([]);
  await untilPrinted(demo, "Starting Google's Firestore emulator");
  await expectStopped(demo);
});

test('without the emulator it says so before anything is made', async () => {
  const demo = await runDemo([], { FIRESTORE_EMULATOR_JAR: '/nowhere/emulator.jar' });
  expect(await demo.program.ended).toBe(1);
  expect(demo.program.stdout()).toBe(
    'FIRESTORE_EMULATOR_JAR is /nowhere/emulator.jar, which is not there.\n',
  );
  expect(readdirSync(demo.folder)).toEqual([]);
});
