import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { openConnectedBoard } from '../../testing/gates/connected-board.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { ALF_IO } from '../../testing/gates/ticketing-systems.ts';
import { check } from './check.ts';

test('what is advised about the tickets that "connect" brings is to be done in the ticketing system', async () => {
  const board = await openConnectedBoard(ALF_IO);
  await board.connect();
  const { ours, vendor } = board;
  await ours.admin`
    insert into event_details (event_id, title, gates_open_at, kick_off_at)
    values (${DEFAULT_EVENT_ID}, 'Ceará × Fortaleza', now() + interval '19 h', now() + interval '21 h')`;
  await ours.admin`
    insert into kept_readings (event_id, id, gate, received_at, kept_at, reason)
    values (${DEFAULT_EVENT_ID}, 'unknown', 'p1', now(), now(), 'ticket')`;
  const runCheck = (code: number): Promise<string> =>
    board.run(check, ['--event', DEFAULT_EVENT_ID, '--backups', makeTestFolder()], code);
  await vendor`update ticket set status = 'CHECKED_IN'`;
  await board.untilExact();
  const found = await runCheck(0);
  expect(found).toMatch(
    /^LOOK +tickets +.* entered, and the gates open .*; if it was a trial, take these entries back in the ticketing system$/m,
  );
  expect(found).toMatch(
    /^LOOK +kept +.* lists them; tickets and entries must come from the ticketing system, .* "kept --discard --event \w+" deletes these$/m,
  );
  expect(found).toMatch(
    /^LOOK +sectors +no ticket is of .*: if they open, their tickets must come from the/m,
  );
  await vendor`insert into ticket_category (id, event_id, name, max_tickets) values (777, 1, 'VIP', 1)`;
  await vendor`update ticket set category_id = 777 where id = 1`;
  await board.untilExact();
  expect(await runCheck(0)).toMatch(
    /^LOOK +sectors +1 of .* does not know "777": "connect --remove", then connect again with other sectors, or the codes in VENUE_FILE$/m,
  );
  await vendor`delete from ticket`;
  await board.untilExact();
  const none = await runCheck(1);
  expect(none).toMatch(/^STOPS +tickets +the event has none: they come from the ticketing system, where/m);
  for (const output of [found, none]) expect(output).not.toMatch(/revert|import/);
});
