import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { openConnectedBoard } from '../../testing/gates/connected-board.ts';
import { ALF_IO } from '../../testing/gates/ticketing-systems.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { deleteEvent } from '../events/delete.ts';
import { compare } from './compare.ts';

test('compare names what differs, its exit code is for cron, and --repair mends it', async () => {
  const board = await openConnectedBoard(ALF_IO);
  const { ours } = board;
  await board.connect();
  expect(await board.run(compare, [])).toMatch(
    /^\d+ tickets at the source, \d+ entered: all the same here$/m,
  );
  await ours.admin`update tickets set entrou = not entrou where id in ('1', '2')`;
  await ours.admin`delete from tickets where id = '4'`;
  await ours.admin`insert into tickets values (${DEFAULT_EVENT_ID}, 'X', true, true, '4')`;
  const said = await board.run(compare, [], 1);
  expect(said).toMatch(/^4: at the source valid.*; here missing$/m);
  expect(said).toMatch(/^X: at the source missing; here valid, entered, sector 4$/m);
  expect(said).toMatch(/: [34] differ here/);
  expect(await board.run(compare, ['--repair'], 1)).toMatch(
    /X: .*\n.*1 differ here\nWhat is left came another way/,
  );
  const refused = await board.connect().catch(String);
  const [, removal = ''] = /has 1 tickets that came another way, .* by: (delete .*)/.exec(refused) ?? [];
  await ours.admin.unsafe(removal);
  expect(await board.run(compare, [])).toMatch(/all the same here/);
  // Its tickets are deleted with the connection only.
  const deletion = ['--event', DEFAULT_EVENT_ID, '--export', join(makeTestFolder(), 'event.gz'), '--yes'];
  await expect(board.run(deleteEvent, deletion)).rejects.toThrow(
    /^"connect" brings the tickets of the event \w+: "connect --remove" takes them away .* Nothing was deleted\.$/,
  );
  await ours.admin`delete from tickets`;
  expect(await board.connect()).toMatch(/triggers, and all tickets, .*: done/);
  await board.untilExact();
});
