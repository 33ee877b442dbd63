import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { verifyChain } from '../model/log/log-chain.ts';
import type { Minute } from '../model/series/minute.ts';
import { createTestDatabase, newEventId } from '../../testing/database/database.ts';
import { duration, IS_FULL, repetitions } from '../../testing/durations.ts';
import { sha256 } from '../http/record-files.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { type Network, startNetwork } from '../../testing/server/network.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openTestRecord, rowsNamed, someMinutes, type TestRecord } from '../../testing/desk/record.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { until } from '../../testing/until.ts';
import { RecordUnavailableError } from './record.ts';
import { testInFull } from '../../testing/test-in-full.ts';

const database = openForAll(createTestDatabase);

const untilState = (opened: TestRecord, kind: string): Promise<void> =>
  until(() => expect(opened.record.state).toMatchObject({ kind }));

async function openWriter(eventId: string, known: readonly Minute[] = []): Promise<TestRecord> {
  const opened = openTestRecord({ url: database.recordUrl, eventId }, known);
  await untilState(opened, 'writer');
  return opened;
}

/** How many rows there are of the event, and in how many minutes. */
async function countMinutes(eventId: string): Promise<{ rows: number; minutes: number }> {
  const [counted] = await database.admin<[{ rows: number; minutes: number }]>`
    select count(*)::int as rows, count(distinct minute)::int as minutes
    from triagem.minutes where event_id = ${eventId}`;
  return counted;
}

async function idsOf(eventId: string): Promise<string[]> {
  const rows = await database.admin<{ id: string }[]>`
    select id from triagem.log where event_id = ${eventId} order by seq`;
  return rows.map(({ id }) => id);
}

/** The session of the event's record, by its application's name. */
async function terminate(eventId: string): Promise<number> {
  const { count } = await database.admin`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${`triagem record ${eventId}`}`;
  return count;
}

test.each([...(IS_FULL ? ['Final-2026'] : []), `D'Ávila \\ "×"; ${'é'.repeat(700)}`])(
  'an event of Firestore is recorded by its ID, by one process at a time: %.20s',
  async (eventId) => {
    const first = await openWriter(eventId);
    const second = openTestRecord({ url: database.recordUrl, eventId });
    await untilState(second, 'standby');
    const other = await openWriter(`${eventId} `);
    first.record.writeMinutes(someMinutes(0, 3));
    await first.record.append(occurrence('a'));
    await until(() => expect([second.events.minutes.size, second.events.log.length]).toEqual([3, 1]));
    // They know of each other: one that nobody reaches lets the other one write.
    first.record.setReachable(false);
    await untilState(second, 'writer');
    await untilState(first, 'standby');
    expect(second.events.log).toMatchObject([{ id: 'a', seq: 1 }]);
    expect(await countMinutes(eventId)).toMatchObject({ minutes: 3 });
    // Another event, whose ID begins alike, has a record of its own.
    expect(other.events).toMatchObject({ log: [], loaded: 1 });
  },
);

test('the chain holds where the database rounds the numbers that it gives', async () => {
  const own = await createTestDatabase();
  await own.admin.unsafe(`alter database "${own.name}" set extra_float_digits = -3`);
  const eventId = newEventId();
  const opened: TestRecord[] = [];
  for (const id of ['a', 'b', 'c']) {
    const next = openTestRecord({ url: own.recordUrl, eventId });
    opened.push(next);
    await untilState(next, 'writer');
    await next.record.append(occurrence(id, 'x', 1_795_000_000_182));
    await next.stop();
  }
  const log = opened.at(-1)?.events.log ?? [];
  expect(log.map(({ atMs }) => atMs)).toEqual([1_795_000_000_182, 1_795_000_000_182, 1_795_000_000_182]);
  expect(verifyChain(eventId, log, sha256)).toMatchObject({ rows: 3, broken: undefined });
});

