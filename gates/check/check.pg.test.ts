import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { readVenue } from '../../domain/venue-file.ts';
import { DEFAULT_VENUE } from '../../domain/venue.ts';
import { makeTestCertificate } from '../../testing/server/certificate.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { createTestDatabase, insertTickets as insertRows } from '../../testing/database/database.ts';
import { makeTestDisk } from '../../testing/database/disk.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { GATES_KEY, startGatesListener } from '../../testing/gates/gates-listener.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { startTestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { showEvent } from '../events/show.ts';
import { backup } from '../backup/backup.ts';
import { restore } from '../backup/restore.ts';
import { deleteEvent } from '../events/delete.ts';
import { check } from './check.ts';
import { findAddress } from './address-findings.ts';
import type { Finding } from './finding.ts';
import { findDisk } from './machine-findings.ts';
import { findBoard, findListen } from './service-findings.ts';
import { UsageError } from '../cli/errors.ts';
import { simulatedIds } from '../simulator/simulated-id.ts';

const EVENT = 'e'.repeat(32);
const HOUR_MS = 3_600_000;
const VENUE = {
  name: 'Castelão',
  sectors: [
    { code: '4', name: 'NORTE', capacity: 2 },
    { code: '7', name: 'SUL' },
  ],
};

const ENDS_SOON = /ends on \d{4}-\d\d-\d\d \d\d:\d\d\S* \(America\/Sao_Paulo\): renew it$/;

const tool = useGatesTool();

/** The codes of tickets by their ids. */
function insertTickets(codes: Readonly<Record<string, string>>): Promise<void> {
  const rows = Object.entries(codes).map(([id, setor]) => ({ id, setor, eventId: EVENT }));
  return insertRows(tool.database.gates, rows);
}

/** Every line: its level and its subject, and after them its text. */
function lines(): Map<string, string> {
  return new Map(
    tool.stdout
      .trimEnd()
      .split('\n')
      .map((line) => [`${line.slice(0, 5).trim()} ${line.slice(7, 19).trim()}`, line.slice(21)]),
  );
}

async function makeEvent(times: { gatesOpenInMs?: number; kickOffInMs?: number } = {}): Promise<void> {
  const at = (inMs: number | undefined): Date | null =>
    inMs === undefined ? null : new Date(Date.now() + inMs);
  await tool.database.gates`insert into events values (${EVENT})`;
  await tool.database.gates`
    insert into event_details (event_id, title, gates_open_at, kick_off_at)
    values (${EVENT}, 'Ceará × Fortaleza', ${at(times.gatesOpenInMs)}, ${at(times.kickOffInMs)})`;
}

function writeVenue(venue: object): string {
  const path = join(tool.folder, 'venue.json');
  writeFileSync(path, JSON.stringify(venue));
  return path;
}

function runCheck(env: Record<string, string>, ...args: string[]): Promise<number> {
  return check.run(['--event', EVENT, ...args], {
    GATES_DATABASE_URL: tool.database.gatesUrl,
    GATES_HTTP_PORT: '2',
    VENUE_FILE: writeVenue(VENUE),
    ...env,
  });
}

/** Of an event without times. */
function lookAt(
  url: URL,
  changed: Partial<Parameters<typeof findAddress>[1]> = {},
  answerLimitMs?: number,
): Promise<Finding[]> {
  const times = { nowMs: Date.now(), zone: 'America/Sao_Paulo', gatesOpenAt: null, kickOffAt: null };
  return findAddress(url, { ...times, ...changed }, answerLimitMs);
}

/** `isTrusted`: as if its authority were installed on this machine. */
async function serveWithCertificate(days: number, { isTrusted = true, status = 200 } = {}): Promise<string> {
  const { pem, keyFile } = makeTestCertificate(makeTestFolder(), days);
  if (isTrusted) setDefaultCACertificates([...getCACertificates('default'), pem]);
  const server = createServer({ cert: pem, key: readFileSync(keyFile) }, (_, response) =>
    response.writeHead(status).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeOnce(async () => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('where all is well each line begins with ok, and the exit code is 0', async () => {
  await makeEvent({ gatesOpenInMs: 20 * HOUR_MS, kickOffInMs: 22 * HOUR_MS });
  await insertTickets({ a: '4', b: '4', c: '7' });
  const backups = makeTestFolder();
  await tool.run(backup, join(backups, 'vespera.sql.gz'));
  const server = await startTestServer(tool.database, { EVENT_ID: EVENT, VENUE_FILE: writeVenue(VENUE) });
  const listener = await startGatesListener({ GATES_DATABASE_URL: tool.database.gatesUrl });
  const url = await serveWithCertificate(30);
  await untilReady(server);
  const before = tool.stdout.length;
  const code = await runCheck(
    {
      PORT: new URL(server.url).port,
      GATES_HTTP_KEY: GATES_KEY,
      GATES_HTTP_PORT: new URL(listener.url).port,
    },
    '--backups',
    backups,
    '--url',
    url,
  );
  const subjects = tool.stdout
    .slice(before)
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(0, 19).trimEnd());
  expect(subjects).toEqual([
    'ok     database',
    'ok     clock',
    'ok     times',
    'ok     tickets',
    'ok     sectors',
    'ok     kept',
    // Of a server of one's own.
    'LOOK   disk',
    'ok     backup',
    'ok     board',
    'ok     venue',
    'ok     listen',
    'ok     certificate',
    'ok     page',
  ]);
  expect(code).toBe(0);
  expect(lines().get('ok clock')).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d\S* \(America\/Sao_Paulo\) by this machine's clock and the database's: compare it with a telephone$/,
  );

  await runCheck({}, '--backups', join(backups, 'vespera.sql.gz'));
  expect(lines().get('LOOK backup')).toMatch(
    /vespera\.sql\.gz is a file: name the folder that it lies in with --backups$/,
  );

  const brokenVenue = join(tool.folder, 'broken.json');
  writeFileSync(brokenVenue, '{"name": 7}');
  const broken = await runCheck({ PORT: new URL(server.url).port, VENUE_FILE: brokenVenue });
  expect([broken, lines().has('ok board'), lines().has('ok tickets')]).toEqual([0, true, true]);
  expect(tool.stdout).toMatch(
    /\nLOOK {3}venue {9}VENUE_FILE \(\S+broken\.json\) is no venue:\n {21}\S.*sectors.*\n {21}\S.*name.*\n/,
  );
  expect(lines().get('ok listen')).toMatch(/nothing tells that gates of this event send over HTTP$/);

  await insertTickets({ d: '4' });
  writeFileSync(join(tool.folder, 'timedatectl'), '#!/bin/sh\necho no\n', { mode: 0o755 });
  await runCheck({ PATH: tool.folder }, '--backups', backups);
  expect(lines().get('LOOK clock')).toMatch(/, and no time server sets it: "timedatectl set-ntp true", or/);
  expect(lines().get('LOOK backup')).toMatch(
    /^the last is vespera.*, of 3 tickets, 3 valid, 0 entered; here are 4 tickets, 4 valid, 0 entered: "backup/,
  );
  expect(tool.stderr).toContain('Nothing here would stop a gate.');
  await listener.stop();
  await server.stop();
});

test('the last backup has all that is written; before a restore, none is advised', async () => {
  await makeEvent({ kickOffInMs: HOUR_MS });
  await insertTickets({ a: '4', b: '4' });
  const backups = makeTestFolder();
  const found = async (subject: string): Promise<string | undefined> => {
    await runCheck({}, '--backups', backups);
    return lines().get(subject);
  };
  const file = join(backups, 'cheio.sql.gz');
  await tool.run(backup, file);
  const whole = readFileSync(file);
  const altered = gzipSync(gunzipSync(whole).toString().replace('commit;', 'rollback;'));
  for (const [bytes, fault] of [
    [whole.subarray(0, -1), 'it is cut off at its very end, or something was appended'],
    [altered, 'it is damaged, or has been altered'],
  ] as const) {
    writeFileSync(file, bytes);
    expect(await found('LOOK backup')).toMatch(
      new RegExp(`^${file} cannot be restored: ${fault}\\. Write another: "backup ${backups}/FILE`),
    );
  }
  writeFileSync(file, whole);
  expect(await found('ok backup')).toMatch(
    /^cheio.*less than an hour old, whole, with as many as here \(2 tickets, 2 valid, 0 entered\); nothing that is here was written since, the desk.s record aside$/,
  );
  // Damaged where it says when, or of which event, it was written.
  const later = join(backups, 'depois.sql.gz');
  for (const damage of [/"takenAt":"\d{4}/, new RegExp(`"id":"${EVENT.slice(0, 4)}`)]) {
    const text = gunzipSync(whole).toString();
    expect(text).toMatch(damage);
    writeFileSync(later, gzipSync(text.replace(damage, (hit) => `${hit.slice(0, -4)}1999`)));
    expect(await found('LOOK backup')).toMatch(
      /^cheio.*, whole, .* aside\. .*\/depois\.sql\.gz cannot be restored: it is damaged, or has been altered\. Remove it, or write another$/,
    );
  }
  rmSync(later);
  const { recordUrl: RECORD_DATABASE_URL } = tool.database;
  rmSync(file);
  await tool.run(backup, file, '--only', 'tickets');
  expect(await found('ok backup')).toMatch(/^cheio/);
  await runCheck({ RECORD_DATABASE_URL }, '--backups', backups);
  expect(lines().get('LOOK backup')).toBe(
    `the last is cheio.sql.gz, less than an hour old, without the record of the desk: "backup ${backups}/FILE.sql.gz" without --only tickets`,
  );
  writeFileSync(file, whole);
  const before = tool.stdout.length;
  await runCheck({ RECORD_DATABASE_URL }, '--backups', backups);
  expect(tool.stdout.slice(before)).toMatch(/^ok +backup +cheio/m);
  await tool.database.gates`update event_details set kick_off_at = now() + interval '3 hours'`;
  await tool.database.gates`update tickets set setor = '7' where id = 'b'`;
  await tool.database.gates`
    insert into kept_readings (event_id, id, gate, received_at, kept_at, reason)
    values (${EVENT}, 'x', 'p1', now(), now(), 'ticket')`;
  await tool.database.gates`insert into ticket_times (event_id, id, at) values (${EVENT}, 'b', now())`;
  expect(await found('LOOK backup')).toMatch(
    /^the last is cheio.*; since then tickets, title or times, kept readings, times of messages were written, or restored: "backup/,
  );
  await tool.database.gates`update tickets set entrou = true where id = 'b'`;
  expect(await found('LOOK backup')).toMatch(
    /of 2 tickets, 2 valid, 0 entered; here are 2 tickets, 2 valid, 1 entered: "backup/,
  );
  await tool.database.gates`delete from tickets`;
  await tool.run(backup, join(backups, 'vazio.sql.gz'));
  writeFileSync(join(backups, 'a.sql.gz'), altered);
  expect(await found('STOPS tickets')).toBe(`the event has none; cheio.sql.gz has 2: "restore ${file}"`);
  expect(lines().get('LOOK backup')).toMatch(
    new RegExp(
      `^the last with tickets is cheio.*, of 2 tickets, .* here are none: "restore ${file}", before another`,
    ),
  );
  await tool.database.gates`delete from event_details`;
  await tool.database.gates`delete from events`;
  expect(await found('STOPS event')).toBe(`there is no event ${EVENT} here: "restore ${file}", which has it`);
});

test('a backup of simulated tickets is named as such, and not advised in place of what is here', async () => {
  await makeEvent({ kickOffInMs: HOUR_MS });
  const idOf = simulatedIds(EVENT);
  await insertTickets({ [idOf(1)]: '4', [idOf(2)]: '4' });
  const folder = makeTestFolder();
  await tool.run(backup, join(folder, 'demo.sql.gz'), '--only', 'tickets');
  expect(tool.stdout).toContain('2 tickets, 2 valid, 0 entered; 2 of them SIMULATED\n');
  await tool.database.gates`delete from tickets`;
  const found = async (): Promise<string | undefined> => {
    await runCheck({}, '--backups', folder);
    return lines().get('LOOK backup');
  };
  expect(await found()).toMatch(/^the last is demo\.sql\.gz, less than an hour old: "backup/);
  await insertTickets({ a: '4' });
  expect(await found()).toMatch(
    /^the last is demo\.sql\.gz, .*, of 2 tickets, 2 valid, 0 entered, 2 of them simulated; here are 1 ticket, 1 valid, 0 entered: "backup [^"]*"$/,
  );
  await tool.run(deleteEvent, '--event', EVENT, '--yes', '--export', join(folder, 'real.sql.gz'));
  await tool.run(restore, join(folder, 'demo.sql.gz'));
  expect(await tool.tickets()).toHaveLength(2);
});

test('where a backup has more than is here, the way back comes before another backup, and works', async () => {
  await makeEvent({ kickOffInMs: HOUR_MS });
  await insertTickets({ a: '4', b: '4' });
  await tool.database.gates`update tickets set entrou = true where id = 'a'`;
  const folder = makeTestFolder();
  const file = join(folder, 'cheio.sql.gz');
  await tool.run(backup, file, '--only', 'tickets');
  const found = async (): Promise<string | undefined> => {
    await runCheck({}, '--backups', folder);
    return lines().get('LOOK backup');
  };
  const former = await tool.tickets();
  await tool.database.gates`delete from tickets`;
  await insertTickets({ a: '4', b: '4' });
  const way = `"event delete --event ${EVENT}", which writes what is here into a file of its own, then "restore ${file}"`;
  expect(await found()).toBe(
    'the last is cheio.sql.gz, less than an hour old, of 2 tickets, 2 valid, 1 entered, and here are fewer: 2 tickets, 2 ' +
      `valid, 0 entered. If these were lost, ${way}; only if they were taken back on purpose, or people have left ` +
      `("revert", "simulate --remove", readings of exits), "backup ${folder}/FILE.sql.gz"`,
  );
  await tool.database.gates`update tickets set entrou = true where id = 'b'`;
  expect(await found()).toBe(
    'the last is cheio.sql.gz, less than an hour old, of 2 tickets, 2 valid, 1 entered, and all that are here were written ' +
      'since: 2 tickets, 2 valid, 1 entered. If they were imported anew after a loss, write down who entered since, as nobody ' +
      `sends them again (docs/trouble.md, "Restore"), then ${way}, then let those in again ("enter --id"); if not, as after ` +
      `"restore", "backup ${folder}/FILE.sql.gz"`,
  );
  await tool.database.gates`update tickets set entrou = false where id = 'b'`;
  const setAside = join(folder, 'aqui.sql.gz');
  await tool.run(deleteEvent, '--event', EVENT, '--yes', '--export', setAside);
  const either = `"restore ${setAside}", or "restore ${file}", which is older and has more (2 tickets, 2 valid, 1 entered), if those were lost`;
  expect(await found()).toMatch(/^the last with tickets is aqui\.sql\.gz, .* here are none: "restore /);
  expect(lines().get('LOOK backup')).toContain(`: ${either}, before another is written`);
  expect(lines().get('STOPS event')).toBe(`there is no event ${EVENT} here: ${either}, which has it`);
  rmSync(setAside);
  await tool.run(restore, file);
  expect(await tool.tickets()).toEqual(former);

  await tool.database.gates`delete from tickets where id = 'b'`;
  const other = 'f'.repeat(32);
  await insertRows(tool.database.gates, [{ id: 'c', setor: '4', eventId: other }]);
  expect(await found()).toMatch(
    new RegExp(
      `fewer: 1 ticket, .* lost, write down who entered since, .* then "restore ${file} --only tickets" in a database without tickets, .* then "backup FILE --event ${EVENT} --only tickets" there, then "event delete .* then "restore FILE" here, then let those in again \\("enter --id"\\); only if`,
    ),
  );
  const server = await startTestServer(tool.database, { EVENT_ID: EVENT });
  await untilReady(server);
  rmSync(file);
  await tool.database.gates`update tickets set entrou = true`;
  await tool.run(backup, file, '--event', EVENT);
  await tool.database.gates`update tickets set entrou = false`;
  expect(await found()).toMatch(
    /lost, start the board here with another EVENT_ID, then "event delete .* then "restore .*cheio\.sql\.gz" \(with --only tickets where .*\), then start the board as before; only/,
  );
  await server.stop();
});

test('a board that is not live, does not answer, or displays another venue than VENUE_FILE here is to be seen to', async () => {
  await makeEvent({ kickOffInMs: HOUR_MS });
  await insertTickets({ a: '4' });
  const VENUE_FILE = writeVenue(VENUE);
  const server = await startTestServer(tool.database, { EVENT_ID: EVENT, VENUE_FILE });
  await untilReady(server);
  const { port: PORT } = new URL(server.url);
  const found = async (env: Record<string, string>, subject: string): Promise<string | undefined> => {
    await runCheck({ PORT, ...env });
    return lines().get(subject);
  };
  expect(await found({}, 'ok venue')).toBe('the board displays this venue');
  const grown = { ...VENUE, sectors: [...VENUE.sectors, { code: '8', name: 'LESTE' }] };
  const another = join(tool.folder, 'another.json');
  writeFileSync(another, JSON.stringify(grown));
  expect(await found({ VENUE_FILE: another }, 'LOOK venue')).toMatch(
    /^the board displays another venue than .*: start it again, or/,
  );
  await showEvent.run(['--event', EVENT], {
    GATES_DATABASE_URL: tool.database.gatesUrl,
    PORT,
    VENUE_FILE: another,
  });
  expect(tool.stderr).toContain('Beware: the board displays another venue than VENUE_FILE has here');
  expect(await found({ VENUE_FILE: ' ' }, 'LOOK venue')).toMatch(
    /VENUE_FILE is not set here, so that its file is not looked at: set it as for the board$/,
  );
  expect(await found({ PORT: '2' }, 'LOOK board')).toMatch(
    /^one observes this event, but whether it is live is not seen at http:\/\/127.0.0.1:2 \(nobody listens there\): set HOST and PORT/,
  );
  await tool.database.shut();
  await until(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(503));
  const board = { eventId: EVENT, title: undefined, url: server.url };
  const target = { boards: [board], hasCounters: false };
  expect(await findBoard({}, target, EVENT, DEFAULT_VENUE)).toMatchObject([
    { level: 'look', text: expect.stringMatching(/^that of this event is not live \(http.*\): /) as string },
    { level: 'look' },
  ]);
  await tool.database.allowConnections(true);
  await server.stop();
  expect(await findBoard({}, target, EVENT, DEFAULT_VENUE)).toMatchObject([
    {
      level: 'look',
      text: expect.stringMatching(/^that of this event does not answer at http.*: look at its log/) as string,
    },
  ]);
  const marked = await startTestServer(tool.database, { EVENT_ID: EVENT, SIMULATED: 'yes' });
  await untilReady(marked);
  const markedBoard = { boards: [{ ...board, url: marked.url }], hasCounters: false };
  expect(await findBoard({}, markedBoard, EVENT, undefined)).toMatchObject([
    {
      level: 'look',
      text: expect.stringMatching(/, but marks all as "demonstração", .* without SIMULATED$/) as string,
    },
  ]);
  await marked.stop();
  const plain = await startTestServer(tool.database, { EVENT_ID: EVENT });
  expect(
    await findBoard(
      { VENUE_FILE },
      { boards: [{ ...board, url: plain.url }], hasCounters: false },
      EVENT,
      readVenue(JSON.stringify(VENUE)),
    ),
  ).toMatchObject([
    {},
    { level: 'look', text: expect.stringMatching(/^the board runs without VENUE_FILE/) as string },
  ]);
  expect(
    (
      await findBoard(
        {},
        { boards: [{ ...board, url: plain.url }], hasCounters: false },
        EVENT,
        DEFAULT_VENUE,
      )
    )[1],
  ).toMatchObject({ level: 'ok', text: expect.stringContaining('runs without VENUE_FILE') as string });
  await plain.stop();
});

test('entries before the gates open are to be seen to, and another key than that of "listen" stops gates, as does a "listen" that has ended', async () => {
  await makeEvent({ gatesOpenInMs: 19 * HOUR_MS, kickOffInMs: 21 * HOUR_MS });
  await insertTickets({ a: '4', b: '4' });
  const listener = await startGatesListener({ GATES_DATABASE_URL: tool.database.gatesUrl });
  await listener.post({ id: 'a', entrou: true }, { eventId: EVENT });
  const { port } = new URL(listener.url);
  for (const key of ['x'.repeat(20), 'chave do portão']) {
    expect(await runCheck({ GATES_HTTP_KEY: key, GATES_HTTP_PORT: port })).toBe(1);
    const found = lines();
    expect(found.get('LOOK tickets')).toMatch(
      /^2 tickets, 2 valid, 1 entered, and the gates open .*: the board would begin at 1; .*"revert --event e+ --count 1", once no gate's clock is behind: /,
    );
    expect(found.get('STOPS listen')).toMatch(/with another key, .*: start "listen" again with this key, or/);
  }
  await listener.post({ id: 'a', entrou: true, at: new Date().toISOString() }, { eventId: EVENT });
  await runCheck({ GATES_HTTP_PORT: port });
  expect(lines().get('ok listen')).toMatch(/^writes /);
  await listener.post([{ id: 'a', entrou: 'S', gate: 'PORTAO 5' }], { eventId: EVENT });
  await listener.post([], { eventId: EVENT, headers: { authorization: 'Bearer x' } });
  await runCheck({ GATES_HTTP_PORT: port });
  expect(lines().get('LOOK listen')).toMatch(
    /^it writes, but: Refused since \d{4}-\d\d-\d\d \d\d:\d\d\S*: 1 message, the first of the last request at [^TZ]* from the gate "PORTAO 5" \(127\.0\.0\.1\), as its entrou is neither true nor false\. Correct what it sends\. Refused since .*: 1 request, the last .* from 127\.0\.0\.1, as the key, or/,
  );
  for (let time = 0; time < 10; time += 1)
    await listener.post([], { eventId: EVENT, headers: { authorization: 'Bearer x' } });
  await runCheck({ GATES_HTTP_KEY: 'x'.repeat(20), GATES_HTTP_PORT: port });
  expect(lines().get('LOOK listen')).toMatch(
    /whether it takes GATES_HTTP_KEY is not known: too many .*: wait a minute, and run "check" again$/,
  );
  await listener.stop();
  expect(await runCheck({})).toBe(1);
  expect(lines().get('STOPS listen')).toMatch(
    /^it does not run at .*, and messages about 1 ticket of the event came over HTTP: start "listen", or/,
  );
});

test('a "listen" that writes into another database stops the gates that need it', async () => {
  await makeEvent({ kickOffInMs: HOUR_MS });
  await insertTickets({ a: '4' });
  const other = await createTestDatabase();
  closeOnce(() => other.drop());
  const listener = await startGatesListener({ GATES_DATABASE_URL: other.gatesUrl });
  const { port: GATES_HTTP_PORT } = new URL(listener.url);
  expect(await runCheck({ GATES_HTTP_PORT, GATES_HTTP_KEY: GATES_KEY })).toBe(1);
  const where =
    /^127\.0\.0\.1:\d+ writes into another database than this one, .* with DATA_DIR or GATES_DATABASE_URL/;
  expect(lines().get('STOPS listen')).toMatch(where);
  expect(await runCheck({ GATES_HTTP_PORT })).toBe(0);
  expect(lines().get('LOOK listen')).toMatch(where);
  await listener.stop();
});

test('readings of an unknown event are listed once, though "listen" warns of them, too', async () => {
  await makeEvent({ kickOffInMs: HOUR_MS });
  await insertTickets({ a: '4' });
  const listener = await startGatesListener({ GATES_DATABASE_URL: tool.database.gatesUrl });
  await listener.post({ id: 'a', entrou: true }, { eventId: 'f'.repeat(32) });
  await until(async () =>
    expect(await (await fetch(`${listener.url}/readyz`)).text()).toContain('does not exist here'),
  );
  await runCheck({ GATES_HTTP_PORT: new URL(listener.url).port });
  expect(lines().get('ok listen')).toMatch(/^writes /);
  expect(tool.stdout.match(/does not exist here/g)).toHaveLength(1);
  await listener.stop();
});

test('what somebody should see to is a line each with its fix, and stops no gate', async () => {
  await makeEvent({ kickOffInMs: -HOUR_MS });
  await insertTickets({ a: '4', b: '4', c: '4', d: '99', e: ' ' });
  await insertRows(tool.database.gates, [{ id: 'f', setor: '4', eventId: EVENT.toUpperCase() }]);
  await tool.database.gates`
    insert into kept_readings (event_id, id, gate, received_at, kept_at, reason)
    values (${EVENT}, 'A', 'p1', now(), now(), 'ticket'), (${'f'.repeat(32)}, 'a', 'p1', now(), now(), 'event')`;
  const backups = makeTestFolder();
  writeFileSync(join(backups, 'cortado.sql.gz'), gzipSync('x').subarray(0, -1));
  // Nobody writes into it.
  execFileSync('mkfifo', [join(backups, 'cano.sql.gz')]);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * HOUR_MS);
  expect(await runCheck({}, '--backups', backups, '--url', await serveWithCertificate(2))).toBe(0);
  const found = lines();
  expect(found.get('LOOK clock')).toMatch(/^The clock of the database is 2\.0 h behind this machine's/);
  expect(found.get('LOOK times')).toMatch(/^kick-off .* is over: "event set --event e+ --kick-off TIME"/);
  expect(found.get('LOOK capitals')).toMatch(
    /^the board counts 1 ticket more, .*: UPDATE tickets SET event_id = lower/,
  );
  expect(found.get('LOOK capacity')).toMatch(
    /^NORTE has 3 valid tickets, and room for 2: .*: "sector set 4 --event e+ --capacity N"$/,
  );
  const textsOf = (subject: string): unknown[] =>
    [...tool.stdout.matchAll(new RegExp(`^LOOK {3}${subject} +(.*)$`, 'gm'))].map(([, text]) => text);
  expect(textsOf('sectors')).toEqual([
    expect.stringMatching(
      /^1 of the tickets in the total alone, as the venue does not know "99": "import --event e+ --update/,
    ),
    expect.stringMatching(/^1 of the tickets in the total alone, as they name no sector/),
    'no ticket is of SUL: if they open, import their file, too',
  ]);
  expect(textsOf('kept')).toEqual([
    expect.stringMatching(
      /^1 reading names an event that does not exist here: f+ \(1\)\. Correct the event ID/,
    ),
    expect.stringMatching(
      /1 \(no ticket of this event has this id\)\. "kept --event e+" lists them.* 1 id differs from a ticket's/,
    ),
  ]);
  expect(found.get('LOOK backup')).toMatch(
    /has none of this event: "backup .*FILE\.sql\.gz"\. Not readable: cortado\.sql\.gz \(it is cut off\)$/,
  );
  expect(found.get('LOOK board')).toBe(`none runs: start one with EVENT_ID=${EVENT}`);
  expect(found.get('LOOK listen')).toMatch(
    /^it does not run at \S+, and what is kept came over HTTP \(1\): if gates still send so, start "listen", or/,
  );
  expect(found.get('LOOK certificate')).toMatch(ENDS_SOON);
});

test('what would stop a gate is listed, and the exit code is 1', async () => {
  await makeEvent({ kickOffInMs: HOUR_MS });
  const key = { GATES_HTTP_KEY: 'x'.repeat(20) };
  expect(await runCheck(key, '--backups', join(tool.folder, 'nowhere'))).toBe(1);
  const found = lines();
  expect(found.get('STOPS tickets')).toBe(`the event has none: "import --event ${EVENT} FILE.csv"`);
  expect(found.has('ok sectors')).toBe(false);
  expect(found.get('STOPS listen')).toMatch(
    /^it does not run at 127\.0\.0\.1:2, and GATES_HTTP_KEY is set: start "listen", or set GATES_HTTP_HOST/,
  );
  expect(found.get('LOOK times')).toMatch(/gates open: "event set --event e+ --gates-open TIME"$/);
  expect(found.get('LOOK backup')).toMatch(
    /no such folder: "mkdir -p (.*)" .*, then "backup \1\/FILE\.sql\.gz", .* or say where with --backups$/,
  );
  expect(tool.stderr).toContain('2 of these would stop a gate.');

  await tool.database.gates`delete from event_details`;
  await check.run([], { GATES_DATABASE_URL: tool.database.gatesUrl, EVENT_ID: EVENT });
  expect(lines().get('STOPS tickets')).toBe('the event has none: "import FILE.csv"');
  expect(lines().get('LOOK times')).toMatch(/: "event set --title TITLE --kick-off TIME"$/);
});

test('what a desk has left in force is to be seen to', async () => {
  const { admin, recordUrl: RECORD_DATABASE_URL } = tool.database;
  await insertTickets({ a: '4' });
  const left = async (env: Record<string, string> = { RECORD_DATABASE_URL }): Promise<string | undefined> => {
    const { length } = tool.stdout;
    await runCheck(env);
    return /^LOOK {3}desk {10}(.*)$/m.exec(tool.stdout.slice(length))?.[1];
  };
  expect(await left()).toBeUndefined();
  const note = (seq: number, kind: string, data: object): Promise<unknown> => admin`
    insert into triagem.log (event_id, seq, id, at, source, kind, data, figures, previous)
    values (${EVENT}, ${seq}, ${`id-${seq}`}, now(), 'live', ${kind}, ${JSON.stringify(data)}::text::jsonb, '{}',
      ${seq === 1 ? '' : 'a'.repeat(64)})`;
  await note(1, 'kick-off', { kickOffAtMs: Date.UTC(2026, 10, 29, 15, 37) });
  await note(2, 'evacuation', {});
  await note(3, 'entry-closed', {});
  await note(4, 'mark', { mark: 'closed' });
  expect(await left()).toMatch(
    new RegExp(
      '^in force: a kick-off 2026-11-29 12:37\\S* .* stands before the event\'s own \\("desfazer"\\); an evacuation \\("retirar"\\); ' +
        'the entry closed \\("reabrir"\\); a mark of sectors \\("acabou" or "foi engano"\\): ',
    ),
  );
  expect(await left({})).toMatch(/^what is in force there is not known: set RECORD_DATABASE_URL/);
  for (const seq of [1, 2, 3]) await note(seq + 4, 'take-back', { id: `id-${seq}` });
  expect(await left()).toMatch(/^in force: a mark of sectors \(/);
  await note(8, 'take-back', { id: 'id-4', why: 'over' });
  expect(await left()).toBeUndefined();
});

test('row security stops gates: how many tickets it hides is not claimed, and a backup names the fix', async () => {
  const { admin } = tool.database;
  await insertTickets({ a: '4', b: '7' });
  await admin.unsafe(`alter table public.tickets enable row level security;
    create policy norte on public.tickets using (setor = '4')`);
  expect(await tool.run(check, '--event', EVENT)).toBe(1);
  const fix = 'as their owner, ALTER TABLE public.tickets DISABLE ROW LEVEL SECURITY';
  expect(lines().get('STOPS tickets')).toBe(`row security may hide some from this role: ${fix}`);
  // Every command says so before what it finds.
  expect(tool.stderr).toContain(`Row security may hide tickets from this role: ${fix}.\n`);
  await expect(tool.run(backup, join(tool.folder, 'all.sql.gz'))).rejects.toThrow(
    `has row security on a table: ${fix} (`,
  );
  await admin`drop policy norte on public.tickets`;
  await admin`alter table public.tickets disable row level security`;
});

test('a certificate that ends before kick-off, or before the gates open where no kick-off is known, would stop a gate', async () => {
  await makeEvent({ gatesOpenInMs: 25 * HOUR_MS, kickOffInMs: 26 * HOUR_MS });
  await insertTickets({ a: '4' });
  const address = await serveWithCertificate(1);
  const TIME_ZONE = 'America/Manaus';
  expect(await runCheck({ TIME_ZONE }, '--url', address)).toBe(1);
  const [, day, time] =
    /ends on (\S+) (\S+) \(America\/Manaus\), before kick-off: renew it$/.exec(
      lines().get('STOPS certificate') ?? '',
    ) ?? [];
  expect(Math.abs(Date.parse(`${day}T${time}-04:00`) - Date.now() - 24 * HOUR_MS)).toBeLessThan(HOUR_MS);
  const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);
  for (const [gatesOpenAt, kickOffAt, level] of [
    [inHours(25), null, 'stops'],
    [inHours(22), null, 'look'],
    [null, inHours(25), 'stops'],
    [inHours(25), inHours(22), 'look'],
  ] as const)
    expect((await lookAt(new URL(address), { gatesOpenAt, kickOffAt }))[0]?.level).toBe(level);
});

test.each([
  [2, /^2 tickets, 2 valid, 0 entered, all of them simulated: "listen" and "import" take no others/],
  [1, /^2 tickets, 2 valid, 0 entered, 1 of them simulated: .*; "simulate --remove --event e+" deletes/],
])(
  '%i simulated tickets of two stop the gates, as no real one is taken beside them',
  async (simulated, text) => {
    await makeEvent({ kickOffInMs: HOUR_MS });
    const idOf = simulatedIds(EVENT);
    await insertTickets({ [idOf(1)]: '4', [simulated === 2 ? idOf(2) : 'b']: '4' });
    expect(await runCheck({})).toBe(1);
    expect(lines().get('STOPS tickets')).toMatch(text);
  },
);

test('gates that open more than a day before kick-off are to be seen to: a mistyped day, or year', async () => {
  await makeEvent({ gatesOpenInMs: HOUR_MS, kickOffInMs: 25.1 * HOUR_MS });
  await runCheck({});
  expect(lines().get('LOOK times')).toMatch(
    /^gates open .*, kick-off .*, more than a day apart: .* with "event set --event e+ --gates-open TIME" or/,
  );
});

test('where no board runs, or no database answers, that is a line, too', async () => {
  expect(await runCheck({ GATES_DATABASE_URL: '', DATA_DIR: makeTestFolder() })).toBe(1);
  expect(lines().get('STOPS board')).toMatch(
    /^No running embedded database .* Start the board, with "npm start" or/,
  );
  expect(await runCheck({ GATES_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x' })).toBe(1);
  expect(lines().get('STOPS database')).toMatch(/^The database of GATES_DATABASE_URL does not answer: /);
});

test('of a board that this account may not see, nothing is claimed', async () => {
  const folder = makeTestFolder();
  writeFileSync(join(folder, 'gates.json'), '{}', { mode: 0 });
  // Root reads every file.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.('nobody');
  const code = await check.run([], { DATA_DIR: folder }).finally(() => {
    if (isRoot) process.seteuid?.(0);
  });
  expect(lines().get('LOOK board')).toMatch(
    /^this account cannot look\. .* use that one, as with sudo -u; or /,
  );
  expect(tool.stderr).toMatch(/Whether anything would stop a gate is not known\.\n$/);
  expect(code).toBe(1);
});

test('the certificate of a database is that of its TLS; one without has none', async () => {
  const { certificateFile, keyFile } = makeTestCertificate(makeTestFolder(), 30);
  const secureContext = createSecureContext({
    cert: readFileSync(certificateFile),
    key: readFileSync(keyFile),
  });
  // As PostgreSQL begins TLS.
  const answering = (answer: string): Server =>
    createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write(answer);
        if (answer === 'S') new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {});
      });
    });
  const found: (string | undefined)[] = [];
  for (const answer of ['S', 'N']) {
    const server = answering(answer).listen(0, '127.0.0.1');
    closeOnce(async () => void server.close());
    await once(server, 'listening');
    const url = new URL(`postgres://gates@127.0.0.1:${(server.address() as AddressInfo).port}/tickets`);
    found.push((await lookAt(url))[0]?.level);
  }
  expect(found).toEqual(['ok', undefined]);
});

