import { expect, test } from 'vitest';
import type { LogRow } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import { chain, occurrence } from '../../testing/desk/log-rows.ts';
import { RecordUnavailableError } from './record.ts';
import { WaitingWrites } from './waiting-writes.ts';

const minute = (number: number): Minute => ({ minuteMs: number * 60_000, sectors: [] });

test('minutes are written in their order, and wait until they are recorded', () => {
  const waiting = new WaitingWrites();
  for (const number of [3, 1, 2, 3]) waiting.addMinute(minute(number));
  expect(waiting.nextMinutes(2)).toEqual([minute(1), minute(2)]);
  expect(waiting.nextMinutes(2)).toEqual([minute(1), minute(2)]);
  waiting.recordedMinutes([60_000, 120_000, 999]);
  expect(waiting.nextMinutes(9)).toEqual([minute(3)]);
});

test('of more than a day of minutes the oldest are given up', () => {
  const waiting = new WaitingWrites();
  for (let number = 2_000; number > 0; number -= 1) waiting.addMinute(minute(number));
  expect(waiting.minuteCount).toBe(1_440);
  expect(waiting.nextMinutes(1)).toEqual([minute(561)]);
});

test("the server's own entries are bounded, the oldest are given up and counted, and each waits once", () => {
  const waiting = new WaitingWrites();
  for (let number = 0; number < 5_002; number += 1) waiting.addNote(occurrence(`note ${number}`));
  expect(waiting.addNote(occurrence('note 5001'))).toBe(2);
  expect(waiting.nextEntry()?.entry.id).toBe('note 2');
});

test("the server's own entries go first, in their order, and those that another process wrote are given up", async () => {
  const waiting = new WaitingWrites();
  const appended = waiting.append(occurrence('command'));
  for (const id of ['a', 'b']) waiting.addNote(occurrence(id));
  waiting.recordedEntries(chain('event', [occurrence('a')]));
  for (const id of ['b', 'command']) {
    const next = waiting.nextEntry();
    expect(next?.entry.id).toBe(id);
    if (next) waiting.close(next);
    next?.resolve?.({ seq: 7 } as LogRow);
  }
  expect(waiting.isEmpty).toBe(true);
  expect(await appended).toEqual({ seq: 7 });
});

test('commands that wait are refused when the session ends, and when there are too many; notes stay', async () => {
  const waiting = new WaitingWrites();
  waiting.addNote(occurrence('note'));
  const refused = Promise.allSettled(
    Array.from({ length: 1_001 }, (_, number) => waiting.append(occurrence(`command ${number}`))),
  );
  waiting.rejectAppends('gone');
  const reasons = (await refused).map((result) => result.status === 'rejected' && result.reason);
  expect(reasons.every((reason) => reason instanceof RecordUnavailableError)).toBe(true);
  expect(String(reasons[0])).toMatch(/gone/);
  expect(String(reasons[1_000])).toMatch(/Too many/);
  expect(waiting.nextEntry()?.entry.id).toBe('note');
});
