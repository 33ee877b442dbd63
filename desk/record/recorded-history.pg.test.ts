import { pino } from 'pino';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { CURVE_FROM_MIN } from '../model/forecast/limits.ts';
import { MINUTE_MS, minuteOf } from '../model/series/minute.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { createTestDatabase, newEventId, type TestDatabase } from '../../testing/database/database.ts';
import { openForEach } from '../../testing/open-for-tests.ts';
import { recordGeneratedMatch } from '../../testing/desk/match-in-record.ts';
import { serverEntry } from '../../testing/server/server-entry.ts';
import { unhinderedNow, until } from '../../testing/until.ts';
import { HistoryWatch } from './history-watch.ts';
import { type RecordedHistory, RecordedHistoryReader } from './recorded-history.ts';

const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const NOW_MS = Date.now();
const TODAY = newEventId();
const weeksAgo = (weeks: number): number => minuteOf(NOW_MS) - weeks * WEEK_MS;

const database: TestDatabase = openForEach(() => createTestDatabase());

function openReader(isSimulated = false) {
  const sql = postgres(database.recordUrl, { max: 1 });
  closeOnce(() => sql.end({ timeout: 1 }));
  const kickOffs = new Map<string, number>();
  const reader = new RecordedHistoryReader({
    eventId: TODAY,
    isSimulated,
    kickOffsOf: async () => kickOffs,
  });
  return { kickOffs, read: () => reader.read(sql, NOW_MS) };
}

/** Of today's event, with all that it tells and logs. */
function openWatch() {
  const told: RecordedHistory[] = [];
  const logged: string[] = [];
  const kickOffs = new Map<string, number>();
  const watch = new HistoryWatch({
    record: { url: database.recordUrl, place: { setting: 'RECORD_DATABASE_URL' } },
    kickOffsOf: async () => kickOffs,
    eventId: TODAY,
    isSimulated: false,
    onHistory: (history) => told.push(history),
    log: pino({ base: null }, { write: (line: string) => void logged.push(line) }),
    everyMs: 50,
  });
  closeOnce(() => watch.stop());
  return { watch, told, logged, kickOffs };
}

const idsOf = (history: RecordedHistory | undefined): string[] | undefined =>
  history?.matches.map(({ eventId }) => eventId).toSorted();

test('earlier matches are those of other events that were watched or imported, with their curves', async () => {
  const [live, imported, noKickOff, tomorrow, simulated] = Array.from({ length: 5 }, newEventId);
  if (!live || !imported || !noKickOff || !tomorrow || !simulated) throw new Error('unreachable');
  const atKickOff = await recordGeneratedMatch(database, { eventId: live, kickOffMs: weeksAgo(1) });
  const ofImport = serverEntry('import:1', 'import', { minutes: 1, sha256: 'ab' });
  await recordGeneratedMatch(database, {
    eventId: imported,
    kickOffMs: weeksAgo(2),
    importId: 'import:1',
    entries: [ofImport],
    hasTimes: false,
  });
  await recordGeneratedMatch(database, { eventId: noKickOff, kickOffMs: weeksAgo(3), hasTimes: false });
  await recordGeneratedMatch(database, { eventId: tomorrow, kickOffMs: weeksAgo(-1) });
  await recordGeneratedMatch(database, { eventId: TODAY, kickOffMs: weeksAgo(4) });
  await recordGeneratedMatch(database, {
    eventId: simulated,
    kickOffMs: weeksAgo(5),
    source: 'simulated',
  });

  const { kickOffs, read } = openReader();
  kickOffs.set(imported, weeksAgo(2));
  const history = await read();
  expect(idsOf(history)).toEqual([live, imported].toSorted());
  const curve = history?.matches.find(({ eventId }) => eventId === live)?.total;
  expect(curve?.admitted[CURVE_FROM_MIN]).toBe(atKickOff);
  expect(history?.matches.map(({ sectors }) => [...sectors.keys()].toSorted())).toEqual(
    [1, 2].map(() => ['', '4', '7', '99']),
  );
  expect(idsOf(await openReader(true).read())).toEqual([simulated]);
});