test('minutes and entries that were written are what the next process loads', async () => {
  const eventId = newEventId();
  const first = await openWriter(eventId);
  const minutes = someMinutes(0, 200);
  first.record.writeMinutes(minutes);
  const entries = [
    occurrence('a', `it's "quoted" \\ ${'é'.repeat(400)}`),
    occurrence('b'),
    occurrence('c', ''),
  ];
  const rows = [];
  for (const entry of entries) rows.push(await first.record.append(entry));
  await until(() => expect(first.record.minutesWaiting).toBe(0));
  expect(first.record).toMatchObject({ minutesWritten: 200, lastMinuteMs: minutes.at(-1)?.minuteMs });
  expect([...first.events.minutes.values()]).toEqual(minutes);
  expect(first.events.log).toEqual(rows);
  await first.stop();
  const second = await openWriter(eventId);
  expect([...second.events.minutes.values()]).toEqual(minutes);
  expect(second.events.areOfOneCommit).toBe(true);
  expect(second.events.log).toEqual(rows);
  expect(second.events.log).toMatchObject(entries);
  expect(verifyChain(eventId, second.events.log, sha256)).toMatchObject({ rows: 3, broken: undefined });
  expect(second.record.lastMinuteMs).toBe(minutes.at(-1)?.minuteMs);
});

test('a minute that several processes write is stored once, and stays as it is', async () => {
  const eventId = newEventId();
  const minutes = someMinutes(0, 20);
  const first = await openWriter(eventId, minutes);
  first.record.writeMinutes(minutes);
  await until(() => expect(first.record.minutesWritten).toBe(20));
  const others = someMinutes(0, 21).map(({ minuteMs, sectors }) => ({
    minuteMs,
    sectors: sectors.toReversed(),
  }));
  first.record.writeMinutes(others);
  await until(() => expect(first.record.minutesWritten).toBe(21));
  await first.stop();
  const second = await openWriter(eventId, minutes);
  second.record.writeMinutes(minutes);
  await second.record.append(occurrence('behind them'));
  expect(second.record.minutesWritten).toBe(0);
  expect(await countMinutes(eventId)).toEqual({ rows: 63, minutes: 21 });
  expect([...second.events.minutes.values()].slice(0, 20)).toEqual(minutes);
  // The last one was written apart, as by a server that watched it.
  expect(second.events.areOfOneCommit).toBe(false);
});

test('the same id again is answered with the row that is there, at once or by another process', async () => {
  const eventId = newEventId();
  const first = await openWriter(eventId);
  const row = await first.record.append(occurrence('command'));
  expect(await first.record.append(occurrence('command', 'another text'))).toEqual(row);
  first.record.note(occurrence('command'));
  await first.stop();
  const second = await openWriter(eventId);
  expect(await second.record.append(occurrence('command'))).toEqual(row);
  expect(await idsOf(eventId)).toEqual(['command']);
});

test("an entry that the database refuses is refused, and those behind it are not; the server's own is given up", async () => {
  const eventId = newEventId();
  const { record, logged } = await openWriter(eventId);
  const refused = record.append({ ...occurrence('x'.repeat(300)) });
  const taken = record.append(occurrence('right'));
  await expect(refused).rejects.toMatchObject({ code: '23514' });
  await taken;
  record.note(occurrence('unwritable', 'half of a pair: \uD83D'));
  record.note(occurrence('at no time', '', NaN));
  record.note({ ...occurrence('of nobody'), by: 'a\0b' });
  record.writeMinutes(someMinutes(0, 1, 2));
  record.note(occurrence('note'));
  await until(async () => expect(await idsOf(eventId)).toEqual(['right', 'note']));
  expect(record.state.kind).toBe('writer');
  expect(logged.filter(({ level }) => level === 50)).toMatchObject([
    { kind: 'occurrence' },
    { id: 'unwritable' },
    { msg: 'minutes were refused' },
    { id: 'at no time' },
    { id: 'of nobody' },
  ]);
});

