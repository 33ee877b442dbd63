import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { kept } from './list-kept.ts';

const tool = useGatesTool();

test('what waits for its ticket is listed: when, which, at which gate, and why; the first first', async () => {
  const other = 'e'.repeat(32);
  await tool.database.gates`
    insert into kept_readings (event_id, id, at, received_at, kept_at, entrou, gate, reason) values
      (${DEFAULT_EVENT_ID}, 'A-0002', null, '2025-03-26 23:16Z', '2025-03-26 23:16Z', true, '10.20.0.7', 'ticket'),
      (${DEFAULT_EVENT_ID}, 'A-1 ', '2025-03-26 23:14:59.5Z', '2025-03-26 23:15Z', '2025-03-26 23:15Z', true, E'port\\u001bão 7', 'ticket'),
      (${other}, 'x', null, '2025-03-26 23:17Z', '2025-03-26 23:17Z', true, 'x', 'event')`;
  expect(await tool.run(kept)).toBe(0);
  expect(tool.stdout.split('\n')).toEqual([
    'time                 id        gate            why',
    `2025-03-26 20:14:59  "A-1 "    port\\u{1b}ão 7  no ticket of this event has this id (event ${DEFAULT_EVENT_ID})`,
    `2025-03-26 20:16     "A-0002"  10.20.0.7       no ticket of this event has this id (event ${DEFAULT_EVENT_ID})`,
    `2025-03-26 20:17     "x"       x               there is no such event here (event ${other})`,
    '',
  ]);
});

test('times of a clock that is far off are listed, too', async () => {
  await tool.database.gates`
    insert into kept_readings (event_id, id, at, received_at, gate, reason) values
      (${DEFAULT_EVENT_ID}, 'a', '0001-01-01 00:05Z', now(), 'x', 'ticket'),
      (${DEFAULT_EVENT_ID}, 'b', '9999-12-31 23:59:59.999Z', now(), 'x', 'ticket')`;
  expect(await tool.run(kept, '--event', DEFAULT_EVENT_ID)).toBe(0);
  expect(tool.stdout).toMatch(/\n0001-01-01 00:05 +"a" .*\n9999-12-31 20:59:59 +"b"/);
});

test('of one event', async () => {
  await tool.database.gates`
    insert into kept_readings (event_id, id, received_at, gate, reason) values
      (${DEFAULT_EVENT_ID}, 'a', '2025-03-26 23:16Z', 'x', 'ticket'),
      (${'e'.repeat(32)}, 'x', '2025-03-26 23:15Z', '7', 'simulated')`;
  expect(await tool.run(kept, '--event', 'e'.repeat(32))).toBe(0);
  expect(tool.stdout).toBe(
    'time              id   gate  why\n' +
      '2025-03-26 20:15  "x"  7     the event has simulated tickets, and takes no others\n',
  );
  expect(await tool.run(kept, '--event', 'f'.repeat(32))).toBe(0);
  expect(tool.stderr).toMatch('Nothing waits for its ticket.');
});