test('it is read again where something has changed, and not where nothing has', async () => {
  const [first, second] = [newEventId(), newEventId()];
  const ofImport = serverEntry('import:1', 'import', { minutes: 1, sha256: 'ab' });
  await recordGeneratedMatch(database, {
    eventId: first,
    kickOffMs: weeksAgo(1),
    importId: 'import:1',
    entries: [ofImport],
  });
  const { read } = openReader();
  expect(idsOf(await read())).toEqual([first]);
  expect(await read()).toBeUndefined();
  await recordGeneratedMatch(database, { eventId: second, kickOffMs: weeksAgo(2) });
  expect(idsOf(await read())).toEqual([first, second].toSorted());
  // The import is taken back.
  await database.admin`
    insert into triagem.log (event_id, seq, id, at, source, kind, data, figures, previous)
    select event_id, 4, 'back', now(), 'import', 'take-back', '{"id": "import:1"}', figures, ${'0'.repeat(64)}
    from triagem.log where event_id = ${first} and seq = 1`;
  expect(idsOf(await read())).toEqual([second]);
  expect(await read()).toBeUndefined();
});

test('what was watched comes before what was imported for the same event', async () => {
  const eventId = newEventId();
  const ofImport = serverEntry('import:1', 'import', { minutes: 1, sha256: 'ab' });
  await recordGeneratedMatch(database, {
    eventId,
    kickOffMs: weeksAgo(1),
    importId: 'import:1',
    entries: [ofImport],
  });
  await database.admin`update triagem.minutes set admitted = admitted + 1000, net = net + 1000`;
  const live = await recordGeneratedMatch(database, { eventId, kickOffMs: weeksAgo(1), hasTimes: false });
  const history = await openReader().read();
  expect(history?.matches[0]?.total?.admitted[CURVE_FROM_MIN]).toBe(live);
});

test('the track record of ranges covers all events but the present one', async () => {
  const range = { low: 10, middle: 20, high: 30, matches: 9, coverage: 0.8 };
  const forecast = { minutesBefore: 30, kickOffAtMs: weeksAgo(1), expected: 30, perMinuteNeeded: 1, range };
  for (const [index, eventId] of [newEventId(), newEventId(), TODAY].entries()) {
    const outcome = { forecast: 'forecast:1', admitted: 20, isHeld: index > 0 };
    await recordGeneratedMatch(database, {
      eventId,
      kickOffMs: weeksAgo(1),
      entries: [
        serverEntry('forecast:1', 'forecast', forecast),
        serverEntry('outcome:1', 'outcome', outcome),
      ],
    });
  }
  const history = await openReader().read();
  expect(history?.trackRecord).toEqual([{ minutesBefore: 30, ranges: 2, held: 1 }]);
});

test('a watcher gets the matches at the start and after a new kick-off, and stops at once', async () => {
  const eventId = newEventId();
  await recordGeneratedMatch(database, { eventId, kickOffMs: weeksAgo(1), hasTimes: false });
  await recordGeneratedMatch(database, { eventId: newEventId(), kickOffMs: weeksAgo(2) });
  const { watch, told, kickOffs } = openWatch();
  await until(() => expect(told.map(({ matches }) => matches.length)).toEqual([1]));
  kickOffs.set(eventId, weeksAgo(1));
  await until(() => expect(told.map(({ matches }) => matches.length)).toEqual([1, 2]));
  const startMs = unhinderedNow();
  await watch.stop();
  expect(unhinderedNow() - startMs).toBeLessThan(1_000);
});

test('a record that cannot be read is logged once, and read again until that succeeds', async () => {
  await database.allowConnections(false);
  const { told, logged } = openWatch();
  await until(() => expect(logged.join('')).toContain('earlier matches cannot be read'));
  await database.allowConnections(true);
  await recordGeneratedMatch(database, { eventId: newEventId(), kickOffMs: weeksAgo(2) });
  await until(() => expect(told.at(-1)?.matches).toHaveLength(1));
  expect(logged.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
});
