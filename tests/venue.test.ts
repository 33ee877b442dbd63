import fc from 'fast-check';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { permittedSectors } from '../domain/permitted-capacity.ts';
import type { ShownEvent } from '../gates/cli/running-board.ts';
import { venueOf as readVenueOfGates } from '../gates/import/venue.ts';
import { readConfig } from '../server/config.ts';
import { boardOf } from '../server/roles/stores.ts';
import { MAX_CODES } from '../domain/tally.ts';
import { readVenue } from '../domain/venue-file.ts';
import { DEFAULT_VENUE, knownCodes, type Venue } from '../domain/venue.ts';
import { repetitions } from '../testing/durations.ts';
import { freePort } from '../testing/server/free-port.ts';
import { copyUsedDataFolder } from '../testing/database/cluster.ts';
import {
  createTestDatabase,
  type TestDatabase,
  insertTickets,
  setEntered,
} from '../testing/database/database.ts';
import { recount } from '../testing/database/oracle.ts';
import { openPageClient, type PageClient, signIn } from '../testing/browser/page-client.ts';
import { runProgram } from '../testing/server/program.ts';
import { PROJECT_ROOT } from '../testing/project-root.ts';
import { EMAIL, KEY } from '../testing/server/server.ts';
import { startTestServer, type TestServer } from '../testing/server/test-server.ts';
import { until } from '../testing/until.ts';
import { anyVenue, venueOf, writeVenueFile } from '../testing/server/venues.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

function startWith(venue: Venue, env: Record<string, string> = {}): Promise<TestServer> {
  return startTestServer(database, { VENUE_FILE: writeVenueFile(venue), ...env });
}

async function expectExact(client: PageClient, { sectors }: Venue): Promise<void> {
  await until(async () => {
    expect(client.counts).toEqual(await recount(database.admin, sectors));
    expect(client.live).toBe(true);
  });
}

describe('without VENUE_FILE', () => {
  test('/config.json is what it was, to the byte, the page has room for thirteen rows, and the build is the same', async () => {
    const server = await startTestServer(database, { VENUE_FILE: '' });
    const config = await (await fetch(`${server.url}/config.json`)).text();
    expect(config).toBe(`{"eventId":"${DEFAULT_EVENT_ID}","email":"${EMAIL}","key":"${KEY}"}`);
    const page = await fetch(server.url);
    const html = await page.text();
    expect(html).toContain('data-rows=""');
    expect(html).not.toContain('<style>');
    expect(html).not.toContain(DEFAULT_VENUE.name);
    expect(page.headers.get('content-security-policy')).toContain("style-src 'self';");
    const again = await startTestServer(database);
    expect(await (await fetch(again.url)).text()).toBe(html);
    await server.stop();
    await again.stop();
  });
});

