import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { useGatesTool } from '../../testing/gates/gates-tool.ts';
import { kept } from './list-kept.ts';

const tool = useGatesTool();

test('what waits for its ticket is listed: when, which, what was read, at which gate, and why; the first first', async () => {
  const other = 'e'.repeat(32);
  await tool.database.gates`insert into tickets values (${DEFAULT_EVENT_ID}, 'a-0002', true, false, '4')`;
  await tool.database.gates`
    insert into kept_readings (event_id, id, at, received_at, kept_at, entrou, is_valid_ticket, setor, gate, reason) values
      (${DEFAULT_EVENT_ID}, 'A-0002', null, '2025-03-26 23:16Z', '2025-03-26 23:16Z', false, null, '4', '10.20.0.7', 'ticket'),
      (${DEFAULT_EVENT_ID}, 'A-1 ', '2025-03-26 23:14:59.5Z', '2025-03-26 23:15Z', '2025-03-26 23:15Z', true, null, null,
        E'port\u001bão 7', 'ticket'),
      (${other}, 'x', null, '2025-03-26 23:17Z', '2025-03-26 23:17Z', null, false, null, 'x', 'event')`;
  expect(await tool.run(kept)).toBe(0);
  const why = 'no ticket of this event has this id';
  expect(tool.stdout.split('\n')).toEqual([
    'time (America/Sao_Paulo)  id        reading           gate            why',
    `2025-03-26 20:14:59       "A-1 "    entered           port\\u{1b}ão 7  ${why} (event ${DEFAULT_EVENT_ID})`,
    `2025-03-26 20:16          "A-0002"  left, sector "4"  10.20.0.7       ${why}, but one has "a-0002" (event ${DEFAULT_EVENT_ID})`,
    `2025-03-26 20:17          "x"       not valid         x               there is no such event here (event ${other})`,
    '',
  ]);
});

test('--discard lists readings of one event, and deletes them and no others', async () => {
  await tool.database.gates`
    insert into kept_readings (event_id, id, at, received_at, entrou, gate, reason) values
      (${DEFAULT_EVENT_ID}, 'a', null, now(), true, 'x', 'ticket'),
      (${DEFAULT_EVENT_ID}, 'a', now(), now(), true, 'x', 'ticket'),
      (${DEFAULT_EVENT_ID}, 'b', null, now(), true, 'x', 'ticket'),
      (${'e'.repeat(32)}, 'a', null, now(), true, 'x', 'event')`;
  const ids = async (): Promise<string[]> =>
    (await tool.database.gates<{ id: string }[]>`select id from kept_readings order by event_id, id`).map(
      ({ id }) => id,
    );
  await expect(tool.run(kept, '--discard', '--yes')).rejects.toThrow('--discard needs --event');
  await expect(tool.run(kept, '--discard', '--event', DEFAULT_EVENT_ID)).rejects.toThrow(
    /needs --yes, as nobody/,
  );
  expect(await ids()).toHaveLength(4);
  expect(await tool.run(kept, '--discard', '--event', DEFAULT_EVENT_ID, '--id', 'a', '--yes')).toBe(0);
  expect(tool.stdout).toMatch(/^time .*\n(.* "a" .*\n){2}2 of 2 readings discarded\n$/);
  expect(await ids()).toEqual(['b', 'a']);
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
    insert into kept_readings (event_id, id, received_at, entrou, gate, reason) values
      (${DEFAULT_EVENT_ID}, 'a', '2025-03-26 23:16Z', true, 'x', 'ticket'),
      (${'e'.repeat(32)}, 'x', '2025-03-26 23:15Z', true, '7', 'simulated')`;
  expect(await tool.run(kept, '--event', 'e'.repeat(32))).toBe(0);
  expect(tool.stdout).toBe(
    'time (America/Sao_Paulo)  id   reading  gate  why\n' +
      '2025-03-26 20:15          "x"  entered  7     the event has simulated tickets, and takes no others\n',
  );
  expect(await tool.run(kept, '--event', 'f'.repeat(32))).toBe(0);
  expect(tool.stderr).toMatch('Nothing waits for its ticket.');
});
