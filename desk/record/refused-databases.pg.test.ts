import { expect, test } from 'vitest';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { createTestDatabase, newEventId } from '../../testing/database/database.ts';
import type { Source } from '../model/log/flow-log.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { restoreEarlierRecord, runMigration } from '../../testing/database/migration.ts';
import { openForEach } from '../../testing/open-for-tests.ts';
import { startPooler } from '../../testing/database/pooler.ts';
import { openTestRecord, type TestRecord } from '../../testing/desk/record.ts';
import { until } from '../../testing/until.ts';

const database = openForEach(createTestDatabase);

function open(url: string, eventId = newEventId(), source: Source = 'live'): TestRecord {
  return openTestRecord({ url, eventId, source });
}

async function expectAway({ record, logged }: TestRecord, words: RegExp): Promise<void> {
  await until(() =>
    expect(record.state).toMatchObject({ kind: 'away', reason: expect.stringMatching(words) }),
  );
  await expect(record.append(occurrence('x'))).rejects.toThrow(words);
  // One line per reason, not one per attempt: none follows itself.
  const reasons = logged.map(({ reason }) => reason);
  expect(reasons.filter((reason, place) => reason && reason === reasons[place - 1])).toEqual([]);
}

async function expectWriter({ record }: TestRecord): Promise<void> {
  await until(() => expect(record.state).toEqual({ kind: 'writer' }));
}

test('a database that an earlier version prepared: the log asks to migrate it, and recording begins once that is done', async () => {
  await database.admin.unsafe('alter schema triagem rename to later');
  const opened = open(database.recordUrl);
  await expectAway(
    opened,
    /The database has no tables for the record yet: set RECORD_DATABASE_URL and run `npm run migrate`/,
  );
  await database.admin.unsafe('alter schema later rename to triagem');
  await expectWriter(opened);
});

test('tables that know no event of Firestore yet: the log asks to migrate them, and recording begins once that is done', async () => {
  await restoreEarlierRecord(database);
  const opened = open(database.recordUrl, 'Final-2026');
  await expectAway(
    opened,
    /take no event but those of 32 hexadecimal characters yet: set RECORD_DATABASE_URL and run `npm run migrate`/,
  );
  // Those that were recorded until then go on.
  await expectWriter(open(database.recordUrl));
  await runMigration(database);
  await expectWriter(opened);
  await opened.record.append(occurrence('a'));
});

test('a role that may not, and one that may too much: events, and recorded once that is put right', async () => {
  const { username } = new URL(database.recordUrl);
  await database.admin.unsafe(`revoke insert on triagem.log from ${username}`);
  const opened = open(database.recordUrl);
  await expectWriter(opened);
  await expect(opened.record.append(occurrence('a'))).rejects.toThrow(
    /The record's role lacks a right: .*migrate/,
  );
  await database.admin.unsafe(`grant insert, delete on triagem.log to ${username}`);
  await expectAway(
    opened,
    /may change what is recorded \(DELETE on triagem\.log\): name a role of its own there/,
  );
  await database.admin.unsafe(`revoke delete on triagem.log from ${username}`);
  await expectWriter(opened);
  await expectAway(open(database.adminUrl), /may change what is recorded/);
});

test.each([
  ['live', 'simulated', /is real, and SIMULATED is set: take it out, or practise with another EVENT_ID/],
  ['simulated', 'live', /was simulated \(SIMULATED\): go back to the copy from before it/],
] as const)('a log that is %s is not for a server whose match is %s', async (own, other, words) => {
  const eventId = newEventId();
  const writer = open(database.recordUrl, eventId, own);
  await expectWriter(writer);
  const beside = open(database.recordUrl, eventId, other);
  await until(() => expect(beside.record.state).toEqual({ kind: 'standby' }));
  await writer.record.append(Object.assign(occurrence('a'), { source: own }));
  await expectAway(beside, words);
  await writer.stop();
  await expectAway(open(database.recordUrl, eventId, other), words);
  await expectWriter(open(database.recordUrl, eventId, own));
});

test('a refused login is reported with the setting, and without the password', async () => {
  const opened = open(Object.assign(new URL(database.recordUrl), { password: 'wrong-secret' }).href);
  await expectAway(opened, /correct user and password in RECORD_DATABASE_URL, or run `npm run migrate`/);
  expect(JSON.stringify(opened.logged)).not.toContain('wrong-secret');
});

test.each([
  ['that refuses what it does not know', undefined],
  ['that overlooks what it does not know', ['search_path', 'idle_session_timeout', 'lock_timeout']],
])('a pooler %s is refused', async (_what, overlooked) => {
  const port = await startPooler(database.recordUrl, { mode: 'session', ...(overlooked && { overlooked }) });
  const url = Object.assign(new URL(database.recordUrl), { port: String(port) }).href;
  await expectAway(
    open(url),
    /leads to a pooler such as PgBouncer, .*: name the host and port of PostgreSQL itself/,
  );
});

test('a table that somebody holds locked: events, and written once it is free', async () => {
  const opened = open(database.recordUrl);
  await expectWriter(opened);
  const isHeld = database.admin.begin(async (sql) => {
    await sql`lock table triagem.log in access exclusive mode`;
    await expect(opened.record.append(occurrence('a'))).rejects.toThrow(
      /holds a lock on the record's tables: end it/,
    );
  });
  await isHeld;
  await expectWriter(opened);
  expect(await opened.record.append(occurrence('a'))).toMatchObject({ seq: 1 });
});

test('a server that is restarted, and one that became a standby: events, and recorded again after', async () => {
  const cluster = await startTestCluster();
  const opened = open(cluster.database.recordUrl);
  await expectWriter(opened);
  await opened.record.append(occurrence('before'));
  await cluster.stop();
  await expectAway(opened, /Nobody answers at the address of RECORD_DATABASE_URL|takes no connections/);
  await cluster.startAsStandby();
  await expectAway(opened, /is a standby/);
});