describe('with a venue', () => {
  const venue: Venue = {
    name: 'Arena do Segredo',
    timeZone: 'America/Noronha',
    sectors: [
      {
        code: 'N',
        name: 'Norte',
        stand: 'Norte',
        codes: ['4', '4A', 'NORTE INF'],
        capacity: 6_240,
        contact: 'canal 4 do Segredo',
        entriesPerHour: 2_400,
      },
      { code: 'S', name: 'Sul', stand: 'Sul', codes: ['S'] },
    ],
  };

  test("the page gets the rows and nothing else of the venue, has another build ID, and nowhere contains the venue's name", async () => {
    const server = await startWith(venue);
    const config = (await (await fetch(`${server.url}/config.json`)).json()) as Record<string, unknown>;
    expect(Object.keys(config)).toEqual(['eventId', 'email', 'key', 'venueId', 'sectors', 'layout']);
    expect(config['sectors']).toEqual([
      { code: 'N', name: 'Norte', stand: 'Norte' },
      { code: 'S', name: 'Sul', stand: 'Sul' },
    ]);
    const html = await (await fetch(server.url)).text();
    expect(html + JSON.stringify(config)).not.toContain('Segredo');
    const buildOf = (text: string): string => /data-build="(\w+)"/.exec(text)?.[1] ?? '';
    // Nor can it be guessed: whom to call changes nothing.
    const recalled = { ...venue, sectors: [{ ...venue.sectors[0], contact: 'canal 5' }, venue.sectors[1]] };
    const corrected = { ...venue, sectors: [{ ...venue.sectors[0], codes: ['4'] }, venue.sectors[1]] };
    const servers = [
      await startTestServer(database),
      await startWith(corrected as Venue),
      await startWith(recalled as Venue),
    ];
    const pages = await Promise.all(servers.map(async ({ url }) => (await fetch(url)).text()));
    expect(new Set([html, ...pages].map(buildOf)).size).toBe(3);
    expect(pages[2]).toBe(html);
    for (const each of [server, ...servers]) await each.stop();
  });

  test('its time zone is that of the clock, unless TIME_ZONE names another', async () => {
    for (const [env, offsetHours] of [
      [{}, -2],
      [{ TIME_ZONE: 'America/Rio_Branco' }, -5],
    ] as const) {
      const server = await startWith(venue, env);
      const client = await openPageClient(server.url);
      await until(() => expect(client.messages[0]?.event).toBe('build'));
      expect(client.messages[0]).toMatchObject({ clock: { utcOffsetMs: offsetHours * 3_600_000 } });
      client.leave();
      await server.stop();
    }
  });

  test('counts are refused to a page that has not its rows', async () => {
    const [withVenue, without] = [await startWith(venue), await startTestServer(database)];
    const config = await (await fetch(`${withVenue.url}/config.json`)).json();
    const { venueId } = config as { venueId: string };
    for (const [{ url }, query, status] of [
      [withVenue, `?venue=${venueId}`, 200],
      [withVenue, '', 409],
      [withVenue, '?venue=', 409],
      [withVenue, '?venue=0123456789ab', 409],
      [withVenue, `?venue=${venueId}&venue=${venueId}`, 409],
      [without, '', 200],
      [without, `?venue=${venueId}`, 409],
    ] as const) {
      const leaving = new AbortController();
      const answer = await fetch(`${url}/api/events/${DEFAULT_EVENT_ID}/live${query}`, {
        headers: { cookie: await signIn(url) },
        signal: leaving.signal,
      });
      expect([query, answer.status]).toEqual([query, status]);
      leaving.abort();
    }
    await withVenue.stop();
    await without.stop();
  });

  test('invariant 2, 3: rows are the sums of their codes, and a corrected venue needs no recount', async () => {
    await insertTickets(database.gates, [
      { id: 'v1', setor: '4', entrou: true },
      { id: 'v2', setor: '4A', entrou: true },
      { id: 'v3', setor: 'N', entrou: true },
      { id: 'v4', setor: 'NORTE INF' },
      { id: 'v5', setor: 'S', entrou: true },
    ]);
    const server = await startWith(venue);
    const client = await openPageClient(server.url);
    await until(() => expect(client.counts).toEqual({ total: 4, sectors: { N: 2, S: 1 }, others: 1 }));
    await setEntered(database.gates, 'v4', true);
    await until(() => expect(client.counts).toEqual({ total: 5, sectors: { N: 3, S: 1 }, others: 1 }));
    await expectExact(client, venue);
    await server.stop();
    const [norte, sul] = venue.sectors;
    const codes = [...(norte?.codes ?? []), 'N'];
    const after = await startWith({ ...venue, sectors: [{ ...norte, codes }, sul] as Venue['sectors'] });
    const second = await openPageClient(after.url);
    await until(() => expect(second.counts).toEqual({ total: 5, sectors: { N: 4, S: 1 }, others: 0 }));
    await after.stop();
  });

  test('a code of the venue is counted in its row, though it comes after a thousand others', async () => {
    const [last] = [...knownCodes(venue)].toReversed();
    await database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 'x' || n, true, true, ' other ' || n
      from generate_series(1, ${2 * MAX_CODES}) n`;
    const server = await startWith(venue);
    const client = await openPageClient(server.url);
    await expectExact(client, venue);
    const before = client.counts?.sectors['S'] ?? 0;
    await insertTickets(database.gates, [{ id: 'late', setor: last ?? '', entrou: true }]);
    await until(() => expect(client.counts?.sectors['S']).toBe(before + 1));
    await expectExact(client, venue);
    await server.stop();
  });
});

test('invariant 2, 3: in generated venues, counts equal a recount, before and after changes', async () => {
  const venues = fc.sample(anyVenue, { numRuns: repetitions(4, 2), seed: 20_261_122 });
  for (const [nth, venue] of venues.entries()) {
    const codes = [...knownCodes(venue), 'nobody knows', ''];
    const tickets = codes.map((setor, index) => ({
      id: `g${nth}-${index}`,
      setor,
      entrou: index % 3 === 0,
    }));
    await insertTickets(database.gates, tickets);
    const server = await startWith(venue);
    const client = await openPageClient(server.url);
    await expectExact(client, venue);
    for (const { id, entrou } of tickets.slice(0, 20)) await setEntered(database.gates, id, !entrou);
    await expectExact(client, venue);
    client.leave();
    await server.stop();
  }
});

test('with sixty sectors and codes as long as can be, a frame has less than 4 kB, and a page takes it', async () => {
  const venue = venueOf(60);
  const server = await startWith(venue);
  const client = await openPageClient(server.url);
  await expectExact(client, venue);
  expect(Object.keys(client.counts?.sectors ?? {})).toHaveLength(60);
  const before = client.bodyBytes;
  await insertTickets(database.gates, [
    { id: 'sixty', setor: venue.sectors[59]?.codes[1] ?? '', entrou: true },
  ]);
  await expectExact(client, venue);
  expect(client.bodyBytes - before).toBeLessThan(4_000);
  await server.stop();
});

test('a file that is no venue ends the start with its faults, before a database is made', async () => {
  const path = writeVenueFile('{\n  "name": "Arena",\n  "sectors": [],\n}\n');
  const dataDir = join(dirname(path), 'data');
  const program = runProgram('start', [], {
    VENUE_FILE: path,
    DATA_DIR: dataDir,
    EMBEDDED_DATABASE_PORT: '0',
  });
  expect(await program.ended).toBe(1);
  expect(program.stderr()).toContain(`VENUE_FILE is "${path}": line 3: it is not JSON`);
  expect(existsSync(dataDir)).toBe(false);
});

test('the seats of the built-in venue are no permitted capacities to the gates of a board that runs', async () => {
  const capacities = async (env: Record<string, string>) => {
    const board = JSON.parse(JSON.stringify(boardOf(readConfig(env)))) as ShownEvent;
    const venue = await readVenueOfGates({}, { boards: [board], lastBoard: undefined });
    return permittedSectors(venue).map(({ capacity }) => capacity);
  };
  expect(new Set(await capacities({}))).toEqual(new Set([undefined]));
  const own = venueOf(4);
  expect(await capacities({ VENUE_FILE: writeVenueFile(own) })).toEqual(
    own.sectors.map(({ capacity }) => capacity),
  );
});

test('the gates tool reads the venue of its board from the embedded database, and seats spectators there', async () => {
  const venue = venueOf(4);
  const dataDir = mkdtempSync(join(tmpdir(), 'triagem-venue-data-'));
  chmodSync(dataDir, 0o755);
  copyUsedDataFolder(dataDir);
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()), EMBEDDED_DATABASE_PORT: '0' };
  const server = runProgram('start', [], { ...env, VENUE_FILE: writeVenueFile(venue) });
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
  });
  await until(() => expect(server.stdout()).toContain('serving the board'), 60_000);
  const { board } = JSON.parse(readFileSync(join(dataDir, 'gates.json'), 'utf8')) as { board: object };
  expect(board).toMatchObject({ eventId: DEFAULT_EVENT_ID, venue, url: `http://127.0.0.1:${env.PORT}` });
  const simulated = runProgram('gates', ['simulate', '--speed', '100000'], env);
  expect(await simulated.ended).toBe(0);
  const seats = venue.sectors.reduce((sum, { capacity = 0 }) => sum + capacity, 0);
  expect(simulated.stdout()).toContain(`${seats} tickets sold`);
  const url = `http://127.0.0.1:${env.PORT}`;
  const account = (await (await fetch(`${url}/config.json`)).json()) as { email: string; key: string };
  const client = await openPageClient(url, { account });
  await until(() => expect(client.counts?.total).toBeGreaterThan(0));
  expect(client.counts?.others).toBe(0);
  expect(Object.values(client.counts?.sectors ?? {}).every((count) => count > 0)).toBe(true);
  client.leave();
});

describe('venues/', () => {
  const read = (name: string): Venue => readVenue(readFileSync(join(PROJECT_ROOT, 'venues', name), 'utf8'));

  test('holds the default venue', () => expect(read('castelao.json')).toEqual(DEFAULT_VENUE));

  test.each([
    ['campo-pequeno.json', 4],
    ['arena-grande.json', 32],
  ])('%s is a venue of %i sectors with several codes each, and seats', (name, count) => {
    const { sectors } = read(name);
    expect(sectors).toHaveLength(count);
    expect(sectors.every(({ capacity = 0 }) => capacity > 0)).toBe(true);
    expect(sectors.some(({ codes }) => codes.length > 2)).toBe(true);
  });
});
