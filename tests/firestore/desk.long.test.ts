import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeskState } from '../../desk/model/desk-state.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { type DeskClient, openDesk, openDeskStream } from '../../testing/desk/desk-client.ts';
import { type FirestoreGates, openFirestoreGates } from '../../testing/firestore/gates.ts';
import { startFirestoreStandIn } from '../../testing/firestore/stand-in.ts';
import { freePort } from '../../testing/server/free-port.ts';
import { readMetrics } from '../../testing/server/metrics.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { runProgram } from '../../testing/server/program.ts';
import { EMAIL, KEY, launchServer, type ServerProcess } from '../../testing/server/server.ts';
import { readiness, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const standIn = openForAll(() => startFirestoreStandIn());

/** The server as an operator runs it, which must end in order. */
async function startBoard(
  gates: FirestoreGates,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const server = await launchServer('', { env: { ...gates.settings, DESK_KEY, ...env } });
  closeOnce(() => server.stop());
  await server.serves('/healthz');
  return server;
}

const pathOf = ({ eventId }: FirestoreGates): string => `/fluxo/api/events/${encodeURIComponent(eventId)}`;

/** Adds to the log, as soon as the record can be written: a desk that asked again and again would be refused for a minute. */
async function noteOnceWritable(
  server: ServerProcess,
  desk: DeskClient,
  gates: FirestoreGates,
  text: string,
) {
  const stream = await openDeskStream(server.url, desk.cookie, pathOf(gates));
  await until(() => expect(stream.state?.record?.state.kind).toBe('writer'), 60_000);
  stream.leave();
  const note = { id: crypto.randomUUID(), kind: 'occurrence', text };
  const answer = await desk.post(`${pathOf(gates)}/commands`, note);
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
}

const warningsOf = ({ logged }: ServerProcess) => logged.filter(({ level }) => Number(level) >= 40);

async function logOf(desk: DeskClient, gates: FirestoreGates): Promise<string> {
  return (await desk.get(`${pathOf(gates)}/log`)).text();
}

/** As an operator counts what the board says of its record. */
async function stateOf(
  server: ServerProcess,
  desk: DeskClient,
  gates: FirestoreGates,
): Promise<DeskState | undefined> {
  const stream = await openDeskStream(server.url, desk.cookie, pathOf(gates));
  await until(() => expect(stream.state).toBeDefined());
  stream.leave();
  return stream.state;
}

test('a desk of a board on Firestore, from its start to SIGTERM: its record outlives it', async () => {
  const gates = openFirestoreGates(standIn);
  await gates.add('4', 20, 5);
  await gates.add('7', 5);
  const kickOffAtMs = Date.now() + 3_600_000;
  await gates.writeMetadata('Palestra × Atlético', kickOffAtMs);
  const METRICS_PORT = String(await freePort());
  const server = await startBoard(gates, { METRICS_PORT });
  await untilReady(server);

  const desk = await openDesk(server.url, { name: 'Ana', key: DESK_KEY });
  await noteOnceWritable(server, desk, gates, 'portão 7 aberto');
  expect(await stateOf(server, desk, gates)).toMatchObject({
    eventId: gates.eventId,
    times: { kickOffAtMs },
    record: { state: { kind: 'writer' } },
  });
  const metrics = await readMetrics(`http://127.0.0.1:${METRICS_PORT}/metrics`);
  expect(metrics['triagem_firestore_documents_read_total']).toBeGreaterThanOrEqual(25);
  expect(metrics).toMatchObject({ triagem_record_writer: 1 });

  // What is recorded is read with the gates tool, which finds the board by its folder.
  const { DATA_DIR = '' } = gates.settings;
  const exported = runProgram('gates', ['record', 'export', '--log'], { DATA_DIR });
  expect([await exported.ended, exported.stdout()]).toEqual([0, expect.stringContaining('portão 7 aberto')]);

  await server.stop();
  const left = readdirSync(DATA_DIR).toSorted();
  expect(left).toEqual(['cluster', 'firestore-resume', 'secrets.json']);
  expect(existsSync(join(DATA_DIR, 'cluster', 'postmaster.pid'))).toBe(false);
  expect(warningsOf(server)).toEqual([]);

  const next = await startBoard(gates);
  await untilReady(next);
  const again = await openDesk(next.url, { name: 'Ana', key: DESK_KEY });
  await noteOnceWritable(next, again, gates, 'depois do reinício');
  expect(await logOf(again, gates)).toMatch(/portão 7 aberto.*depois do reinício/s);
});

test('a PostgreSQL that cannot start keeps no count from being live, and records once it can', async () => {
  const gates = openFirestoreGates(standIn);
  await gates.add('4', 10, 2);
  const taken = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
  const free = closeOnce(() => new Promise((resolve) => taken.close(resolve)));
  const server = await startBoard(gates, { EMBEDDED_DATABASE_PORT: String(port) });
  await untilReady(server);
  const board = await openPageClient(server.url, {
    eventId: gates.eventId,
    account: { email: EMAIL, key: KEY },
  });
  await until(() => expect([board.live, board.counts?.total]).toEqual([true, 2]));
  await until(async () =>
    expect(await readiness(server)).toMatchObject({
      status: 200,
      text: expect.stringMatching(
        `"warning":"The embedded PostgreSQL, which keeps the record, does not start: Port ${port}, .* is taken by process ${process.pid} \\(.*\\. .*EMBEDDED_DATABASE_PORT`,
      ) as string,
    }),
  );
  const desk = await openDesk(server.url, { name: 'Ana', key: DESK_KEY });
  expect(await stateOf(server, desk, gates)).toMatchObject({ record: { state: { kind: 'away' } } });
  await free();
  await noteOnceWritable(server, desk, gates, 'agora sim');
  await until(async () => expect((await readiness(server)).text).not.toContain('warning'));
  // One line for each reason, not for each attempt.
  const lines = warningsOf(server).map(({ msg, reason }) => [msg, reason].join());
  expect(lines[0]).toContain(`is taken by process ${process.pid} (`);
  expect(lines).toEqual([...new Set(lines)]);
});
