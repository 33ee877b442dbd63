import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { freePort } from '../testing/free-port.ts';
import { GATES_KEY, postTickets } from '../testing/gates-listener.ts';
import { openPageClient } from '../testing/page-client.ts';
import { processesNaming, type Program, runProgram } from '../testing/program.ts';
import { EMAIL, KEY } from '../testing/server.ts';
import { until } from '../testing/until.ts';

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

test('beside npm start it fills the board, says nothing is written while the board is down, and goes on with the next one', async () => {
  const env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    EMBEDDED_DATABASE_PORT: String(await freePort()),
    EVENT_TITLE: 'Palestra × Atlético',
    DASHBOARD_EMAIL: EMAIL,
    DASHBOARD_KEY: KEY,
  };
  const url = `http://127.0.0.1:${env.PORT}`;
  const startBoard = async (): Promise<Program> => {
    const board = runProgram('start', [], env);
    running.push(board);
    await until(async () => {
      expect(board.child.exitCode, board.stderr()).toBeNull();
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }, 30_000);
    return board;
  };
  const board = await startBoard();
  const file = join(dataDir, 'tickets.csv');
  writeFileSync(file, 'id,isValidTicket,entrou,setor\nt0,1,0,4\n');
  expect(await runProgram('gates', ['import', file], env).ended).toBe(0);
  const gates = runProgram('gates', ['listen'], { ...env, GATES_HTTP_KEY: GATES_KEY, GATES_HTTP_PORT: '0' });
  running.push(gates);
  await until(() => expect(gates.stdout(), gates.stderr()).toMatch(/^Listening on /), 30_000);
  expect(gates.stderr()).toContain(`The running board shows event ${DEFAULT_EVENT_ID} ("Triagem · Palestra`);
  const address = gates.stdout().replace('Listening on ', '').trim();
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
  await startBoard();
  await until(async () => expect((await postTickets(address, body)).status).toBe(200));
  await expectTotal(url, 21);
});

async function expectTotal(url: string, total: number): Promise<void> {
  const viewer = await openPageClient(url);
  await until(() => expect([viewer.live, viewer.counts?.total]).toEqual([true, total]));
  viewer.leave();
}