test('what a browser refuses is listed with the fix, and so is a page behind which nobody answers', async () => {
  const findingsOf = (url: string): Promise<Finding[]> => lookAt(new URL(url));
  const matching = (level: string, text: RegExp): object => ({
    level,
    text: expect.stringMatching(text) as string,
  });
  expect(await findingsOf(await serveWithCertificate(30, { isTrusted: false }))).toMatchObject([
    matching('look', /is signed by itself, and browsers refuse it unless they know its authority: /),
    matching('ok', /^https:.* answers 200 OK$/),
  ]);
  expect(await findingsOf(await serveWithCertificate(2, { isTrusted: false }))).toMatchObject([
    matching('look', /is signed by itself/),
    matching('look', ENDS_SOON),
    matching('ok', / answers 200 OK$/),
  ]);
  const named = await serveWithCertificate(30, { status: 502 });
  expect(await findingsOf(named)).toMatchObject([
    matching('ok', /ends on/),
    matching('stops', /answers 502 Bad Gateway: what is behind the proxy/),
  ]);
  expect(await findingsOf(named.replace('127.0.0.1', 'localhost'))).toMatchObject([
    matching('stops', /is for other names, so browsers refuse it: get one for localhost$/),
    {},
  ]);
  const untrusted = await serveWithCertificate(30, { isTrusted: false });
  expect(await findingsOf(untrusted.replace('127.0.0.1', 'localhost'))).toMatchObject([
    matching('stops', /is for other names, so browsers refuse it: get one for localhost$/),
    matching('look', /is signed by itself/),
    {},
  ]);
  expect((await findingsOf(await serveWithCertificate(30, { status: 404 })))[1]).toMatchObject(
    matching('look', /answers 404 Not Found: correct the address/),
  );
});

