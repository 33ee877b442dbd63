import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { createTestDatabase } from '../testing/database/database.ts';
import { DESK_KEY } from '../testing/desk/desk-app.ts';
import { startEntryLoad } from '../testing/gates/entry-load.ts';
import { freePort } from '../testing/server/free-port.ts';
import { GATES_KEY, postTickets } from '../testing/gates/gates-listener.ts';
import { openPageClient } from '../testing/browser/page-client.ts';
import { processesNaming, type Program, runProgram } from '../testing/server/program.ts';
import { EMAIL, KEY } from '../testing/server/server.ts';
import { startStopwatch } from '../testing/stopwatch.ts';
import { until } from '../testing/until.ts';

/** With the embedded PostgreSQL; and from its return on. */
const STOPPED_WITHIN_MS = 3_000;
const WRITES_WITHIN_MS = 1_000;

const dataDir = join(tmpdir(), `triagem-http-${randomBytes(6).toString('hex')}`);
const running: Program[] = [];

afterEach(async () => {
  for (const { child, ended } of running.splice(0).toReversed()) {
    child.kill('SIGTERM');
    await ended;
  }
  expect(processesNaming(dataDir)).toEqual([]);
  rmSync(dataDir, { recursive: true, force: true });
});

/** Of a board, and of what writes to its database. */
async function settings() {
  return {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    EMBEDDED_DATABASE_PORT: String(await freePort()),
    EVENT_TITLE: 'Palestra × Atlético',
    DASHBOARD_EMAIL: EMAIL,
    DASHBOARD_KEY: KEY,
  };
}

async function startBoard(env: Awaited<ReturnType<typeof settings>>): Promise<Program> {
  const board = runProgram('start', [], env);
  running.push(board);
  await until(async () => {
    expect(board.child.exitCode, board.stderr()).toBeNull();
    expect((await fetch(`http://127.0.0.1:${env.PORT}/readyz`)).status).toBe(200);
  }, 30_000);
  return board;
}

/** Returns its address. */
async function startListener(env: Readonly<Record<string, string>>): Promise<string> {
  const gates = runProgram('gates', ['listen'], { ...env, GATES_HTTP_KEY: GATES_KEY, GATES_HTTP_PORT: '0' });
  running.push(gates);
  await until(() => expect(gates.stdout(), gates.stderr()).toMatch(/^Listening on /), 30_000);
  expect(gates.stderr()).toContain(`The running board shows event ${DEFAULT_EVENT_ID} ("Triagem · Palestra`);
  return gates.stdout().replace('Listening on ', '').trim();
}

test('beside npm start it fills the board, says nothing is written while the board is down, and goes on with the next one', async () => {
  const env = await settings();
  const url = `http://127.0.0.1:${env.PORT}`;
  const board = await startBoard(env);
  const file = join(dataDir, 'tickets.csv');
  writeFileSync(file, 'id,isValidTicket,entrou,setor\nt0,1,0,4\n');
  expect(await runProgram('gates', ['import', file], env).ended).toBe(0);
  const address = await startListener(env);
  const sold = Array.from({ length: 50 }, (_, index) => ({
    id: `t${index}`,
    setor: '4',
    entrou: index < 20,
  }));
  const { answer } = await postTickets(address, sold, { query: '?create=true' });
  expect(answer).toMatchObject({ created: 49, applied: 1 });
  await expectTotal(url, 20);

  board.child.kill('SIGTERM');
  expect(await board.ended).toBe(0);
  const body = { id: 't30', entrou: true, at: '2025-03-26T23:15:00Z' };
  await until(async () => expect((await postTickets(address, body)).status).toBe(503));
  // Where a demo's database runs meanwhile, nothing is written there.
  const { gatesUrl } = await createTestDatabase();
  mkdirSync(join(dataDir, 'demo'));
  writeFileSync(join(dataDir, 'demo', 'gates.json'), JSON.stringify({ url: gatesUrl, pid: process.pid }));
  for (let again = 0; again < 3; again += 1) {
    expect((await postTickets(address, body)).status).toBe(503);
    await pause(200);
  }
  await startBoard(env);
  await until(async () => expect((await postTickets(address, body)).status).toBe(200));
  await expectTotal(url, 21);
});

test('the board is stopped while a hundred entries a second come in, also when its PostgreSQL was just killed: it ends within 3 s, nothing left, and entries are written again within a second of the next one', async () => {
  const env = { ...(await settings()), DESK_KEY };
  let board = await startBoard(env);
  const file = join(dataDir, 'tickets.csv');
  const lines = Array.from({ length: 5_000 }, (_, index) => `t${index},1,0,4`);
  writeFileSync(file, `id,isValidTicket,entrou,setor\n${lines.join('\n')}\n`);
  expect(await runProgram('gates', ['import', file], env).ended).toBe(0);
  const address = await startListener(env);
  const load = startEntryLoad({ post: (body) => postTickets(address, body), perSecond: 100 });
  const ofBoard = (): string[] => processesNaming(dataDir).filter((line) => !line.includes(' listen'));
  for (const isKilled of [false, true]) {
    for (let written = 0; written < 3; written += 1) await load.untilAnswered(200);
    const pids = ofBoard().map((line) => Number.parseInt(line, 10));
    if (isKilled) {
      const pidFile = readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8');
      process.kill(Number.parseInt(pidFile, 10), 'SIGKILL');
      await load.untilAnswered(503);
    }
    const stopwatch = startStopwatch({ pids: () => pids });
    board.child.kill('SIGTERM');
    expect(await board.ended, board.stdout()).toBe(0);
    expect(ofBoard()).toEqual([]);
    expect(await stopwatch.elapsedMs()).toBeLessThan(STOPPED_WITHIN_MS);
    await load.untilAnswered(503);
    board = await startBoard(env);
    const again = startStopwatch();
    await load.untilAnswered(200);
    expect(await again.elapsedMs()).toBeLessThan(WRITES_WITHIN_MS);
  }
  await load.stop();
});

async function expectTotal(url: string, total: number): Promise<void> {
  const viewer = await openPageClient(url);
  await until(() => expect([viewer.live, viewer.counts?.total]).toEqual([true, total]));
  viewer.leave();
}
