import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddedDatabase } from '../../database/embedded/embedded-database.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { until } from '../../testing/until.ts';

// What the observer may not write and read: "invariant 4" in tests/faults/refused-databases.long.test.ts and migrate.pg.long.test.ts.
// Here: replication, on a server of its own that admits whom the documented lines for pg_hba.conf admit.

const install = readFileSync(join(PROJECT_ROOT, 'docs/install.md'), 'utf8');

const database = openForAll(() => {
  return startEmbeddedDatabase({ dataDir: makeTestFolder(), port: 0, log: () => {} });
});
let admin: postgres.Sql;

beforeAll(async () => {
  admin = postgres(database.adminUrl, { max: 1, onnotice: () => {} });
  await admin`alter table tickets add column cpf text`;
  const documented = install.match(/^(local|host) .*triagem_observer.*$/gm) ?? [];
  expect(documented).toHaveLength(3);
  // Below them, what an ordinary server has.
  const ordinary = ['all', 'replication'].map((what) => `host ${what} all 127.0.0.1/32 scram-sha-256`);
  const rules = [...documented, ...ordinary, ''].join('\n');
  writeFileSync(join(database.dataDir, 'cluster', 'pg_hba.conf'), rules);
  await admin`select pg_reload_conf()`;
});

afterAll(async () => {
  await admin?.end();
  await database.stop();
});

function replication(url: string, kind: 'true' | 'database'): postgres.Sql {
  return postgres(url, { max: 1, prepare: false, fetch_types: false, connection: { replication: kind } });
}

test('the lines that docs/install.md gives for pg_hba.conf are good', async () => {
  const rows = await admin`select error from pg_hba_file_rules where error is not null`;
  expect(rows).toEqual([]);
});

test.each(['IDENTIFY_SYSTEM', 'BASE_BACKUP', 'START_REPLICATION PHYSICAL 0/1000000'])(
  'with them, the observer may not replicate physically: %s',
  async (command) => {
    // The new rules hold for connections made after they were read.
    await until(async () => {
      const sql = replication(database.observerUrl, 'true');
      try {
        await expect(sql.unsafe(command)).rejects.toMatchObject({ code: '28000' });
      } finally {
        await sql.end({ timeout: 1 });
      }
    });
  },
);

test('it still replicates logically, which is what it is for', async () => {
  const sql = replication(database.observerUrl, 'database');
  const [slot] = await sql.unsafe(
    'CREATE_REPLICATION_SLOT mine TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT',
  );
  expect(slot?.['slot_name']).toBe('mine');
  await sql.end({ timeout: 1 });
});

// The tests below show the limit of the promise: docs/security.md states that the observer's password gives this access.

test('its password reads the changes of every column, by another decoder', async () => {
  const sql = postgres(database.observerUrl, { max: 1, onnotice: () => {} });
  await sql`select pg_create_logical_replication_slot('curious', 'test_decoding', true)`;
  await admin`insert into tickets (event_id, id, is_valid_ticket, entrou, setor, cpf)
    values ('e', 'x', true, true, '4', '123.456.789-09')`;
  const changes = await sql<{ data: string }[]>`
    select data from pg_logical_slot_get_changes('curious', null, null)`;
  expect(changes.map(({ data }) => data).join()).toContain('123.456.789-09');
  await sql.end({ timeout: 1 });
});

test('its password copies the whole cluster, on a connection for logical replication', async () => {
  const sql = replication(database.observerUrl, 'database');
  const backup = await sql.unsafe("BASE_BACKUP (CHECKPOINT 'fast', MANIFEST 'no')").readable();
  let bytes = 0;
  for await (const part of backup) {
    bytes += (part as Buffer).length;
    if (bytes > 1_000_000) break;
  }
  expect(bytes).toBeGreaterThan(1_000_000);
  await sql.end({ timeout: 1 }).catch(() => {});
});

test('and docs/security.md states it', () => {
  const security = readFileSync(join(PROJECT_ROOT, 'docs/security.md'), 'utf8');
  expect(security).toMatch(/BASE_BACKUP/);
  expect(security).toMatch(/test_decoding/);
});