test('an address that accepts a connection and stays silent is given up', async () => {
  const silent = createTcpServer(() => {}).listen(0, '127.0.0.1');
  closeOnce(async () => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  for (const scheme of ['https', 'postgres']) {
    const [found] = await lookAt(new URL(`${scheme}://127.0.0.1:${port}`), {}, 200);
    expect(found).toMatchObject({
      level: scheme === 'https' ? 'stops' : 'look',
      text: expect.stringContaining('no answer comes') as string,
    });
  }
});

test.each([
  [
    503,
    '{"status":"not writing","waitingFor":"the database is unavailable"}',
    /does not write: the database is unavailable$/,
  ],
  [200, '<html>', /^another program answers at 127\.0\.0\.1:\d+: set GATES_HTTP_PORT/],
  [200, 'null', /^another program answers/],
])('where "listen" should be, %i with %s stops the gates that need it', async (status, body, text) => {
  const server = createHttpServer((_, response) => response.writeHead(status).end(body)).listen(
    0,
    '127.0.0.1',
  );
  closeOnce(async () => void server.close());
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port);
  const found = await findListen(
    { GATES_HTTP_PORT: port, GATES_HTTP_KEY: 'x' },
    EVENT,
    {
      databaseId: '',
      tickets: 0,
      kept: 0,
      unknown: undefined,
    },
    'UTC',
  );
  expect(found).toMatchObject({ level: 'stops', text: expect.stringMatching(text) as string });
});

