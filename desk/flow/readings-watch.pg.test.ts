import { pino } from 'pino';
import { expect, test } from 'vitest';
import { closeOnce } from '../../testing/close-once.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { until } from '../../testing/until.ts';
import { ReadingsWatch } from './readings-watch.ts';

const EVENT = 'e'.repeat(32);

const database = openForAll(createTestDatabase);

function watch(): { readings: ReadingsWatch; logged: string[]; stop: () => Promise<void> } {
  const logged: string[] = [];
  const readings = new ReadingsWatch({
    from: { url: database.observerUrl, place: { setting: 'DATABASE_URL' } },
    eventId: EVENT,
    log: pino({ base: null }, { write: (line: string) => void logged.push(line) }),
    everyMs: 50,
  });
  return { readings, logged, stop: closeOnce(() => readings.stop()) };
}

test('kept entries are counted by reason as long as they wait, what is refused, and of unknown events, for ten minutes', async () => {
  await database.gates`
    insert into kept_readings (event_id, id, received_at, kept_at, gate, reason, entrou)
    select event, 'k' || n, '2020-01-01Z', now() - age, 'x', reason, true
    from (values (${EVENT}, 3, interval '9 min', 'ticket'), (${EVENT}, 4, interval '11 min', 'ticket'),
      (${'d'.repeat(32)}, 1, interval '9 min', 'event'), (${'c'.repeat(32)}, 2, interval '11 min', 'event'),
      (${'f'.repeat(32)}, 9, interval '0', 'ticket')) kept (event, count, age, reason),
      generate_series(1, count) n
    on conflict do nothing`;
  // An exit, and that a ticket is valid, are missing in no count.
  await database.gates`
    insert into kept_readings (event_id, id, received_at, gate, reason, entrou, is_valid_ticket)
    values (${EVENT}, 'left', now(), 'x', 'ticket', false, null), (${EVENT}, 'valid', now(), 'x', 'ticket', null, true)`;
  await database.gates`
    insert into refused_readings values (${EVENT}, now(), 'time', 2), (${EVENT}, now() - interval '9 min', 'time', 3),
      (${EVENT}, now() - interval '11 min', 'time', 7), (${'f'.repeat(32)}, now(), 'time', 7)`;
  const { readings, stop } = watch();
  await until(() =>
    expect(readings.readings).toEqual([
      { outcome: 'kept', reason: 'ticket', count: 4 },
      { outcome: 'kept', reason: 'event', count: 1 },
      { outcome: 'refused', reason: 'time', count: 5 },
    ]),
  );
  await database.gates`delete from kept_readings`;
  await database.gates`delete from refused_readings`;
  await until(() => expect(readings.readings).toBeUndefined());
  await stop();
});

test('a ticket that waits counts once, as its kept readings would leave it', async () => {
  // Minutes of `at` (null: none) and of arrival, and whether it enters, in the order of their arrival.
  const tickets: Readonly<
    Record<string, readonly (readonly [at: number | null, arrival: number, enters: boolean])[]>
  > = {
    'in: read again': [
      [1, 1, true],
      [2, 2, true],
      [3, 3, true],
    ],
    'in: taken back before': [
      [1, 1, true],
      [2, 2, false],
      [3, 3, true],
    ],
    'in: taken back late': [
      [3, 3, true],
      [2, 4, false],
    ],
    'in: without a time': [
      [null, 1, false],
      [null, 2, true],
    ],
    'in: after a clock ahead': [
      [9, 1, false],
      [2, 2, true],
    ],
    'in: the same time': [
      [1, 1, false],
      [1, 2, true],
    ],
    'out: taken back': [
      [1, 1, true],
      [2, 2, false],
    ],
    'out: entered late': [
      [2, 2, false],
      [1, 3, true],
    ],
    'out: by a clock ahead': [
      [3, 3, true],
      [9, 4, false],
    ],
    'out: without a time': [
      [3, 3, true],
      [null, 4, false],
    ],
  };
  for (const [id, readings] of Object.entries(tickets)) {
    for (const [at, arrival, enters] of readings) {
      await database.gates`
        insert into kept_readings (event_id, id, at, received_at, kept_at, gate, reason, entrou)
        select ${EVENT}, ${id}, start + ${at}::int * minute, start + ${arrival}::int * minute, start + ${arrival}::int * minute,
          'x', 'ticket', ${enters}
        from (values ('2026-01-01Z'::timestamptz, interval '1 min')) clock (start, minute)`;
    }
  }
  const { readings, stop } = watch();
  const entered = Object.keys(tickets).filter((id) => id.startsWith('in')).length;
  await until(() =>
    expect(readings.readings).toEqual([{ outcome: 'kept', reason: 'ticket', count: entered }]),
  );
  await database.gates`delete from kept_readings`;
  await stop();
});

test('a database without these tables has no readings, which is logged once; they are read once the tables exist', async () => {
  await database.admin`alter table kept_readings rename to later`;
  const { readings, logged, stop } = watch();
  await until(() => expect(logged).toHaveLength(1));
  expect(logged[0]).toMatch(/readings of gates cannot be read/);
  await database.admin`alter table later rename to kept_readings`;
  await database.gates`insert into refused_readings values (${EVENT}, now(), 'database', 1)`;
  await until(() => expect(readings.readings).toHaveLength(1));
  expect(logged.slice(1)).toEqual([expect.stringContaining('readings of gates are read again')]);
  await database.admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${database.name} and application_name = 'triagem readings'`;
  await database.gates`update refused_readings set count = 2`;
  await until(() => expect(readings.readings?.[0]?.count).toBe(2));
  await stop();
});
