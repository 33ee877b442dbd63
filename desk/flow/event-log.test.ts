import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import { chain, occurrence } from '../../testing/desk/log-rows.ts';
import { unhinderedNow } from '../../testing/until.ts';
import { EventLog } from './event-log.ts';
import { MemoryRecord } from '../record/memory-record.ts';

const EVENT_ID = 'e'.repeat(32);

function times(id: string, kickOffAtMs: number): LogEntry {
  return { ...occurrence(id), by: null, kind: 'times', data: { gatesOpenAtMs: null, kickOffAtMs } };
}

function openLog(rows: readonly LogRow[] = []): EventLog {
  const log = new EventLog(new MemoryRecord(DEFAULT_EVENT_ID));
  log.load(rows);
  return log;
}

test('rows are found by the number that they follow, by their IDs, and by kind the newest', () => {
  const rows = chain(EVENT_ID, [times('a', 1), occurrence('b'), times('c', 2), occurrence('d')]);
  const log = openLog(rows.slice(0, 2));
  log.add(rows.slice(2));
  expect(
    [0, 1, 4, 9].map((seq) =>
      log
        .after(seq)
        .map(({ id }) => id)
        .join(''),
    ),
  ).toEqual(['abcd', 'bcd', '', '']);
  expect(log.get('b')).toBe(rows[1]);
  expect(log.get('x')).toBeUndefined();
  expect(log.last('times')?.data).toEqual({ gatesOpenAtMs: null, kickOffAtMs: 2 });
  expect(log.last('mark')).toBeUndefined();
  expect(log.lastSeq).toBe(4);
  expect(log.state.kickOffAtMs).toBe(2);
});

test('a log that is read again replaces the former one', () => {
  const log = openLog(chain(EVENT_ID, [times('a', 1), occurrence('b')]));
  log.load(chain(EVENT_ID, [occurrence('b')]));
  expect(log.after(0).map(({ id }) => id)).toEqual(['b']);
  expect(log.state.kickOffAtMs).toBe(null);
  expect(log.last('times')).toBeUndefined();
  expect(log.get('a')).toBeUndefined();
});

test('what a log has lost holds until it is written again, and once', () => {
  const mark: LogEntry = { ...occurrence('m'), kind: 'mark', data: { mark: 'unscanned' } };
  const log = openLog(chain(EVENT_ID, [mark]));
  log.load([], [mark]);
  expect(log.state.uncounted).toHaveLength(1);
  expect(log.find('m')).toBe(mark);
  log.note('m', () => {
    throw new Error('it is there');
  });
  log.add(chain(EVENT_ID, [mark]));
  expect([log.state.uncounted.length, log.lastSeq]).toEqual([1, 1]);
  log.load([]);
  expect(log.state.uncounted).toEqual([]);
});

test('an entry of its own is made and noted once, and not at all where the log has it', () => {
  const record = new MemoryRecord(DEFAULT_EVENT_ID);
  const log = new EventLog(record);
  record.run({ loaded: () => {}, rows: (rows) => log.add(rows), leader: () => {} });
  log.load(chain(EVENT_ID, [occurrence('a')]));
  let made = 0;
  for (const id of ['a', 'b', 'b']) {
    log.note(id, () => {
      made += 1;
      return occurrence(id);
    });
  }
  expect(made).toBe(1);
  expect(log.after(0).map(({ id }) => id)).toEqual(['a', 'b']);
});

const alarm = (id: string): LogEntry => {
  const data = { rule: 'no-data', figures: { staleMs: 30_000 } } as const;
  return { ...occurrence(id), by: null, sector: null, kind: 'alarm', data };
};

test('what waits to be recorded counts already, once, also after the log was read anew', () => {
  const log = openLog();
  // Nobody tells the log what is recorded: the record is away.
  log.note('a', () => times('a', 1));
  log.note('b', () => alarm('b'));
  expect(log.state).toMatchObject({ kickOffAtMs: 1, alarms: [{ id: 'b' }] });
  expect([log.lastSeq, log.get('a'), log.last('times')]).toEqual([0, undefined, undefined]);
  expect(log.newest('times')?.data).toEqual({ gatesOpenAtMs: null, kickOffAtMs: 1 });
  log.load(chain(EVENT_ID, [times('a', 1)]));
  expect(log.state).toMatchObject({ kickOffAtMs: 1, alarms: [{ id: 'b' }] });
  log.add(chain(EVENT_ID, [times('a', 1), alarm('b'), times('c', 3)]).slice(1));
  expect(log.state).toMatchObject({ kickOffAtMs: 3, alarms: [{ id: 'b' }] });
  expect(log.lastSeq).toBe(3);
});

test('a follower is notified of waiting entries, and of those that were withdrawn', () => {
  const told: string[] = [];
  const log = new EventLog(new MemoryRecord(DEFAULT_EVENT_ID), {
    noted: ({ id }) => told.push(id),
    withdrawn: (ids) => told.push(...ids.map((id) => `no ${id}`)),
  });
  log.load([]);
  log.note('a', () => times('a', 1));
  log.note('b', () => alarm('b'));
  log.note('b', () => alarm('b'));
  expect([log.find('b')?.kind, log.find('x')]).toEqual(['alarm', undefined]);
  log.withdrawAlarms();
  expect(told).toEqual(['a', 'b', 'no b']);
  expect(log.find('b')).toBeUndefined();
});

test('waiting entries about alarms, and no others, give way to those of another process', () => {
  const log = openLog();
  log.note('a', () => times('a', 1));
  log.note('ours', () => alarm('ours'));
  log.load(chain(EVENT_ID, [alarm('theirs')]));
  expect(log.state).toMatchObject({ kickOffAtMs: 1, alarms: [{ id: 'theirs' }] });
  log.note('ours', () => alarm('ours'));
  log.withdrawAlarms();
  expect(log.state).toMatchObject({ kickOffAtMs: 1, alarms: [{ id: 'theirs' }] });
});

test('a log of 100,000 rows is loaded at once, and one more row costs the same as in an empty one', () => {
  const rows = Array.from({ length: 100_000 }, (_, index): LogRow => {
    const entry = occurrence(`entry ${index}`, 'x', index);
    return { ...entry, seq: index + 1, previous: '' };
  });
  const log = openLog(rows);
  const more = Array.from({ length: 1_000 }, (_, index): LogRow => {
    return { ...occurrence(`more ${index}`), seq: 100_001 + index, previous: '' };
  });
  const startMs = unhinderedNow();
  const sizes = more.map((row) => {
    log.add([row]);
    return log.state.activeIds.size;
  });
  const tookMs = unhinderedNow() - startMs;
  expect([sizes[0], sizes.at(-1)]).toEqual([100_001, 101_000]);
  // Reading it anew each time would take minutes.
  expect(tookMs).toBeLessThan(1_000);
  expect(log.after(100_998).map(({ id }) => id)).toEqual(['more 998', 'more 999']);
});