test('a "listen" that stands still is to be stopped, not started beside', async () => {
  const silent = createHttpServer(() => {}).listen(0, '127.0.0.1');
  closeOnce(async () => silent.closeAllConnections());
  closeOnce(async () => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const sent = { databaseId: '', tickets: 1, kept: 0, unknown: undefined };
  expect(await findListen({ GATES_HTTP_PORT: String(port) }, EVENT, sent, 'UTC')).toMatchObject({
    level: 'stops',
    text: expect.stringMatching(/^what listens at .* has not answered within 5 s: if it is "listen", stop/),
  });
});

test('a disk that is nearly full is listed, and one that is full stops every gate', async () => {
  const disk = await makeTestDisk({ megabytes: 100 });
  const folder = disk.seenFromOutside;
  expect(await findDisk({ folder })).toMatchObject({ level: 'look' });
  writeFileSync(join(folder, 'full'), Buffer.alloc(80 * 2 ** 20));
  const full = await findDisk({ folder });
  expect(full).toMatchObject({
    level: 'stops',
    text: expect.stringMatching(/^\d+ MB free in .* not for long; /),
  });
});

test('an event that is not here stops every gate; a certificate that is over does, too; an address without TLS is named, and one that is none refused', async () => {
  expect(await runCheck({}, '--event', 'a'.repeat(32))).toBe(1);
  expect(lines().get('STOPS event')).toMatch(/^there is no event a+ here/);
  const url = new URL(await serveWithCertificate(1));
  expect(await lookAt(url, { nowMs: Date.now() + 48 * HOUR_MS })).toMatchObject([{ level: 'stops' }, {}]);
  for (const [address, text] of [
    [
      'https://127.0.0.1:1',
      /:1\/ does not answer: .*ECONNREFUSED.*: start the proxy there, or correct the address$/,
    ],
    [
      'https://board.invalid',
      /does not answer: .*: correct the address, or the entry of board\.invalid in the DNS/,
    ],
  ] as const)
    expect(await lookAt(new URL(address))).toMatchObject([
      { level: 'stops', subject: 'page', text: expect.stringMatching(text) as string },
    ]);
  await expect(runCheck({}, '--url', 'http://board')).rejects.toThrow(UsageError);
  const plain = createHttpServer().listen(0, '127.0.0.1');
  closeOnce(async () => void plain.close());
  await once(plain, 'listening');
  const { port } = plain.address() as AddressInfo;
  expect(await lookAt(new URL(`https://127.0.0.1:${port}`))).toMatchObject([
    {
      level: 'look',
      text: expect.stringMatching(/^what answers at \S+ has no TLS: name/) as string,
    },
  ]);
});

test('gates that may not write a ticket are found', async () => {
  const { admin } = tool.database;
  await admin`revoke update on tickets from triagem_gates`;
  await runCheck({});
  expect(lines().get('STOPS database')).toMatch(/^it cannot be written to: .*permission denied/);
  await admin`grant update on tickets to triagem_gates`;
});

test.each([
  ['refuses', "raise 'a gate of sector % is closed', new.setor", 'a gate of sector 4 is closed'],
  ['swallows', 'return null', 'does not let a ticket be changed, and raises no error'],
])('a trigger that %s entries is found, and leaves nothing behind', async (_what, body, cause) => {
  await makeEvent();
  await insertTickets({ a: '4' });
  const { admin, gates } = tool.database;
  await admin.unsafe(`
    create function test_refuse() returns trigger language plpgsql as $$ begin if new.entrou then ${body}; end if;
      return new; end $$;
    create trigger test_refuse before update on tickets for each row execute function test_refuse()`);
  expect(await runCheck({})).toBe(1);
  expect(lines().get('STOPS database')).toContain(cause);
  await admin`drop function test_refuse() cascade`;
  await runCheck({});
  expect(lines().get('ok database')).toBe('a commit comes through');
  expect(await gates`select entrou from tickets`).toEqual([{ entrou: false }]);
  expect(await gates`select from ticket_times union all select from kept_readings`).toEqual([]);
});

test('a locked table is found, and nothing waits for it', async () => {
  await makeEvent();
  await insertTickets({ a: '4' });
  const { admin } = tool.database;
  await admin.begin(async (sql) => {
    await sql`lock table tickets in exclusive mode`;
    expect(await runCheck({})).toBe(1);
  });
  expect([...lines()]).toEqual([
    ['STOPS database', expect.stringMatching(/another program has locked the tickets/)],
  ]);
});

test('commits that wait for a synchronous standby are found, and the rest is looked at', async () => {
  const { admin, gates, gatesUrl } = (await startTestCluster()).database;
  await gates`insert into events values (${EVENT})`;
  await admin`alter system set synchronous_standby_names = 'absent'`;
  await admin`select pg_reload_conf()`;
  expect(await runCheck({ GATES_DATABASE_URL: gatesUrl })).toBe(1);
  expect(lines().get('STOPS database')).toMatch(/no commit comes through .* synchronous_standby_names/);
  expect(lines().has('STOPS tickets')).toBe(true);
});
