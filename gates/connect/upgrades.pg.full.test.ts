import { describe, expect, test } from 'vitest';
import { ALF_IO, HI_EVENTS } from '../../testing/gates/ticketing-systems.ts';
import { openWatchedSystem } from '../../testing/gates/watched-system.ts';
import { reasonsOf } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { connectSystem } from './connect.ts';

describe('after an upgrade of theirs', () => {
  test('that changes the type of a column, which PostgreSQL refuses until the publication is dropped', async () => {
    const board = await openWatchedSystem(HI_EVENTS);
    const { vendor, theirs } = board;
    await board.connect();
    await board.untilShown();
    const alter = (): Promise<unknown> =>
      theirs.admin.unsafe('alter table attendees alter column status type text');
    await expect(alter()).rejects.toThrow(/used by a publication/);
    const [{ name }] = await theirs.admin<[{ name: string }]>`select pubname as name from pg_publication`;
    await theirs.admin.unsafe(`drop publication ${name}`);
    await alter();
    await board.system.checkIn(vendor, 2);
    await until(() =>
      expect(reasonsOf(board.server)).toMatch(
        /the tables public\.attendee_check_ins, public\.attendees, public\.check_in_lists, .* are not published any more/,
      ),
    );
    await board.run(connectSystem, ['hi.events', '--yes']);
    await board.untilShown();
  });

  test('that drops a column, the board is stale, and connect names what is missing', async () => {
    const board = await openWatchedSystem(ALF_IO);
    await board.connect();
    await board.untilShown();
    await board.vendor`alter table ticket drop column status cascade`;
    await until(() =>
      expect(reasonsOf(board.server)).toMatch(/the table public\.ticket is not published any more/),
    );
    await expect(board.connect()).rejects.toThrow(/ticket of the source has no column status; it has/);
  });
});