describe('of two processes', () => {
  test('one writes; the other is told what it writes, refuses commands, and writes when the first is gone', async () => {
    const eventId = newEventId();
    const known = someMinutes(0, 30);
    const first = await openWriter(eventId);
    const second = openTestRecord({ url: database.recordUrl, eventId }, known);
    await untilState(second, 'standby');
    await expect(second.record.append(occurrence('refused'))).rejects.toThrow(RecordUnavailableError);
    second.record.note(occurrence('of both'));
    second.record.note(occurrence('of the second'));
    second.record.writeMinutes(known.slice(0, 12));
    first.record.writeMinutes(known.slice(0, 10));
    await first.record.append(occurrence('command'));
    first.record.note(occurrence('of both'));
    await until(() => {
      expect(second.events.log.map(({ id }) => id)).toEqual(['command', 'of both']);
      expect([...second.events.minutes.values()]).toEqual(known.slice(0, 10));
      expect(second.record.minutesWaiting).toBe(2);
    });
    expect(second.events).toMatchObject({ loaded: 1, leader: 0 });
    await first.stop();
    await untilState(second, 'writer');
    await until(async () => expect(await countMinutes(eventId)).toEqual({ rows: 90, minutes: 30 }));
    expect(await idsOf(eventId)).toEqual(['command', 'of both', 'of the second']);
    expect(second.record.minutesWritten).toBe(20);
    expect(second.events).toMatchObject({ loaded: 1, leader: 1 });
  });

  test('the one that writes offers the record: the other one takes it, with all it knows, and nothing is lost on the way', async () => {
    const eventId = newEventId();
    const known = someMinutes(0, 30);
    const first = await openWriter(eventId);
    const second = openTestRecord({ url: database.recordUrl, eventId }, known);
    await untilState(second, 'standby');
    expect(second.record.yieldLeadership()).toBe(false);
    first.record.writeMinutes(known.slice(0, 3));
    const last = first.record.append(occurrence('last'));
    expect(first.record.yieldLeadership()).toBe(true);
    expect(await last).toMatchObject({ seq: 1 });
    await untilState(second, 'writer');
    expect(first.record.state.kind).toBe('standby');
    await expect(first.record.append(occurrence('refused'))).rejects.toThrow(RecordUnavailableError);
    expect(await second.record.append(occurrence('next'))).toMatchObject({ seq: 2 });
    await until(() => {
      expect(first.events.log.map(({ id }) => id)).toEqual(['last', 'next']);
      expect([...first.events.minutes.values()]).toEqual(known);
    });
    expect(first.events).toMatchObject({ loaded: 1, leader: 1 });
    expect(verifyChain(eventId, first.events.log, sha256)).toMatchObject({ rows: 2, broken: undefined });
    // And back.
    expect(second.record.yieldLeadership()).toBe(true);
    await untilState(first, 'writer');
    expect(await countMinutes(eventId)).toEqual({ rows: 90, minutes: 30 });
  });

  testInFull(
    'one that nobody reaches lets one write that is reached, and takes nothing from it; with no such one it writes on',
    async () => {
      const eventId = newEventId();
      const first = await openWriter(eventId);
      const others = [1, 2].map(() => openTestRecord({ url: database.recordUrl, eventId }));
      const [second, third] = others as [TestRecord, TestRecord];
      for (const other of others) {
        await untilState(other, 'standby');
        other.record.setReachable(false);
      }
      await until(async () => {
        const [{ count }] = await database.admin<[{ count: number }]>`
        select count(*)::int as count from pg_stat_activity
        where application_name = ${`triagem record ${eventId} unreached`}`;
        expect(count).toBe(2);
      });
      first.record.setReachable(false);
      for (const id of ['a', 'b', 'c']) {
        await first.record.append(occurrence(id));
        await pause(800);
      }
      second.record.setReachable(true);
      const stopwatch = startStopwatch();
      await untilState(second, 'writer');
      expect(await stopwatch.elapsedMs()).toBeLessThan(1_500);
      await untilState(first, 'standby');
      await second.record.append(occurrence('d'));
      first.record.setReachable(true);
      third.record.setReachable(true);
      await pause(1_500);
      expect([first, second, third].map(({ record }) => record.state.kind)).toEqual([
        'standby',
        'writer',
        'standby',
      ]);
      expect(await idsOf(eventId)).toEqual(['a', 'b', 'c', 'd']);
      await until(() => expect(first.events.log.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']));
    },
  );

  test('a record that is offered to nobody goes on being written, and its writer is told so', async () => {
    const { record, events } = await openWriter(newEventId());
    const states = new Set<string>();
    const watching = setInterval(() => states.add(record.state.kind), 1);
    expect(record.yieldLeadership()).toBe(true);
    await until(() => expect(events.leader).toBe(2));
    clearInterval(watching);
    expect([...states]).toEqual(['writer']);
    expect(await record.append(occurrence('a'))).toMatchObject({ seq: 1 });
  });

  test.each([
    ...(IS_FULL ? ([['', 2, undefined]] as const) : []),
    [', in the middle of a hand-over', 3, 30] as const,
  ])(
    'sessions that are ended again and again%s lose nothing that was answered, and write nothing twice',
    async (_when, count, offerEveryMs) => {
      const eventId = newEventId();
      const known = someMinutes(0, 100);
      const records = Array.from({ length: count }, () =>
        openTestRecord({ url: database.recordUrl, eventId }, known),
      );
      let offered = 0;
      const offering = setInterval(() => {
        for (const { record } of records) if (record.yieldLeadership()) offered += 1;
      }, offerEveryMs ?? 1_000_000);
      const answered: string[] = [];
      const over = new AbortController();
      const isOver = (): boolean => over.signal.aborted;
      const writing = (async () => {
        for (let number = 0; !isOver(); number += 1) {
          const id = `command ${number}`;
          // As a desk does: again, with the same id, until it is answered.
          while (!answered.includes(id) && !isOver()) {
            for (const { record } of records) {
              record.writeMinutes([known[number % 100] as Minute]);
              await record.append(occurrence(id)).then(
                (row) => answered.push(row.id),
                (error: unknown) => expect(error).toBeInstanceOf(RecordUnavailableError),
              );
              if (answered.includes(id)) break;
            }
            await pause(5);
          }
        }
      })();
      for (let cut = 0; cut < repetitions(6, 4); cut += 1) {
        const before = answered.length;
        await until(() => expect(answered.length).toBeGreaterThan(before + 5));
        expect(await terminate(eventId)).toBeGreaterThan(0);
      }
      over.abort();
      await writing;
      clearInterval(offering);
      expect(offered > 6).toBe(offerEveryMs !== undefined);
      await until(async () => expect(await countMinutes(eventId)).toEqual({ rows: 300, minutes: 100 }));
      const ids = await idsOf(eventId);
      expect(ids.filter((id) => answered.includes(id))).toEqual([...new Set(answered)]);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { events } of records) {
        await until(() => expect(events.log.map(({ id }) => id)).toEqual(ids));
        expect(verifyChain(eventId, events.log, sha256).broken).toBeUndefined();
      }
    },
  );
});

describe('where the link to the database fails', () => {
  async function openThroughNetwork(eventId: string): Promise<{ network: Network; opened: TestRecord }> {
    const network = await startNetwork(database.recordUrl);
    const opened = openTestRecord({ url: network.url, eventId });
    await untilState(opened, 'writer');
    return { network, opened };
  }

  test('in the middle of a commit, the command is refused, and the same id again is recorded once', async () => {
    const eventId = newEventId();
    const { network, opened } = await openThroughNetwork(eventId);
    const { record } = opened;
    let refused: Promise<unknown> = Promise.resolve();
    await database.admin.begin(async (sql) => {
      await sql`lock table triagem.log in share mode`;
      refused = record.append(occurrence('in doubt')).catch((error: unknown) => error);
      await until(async () => {
        const waiting = await sql`
          select from pg_stat_activity
          where application_name = ${`triagem record ${eventId}`} and wait_event_type = 'Lock'`;
        expect(waiting).toHaveLength(1);
      });
      // The statement has come, and no answer to it will.
      network.cut();
      expect(await refused).toBeInstanceOf(RecordUnavailableError);
    });
    await until(async () => expect(await idsOf(eventId)).toEqual(['in doubt']));
    network.restore();
    await untilState(opened, 'writer');
    expect(await record.append(occurrence('in doubt'))).toMatchObject({ seq: 1 });
    expect(opened.events.log).toHaveLength(1);
    expect(await idsOf(eventId)).toEqual(['in doubt']);
  });

  test('before the statement has come, the command is refused, and is not there', async () => {
    const eventId = newEventId();
    const { network, opened } = await openThroughNetwork(eventId);
    network.holdOn('insert into triagem.log');
    const refused = opened.record.append(occurrence('lost')).catch((error: unknown) => error);
    await until(() => expect(network.hasHeldOn).toBe(true));
    network.cut();
    expect(await refused).toBeInstanceOf(RecordUnavailableError);
    await untilState(opened, 'away');
    network.restore();
    await untilState(opened, 'writer');
    expect(await idsOf(eventId)).toEqual([]);
  });

  test(
    'for long, what waits is written once it is back, with what has been known since',
    async () => {
      const eventId = newEventId();
      const { network, opened } = await openThroughNetwork(eventId);
      const { record, logged } = opened;
      network.cut();
      await untilState(opened, 'away');
      record.writeMinutes(someMinutes(0, 1_500));
      record.note(occurrence('meanwhile'));
      expect(record.minutesWaiting).toBe(1_440);
      await expect(record.append(occurrence('refused'))).rejects.toThrow(/The record is unavailable: /);
      // Some attempts to connect.
      await pause(duration(600_000, 1_200));
      const reasons = logged.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
      expect(new Set(reasons).size).toBe(reasons.length);
      network.restore();
      await untilState(opened, 'writer');
      expect(record.minutesWaiting).toBe(0);
      expect(await countMinutes(eventId)).toEqual({ rows: 4_320, minutes: 1_440 });
      expect(await idsOf(eventId)).toEqual(['meanwhile']);
      expect(opened.events.minutes.size).toBe(1_440);
    },
    duration(660_000, 240_000),
  );

  test('and stop is asked for, it has stopped within a second, and tells nothing any more', async () => {
    const { network, opened } = await openThroughNetwork(newEventId());
    network.swallow();
    const appended = opened.record.append(occurrence('never')).catch((error: unknown) => error);
    const stopwatch = startStopwatch();
    await opened.stop();
    expect(await stopwatch.elapsedMs()).toBeLessThan(1_000);
    expect(await appended).toBeInstanceOf(RecordUnavailableError);
    expect(opened.record.state.kind).toBe('away');
  });
});

test('stop writes what has been handed over, and lets go of the event at once', async () => {
  const eventId = newEventId();
  const first = await openWriter(eventId);
  const second = openTestRecord({ url: database.recordUrl, eventId });
  await untilState(second, 'standby');
  first.record.writeMinutes(someMinutes(0, 300));
  const last = first.record.append(occurrence('last'));
  await first.stop();
  await last;
  expect(await countMinutes(eventId)).toEqual({ rows: 900, minutes: 300 });
  await untilState(second, 'writer');
});

test('a database that took the place of another and lacks the last rows gets them again', async () => {
  const eventId = newEventId();
  const minutes = someMinutes(0, 30);
  const { record, events, logged } = await openWriter(eventId, minutes);
  for (const id of ['a', 'b', 'c', 'd']) await record.append(occurrence(id));
  await until(async () => expect(await countMinutes(eventId)).toMatchObject({ minutes: 30 }));
  // What a standby that was not synchronous has not got.
  await database.admin.unsafe(`
    delete from triagem.log where event_id = '${eventId}' and seq > 2;
    delete from triagem.minutes where event_id = '${eventId}' and minute > to_timestamp(${(minutes[9]?.minuteMs ?? 0) / 1_000})`);
  await terminate(eventId);
  await until(async () => {
    expect(await idsOf(eventId)).toEqual(['a', 'b', 'c', 'd']);
    expect(await countMinutes(eventId)).toMatchObject({ minutes: 30 });
  });
  expect(logged.map(({ msg }) => msg)).toContain(
    'the database has lost entries of the log: they are written again',
  );
  expect(events.lost).toEqual(['c', 'd']);
});

test('a database that lacks the last rows gets them from whoever wrote last, though another process waits', async () => {
  for (let round = 0; round < repetitions(3, 1); round += 1) {
    const eventId = newEventId();
    const writing = await openWriter(eventId);
    const waiting = openTestRecord({ url: database.recordUrl, eventId });
    await untilState(waiting, 'standby');
    for (const id of ['a', 'b', 'c', 'd']) await writing.record.append(occurrence(id));
    // The one that waits has not read them yet.
    await database.admin`delete from triagem.log where event_id = ${eventId} and seq > 1`;
    await terminate(eventId);
    await until(async () => expect(await idsOf(eventId)).toEqual(['a', 'b', 'c', 'd']));
    await untilState(waiting, 'standby');
    expect(writing.record.state).toEqual({ kind: 'writer' });
    await Promise.all([writing.stop(), waiting.stop()]);
  }
});

test('entries that only another process holds than the one that writes get into the record, and it says so until then', async () => {
  const eventId = newEventId();
  const holding = await openWriter(eventId);
  for (const id of ['a', 'b', 'c']) await holding.record.append(occurrence(id));
  expect(holding.record.storedAt).toEqual({ host: new URL(database.recordUrl).host, timeline: '1' });
  const network = await startNetwork(database.recordUrl);
  await holding.stop();
  // As in the half of a parted fleet: it has written what the database does not have that comes in its place.
  const parted = openTestRecord({ url: network.url, eventId });
  await untilState(parted, 'writer');
  for (const id of ['d', 'e']) await parted.record.append(occurrence(id));
  network.cut();
  await untilState(parted, 'away');
  expect(parted.record.storedAt).toBeUndefined();
  await database.admin`delete from triagem.log where event_id = ${eventId} and seq > 2`;
  const writing = await openWriter(eventId);
  const waiting = openTestRecord({ url: database.recordUrl, eventId });
  await untilState(waiting, 'standby');
  await writing.record.append(occurrence('f'));
  const lost: number[] = [];
  const watching = setInterval(() => lost.push(parted.record.entriesLost), 1);
  network.restore();
  await until(async () => expect(await idsOf(eventId)).toEqual(['a', 'b', 'f', 'c', 'd', 'e']));
  await until(() => expect(parted.record).toMatchObject({ entriesLost: 0, state: { kind: 'writer' } }));
  clearInterval(watching);
  expect(lost).toContain(3);
  await untilState(writing, 'standby');
  for (const { events } of [parted, writing, waiting])
    await until(() => expect(events.log.map(({ id }) => id)).toEqual(['a', 'b', 'f', 'c', 'd', 'e']));
  expect(verifyChain(eventId, parted.events.log, sha256)).toMatchObject({ rows: 6, broken: undefined });
});

test('minutes of a venue with other rows stay, are not events, and are not written over', async () => {
  const eventId = newEventId();
  const first = await openWriter(eventId, someMinutes(0, 10));
  await until(() => expect(first.record.minutesWritten).toBe(10));
  await first.stop();
  const second = openTestRecord(
    { url: database.recordUrl, eventId, rows: rowsNamed(['4', '98', '97']) },
    someMinutes(5, 10, 4),
  );
  await untilState(second, 'writer');
  await until(() => expect(second.record.minutesWritten).toBe(5));
  expect(second.events.minutes.size).toBe(5);
  expect(await countMinutes(eventId)).toEqual({ rows: 10 * 3 + 5 * 4, minutes: 15 });
  expect(JSON.stringify(second.logged)).toContain('a venue without some of these sectors');
});

test('somebody else who adds to the log beside the lock is noticed, and the chain goes on behind it', async () => {
  const eventId = newEventId();
  const opened = await openWriter(eventId);
  const row = await opened.record.append(occurrence('a'));
  await database.admin`
    insert into triagem.log (event_id, seq, id, at, source, kind, data, figures, previous)
    values (${eventId}, 2, 'foreign', now(), 'live', 'occurrence', '{}', '{}', ${row.previous || '0'.repeat(64)})`;
  await expect(opened.record.append(occurrence('b'))).rejects.toThrow(/Something has added to the log/);
  await untilState(opened, 'writer');
  expect(await opened.record.append(occurrence('b'))).toMatchObject({ seq: 3 });
  expect(verifyChain(eventId, opened.events.log, sha256).broken).toMatchObject({ seq: 2 });
});
