import { describe, expect, test } from 'vitest';
import { openConnectedBoard } from '../../testing/gates/connected-board.ts';
import { ALF_IO, HI_EVENTS, PRETIX } from '../../testing/gates/ticketing-systems.ts';
import { MENDED_WITHIN_MS, openWatchedSystem, STALE_WITHIN_MS } from '../../testing/gates/watched-system.ts';
import { reasonsOf } from '../../testing/server/test-server.ts';
import { testInFull } from '../../testing/test-in-full.ts';
import { until } from '../../testing/until.ts';
import { compare } from './compare.ts';
import { connectSystem } from './connect.ts';

/** A worker is known to fail once a look has waited for it, which takes as long in a short run. */
const REASON_WITHIN_MS = 5_000;

describe('after an upgrade of theirs', () => {
  test('that renames a column, or renames it back, the board is stale with its name, and connect goes on', async () => {
    const board = await openWatchedSystem(HI_EVENTS);
    const { vendor, server, screen } = board;
    await board.connect();
    await board.untilShown();
    // Renamed and back again: no worker can apply what was written between.
    const rename = (from: string, to: string): Promise<unknown> =>
      vendor.unsafe(`alter table attendees rename column ${from} to ${to}`);
    await rename('product_id', 'renamed');
    await vendor`update attendees set status = 'ACTIVE' where id = 2`;
    await rename('renamed', 'product_id');
    await until(() => expect(screen.live).toBe(false), STALE_WITHIN_MS);
    await until(
      () =>
        expect(reasonsOf(server)).toMatch(
          /The worker of .* fails at each start: .*connect hi\.events" makes the subscription anew/,
        ),
      REASON_WITHIN_MS,
    );
    expect(await board.run(connectSystem, ['hi.events', '--yes'])).toMatch(
      /in place of a subscription whose worker fails: .*: done/,
    );
    await board.untilShown();

    await vendor`alter table attendees rename column product_id to ticket_id`;
    await vendor`alter table products rename to tickets`;
    await until(() =>
      expect(reasonsOf(server)).toMatch(
        /has changed: the table public\.attendees has no column product_id any more, but ticket_id: "npm run -s gates -- connect hi\.events" goes on/,
      ),
    );
    await until(() => expect(screen.live).toBe(false), STALE_WITHIN_MS);
    const during = screen.displayed.length;
    expect(await board.run(connectSystem, ['hi.events', '--yes'])).toContain(': done');
    await until(() => expect(screen.live).toBe(true), MENDED_WITHIN_MS);
    expect(
      screen.displayed
        .slice(during)
        .filter(({ live }) => live)
        .map(({ total }) => total),
    ).toEqual([screen.total]);
  });

  test('that renames a column for which another version has a stand-in, connect refuses to go on with it', async () => {
    const board = await openConnectedBoard(PRETIX);
    const { vendor } = board;
    await board.connect();
    await vendor`alter table pretixbase_checkin rename column successful to success`;
    for (const print of [[], ['--print']])
      await expect(board.connect(...print)).rejects.toThrow(
        /pretixbase_checkin of the source has no column successful any more, which was copied\. Give the column its name back, .*--view.*; to go without it on purpose, "connect --remove"/,
      );
    await expect(board.run(compare, [])).rejects.toThrow(/run "connect pretix" again/);
    await board.run(connectSystem, ['--remove', '--yes']);
    expect(await board.connect()).toMatch(/pretixbase_checkin has no column successful \(true\)/);
    // One that has no stand-in.
    await vendor`alter table pretixbase_checkin rename column datetime to at`;
    await expect(board.connect()).rejects.toThrow(
      /has no column datetime; it has at, created, .*\. No ticket can be counted without it\. Give the column its name back/,
    );
  });

  testInFull(
    'that brings a column which connect has gone without, the board is stale, and connect takes it',
    async () => {
      const board = await openWatchedSystem(PRETIX);
      const { vendor, server, screen } = board;
      const rename = (from: string, to: string): Promise<unknown> =>
        vendor.unsafe(`alter table pretixbase_order rename column ${from} to ${to}`);
      await rename('valid_if_pending', 'renamed');
      expect(await board.connect()).toMatch(
        /public\.pretixbase_order has no column valid_if_pending \(false\): what is in parentheses stands for it/,
      );
      await until(() => expect(screen.live).toBe(true), MENDED_WITHIN_MS);
      await rename('renamed', 'valid_if_pending');
      await until(() =>
        expect(reasonsOf(server)).toMatch(
          /public\.pretixbase_order has a column valid_if_pending now, which counts: .*connect pretix" goes on/,
        ),
      );
      await until(() => expect(screen.live).toBe(false), STALE_WITHIN_MS);
      expect(await board.connect()).not.toContain('has no column');
      await board.untilShown();

      // The right to a column that went again is taken back, too.
      await rename('valid_if_pending', 'renamed');
      await board.run(connectSystem, ['--remove', '--yes']);
      const granted = await board.theirs.admin`
      select attname from pg_attribute where attacl::text like '%leitor_%'`;
      expect([...granted]).toEqual([]);
    },
  );

  testInFull(
    'that changes the type of a column, which PostgreSQL refuses until the publication is dropped',
    async () => {
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
    },
  );

  testInFull('that drops a column, the board is stale, and connect names what is missing', async () => {
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
