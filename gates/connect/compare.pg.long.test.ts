import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { openConnectedBoard } from '../../testing/gates/connected-board.ts';
import { ALF_IO } from '../../testing/gates/ticketing-systems.ts';
import { makeTestFolder } from '../../testing/folder.ts';
import { backup } from '../backup/backup.ts';
import { check } from '../check/check.ts';
import { cancel } from '../import/cancel.ts';
import { deleteEvent } from '../events/delete.ts';
import { compare } from './compare.ts';

test('compare names what differs, its exit code is for cron, and --repair mends it', async () => {
  const board = await openConnectedBoard(ALF_IO);
  const { ours } = board;
  await board.connect();
  expect(await board.run(compare, [])).toMatch(
    /^\d+ tickets at the source, \d+ entered: all the same here$/m,
  );
  const folder = makeTestFolder();
  await board.run(backup, [join(folder, 'antes.sql.gz'), '--only', 'tickets']);
  await board.vendor`update ticket set status = 'RELEASED' where id = 5`;
  await board.untilExact();
  const checked = await board.run(check, ['--backups', folder]);
  expect(checked).toMatch(/^ok +database +a commit comes through; "connect" brings the tickets$/m);
  // Nobody is to delete and restore what comes from the source.
  expect(checked).toMatch(
    /^LOOK +backup +the last is antes\.sql\.gz.*; here are .*: "backup [^"]*FILE\.sql\.gz"$/m,
  );
  // What would count beside the source is refused, whoever writes it.
  const refusal =
    /"connect" brings the tickets of the event \w+ from alf\.io: change them there, or end that by/;
  await expect(board.run(cancel, ['--id', '1', '--yes'])).rejects.toThrow(refusal);
  await expect(
    ours.admin`insert into tickets values (${DEFAULT_EVENT_ID}, 'X', true, true, '4')`,
  ).rejects.toThrow(refusal);
  await expect(
    ours.admin`insert into tickets values (upper(${DEFAULT_EVENT_ID}), 'X', true, true, '4')`,
  ).rejects.toThrow(refusal);
  await expect(ours.admin`delete from tickets where id = '1'`).rejects.toThrow(refusal);
  await expect(ours.admin`truncate tickets`).rejects.toThrow(refusal);
  await expect(ours.admin`update ticket set status = status`).rejects.toThrow(refusal);
  await ours.admin`insert into tickets values ('00000000000000000000000000000002', '1', true, true, '4')`;
  await ours.admin`alter table tickets disable trigger all`;
  await ours.admin`update tickets set entrou = not entrou where id in ('1', '2')`;
  await ours.admin`delete from tickets where id = '4'`;
  await ours.admin`insert into tickets values (${DEFAULT_EVENT_ID}, 'X', true, true, '4')`;
  const named = await board.run(compare, [], 1);
  expect(named).toMatch(/^4: at the source valid.*; here missing$/m);
  expect(named).toMatch(/^X: at the source missing; here valid, entered, sector 4$/m);
  expect(named).toMatch(/: [34] differ here/);
  expect(await board.run(compare, ['--repair'])).toMatch(/Copied anew\.\n.*all the same here/);
  // Its tickets are deleted with the connection only.
  const deletion = ['--event', DEFAULT_EVENT_ID, '--export', join(makeTestFolder(), 'event.gz'), '--yes'];
  await expect(board.run(deleteEvent, deletion)).rejects.toThrow(
    /^"connect" brings the tickets of the event \w+: "connect --remove" takes them away .* Nothing was deleted\.$/,
  );
  await ours.admin`alter table tickets disable trigger all`;
  await ours.admin`delete from tickets where id = '4'`;
  expect(await board.connect()).toMatch(/triggers, and all tickets, .*: done/);
  await board.untilExact();
});
