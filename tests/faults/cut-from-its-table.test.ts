import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { migrate } from '../../database/schema/migrate.ts';
import { insertTickets, setEntered } from '../../testing/database/database.ts';
import { LIVE_WITHIN_MS, STALE_WITHIN_MS } from '../../testing/durations.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { startTestBoard } from '../../testing/server/test-board.ts';
import { readiness, reasonsOf } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const board = openForAll(() => startTestBoard({ tickets: 1 }));

/** One ticket of three has entered, and the stream has brought that. */
beforeEach(async () => {
  await board.oracle.writeTotal(async () => {
    await board.database.admin.unsafe(`
      delete from tickets;
      insert into tickets select '${DEFAULT_EVENT_ID}', 't' || n, true, n = 0, '4' from generate_series(0, 2) n`);
    return 1;
  });
  await until(() => expect([board.screen.live, board.screen.total]).toEqual([true, 1]));
});

const migrateAgain = async (): Promise<void> => migrate({ ...board.database, log: () => {} });

/**
 * Each leaves the replication stream running, and lying. What else the same look at the catalogue finds, and what fixes it:
 * refused-databases.long.test.ts.
 */
const CUTS: {
  what: string;
  cut: string;
  named: RegExp;
  /** SQL, or something else than `npm run migrate`. */
  fix?: string | (() => Promise<unknown>);
  /** Of those who are in, after it; default: 1, as before. */
  total?: number;
}[] = [
  {
    what: 'the table is dropped and recreated',
    cut: `alter table tickets rename to old_tickets;
      create table tickets (like old_tickets including all); drop table old_tickets;
      alter table tickets owner to triagem_owner;
      insert into tickets select '${DEFAULT_EVENT_ID}', 't' || n, true, n <> 2, '4' from generate_series(0, 2) n`,
    named: /public\.tickets is not in the publication "triagem": run `npm run migrate`/,
    total: 2,
  },
  {
    what: 'the publication is dropped',
    cut: 'drop publication triagem',
    named: /publication "triagem" does not exist: run `npm run migrate`/,
  },
  {
    what: 'the publication leaves out updates',
    cut: `alter publication triagem set (publish = 'insert')`,
    named: /leaves out operations .*: run `npm run migrate`/,
    fix: `alter publication triagem set (publish = 'insert, update, delete, truncate')`,
  },
  {
    what: 'the publication is narrowed to fewer columns',
    cut: `alter publication triagem set table tickets (event_id, id, is_valid_ticket, entrou), sectors`,
    named: /must publish these columns of public\.tickets: .*: run `npm run migrate`/,
  },
  {
    what: 'the table is dropped',
    cut: 'drop table tickets',
    named: /public\.tickets does not exist: run `npm run migrate`/,
    fix: async () => {
      await migrateAgain();
      await insertTickets(board.database.gates, { outside: { t2: '4' } });
    },
    total: 0,
  },
  {
    what: 'the identity index is dropped',
    cut: 'drop index tickets_observed',
    named: /replica identity of public\.tickets is not .*: run `npm run migrate`/,
  },
  {
    what: 'the replica identity is reset',
    cut: 'alter table tickets replica identity default',
    named: /replica identity of public\.tickets is not .*: run `npm run migrate`/,
    fix: 'alter table tickets replica identity using index tickets_observed',
  },
  {
    what: 'row security is switched on',
    cut: 'alter table tickets enable row level security',
    named: /Row security hides tickets .*: ALTER TABLE public\.tickets DISABLE ROW LEVEL SECURITY/,
    fix: 'alter table tickets disable row level security',
  },
];

describe('invariant 8: a stream that was cut from its table is stale within 7 s, named in the log, and live again once fixed', () => {
  test.each(CUTS)('when $what', async ({ cut, named, fix = migrateAgain, total = 1 }) => {
    const { database, server, screen, oracle, epoch } = board;
    const { length } = server.logged;
    const sinceCut = board.startStopwatch();
    await oracle.writeTotal(async () => {
      await database.admin.unsafe(cut);
      return total;
    });
    await until(() => expect(screen.live).toBe(false));
    expect(await sinceCut.elapsedMs()).toBeLessThan(STALE_WITHIN_MS);
    await until(() => expect(reasonsOf({ logged: server.logged.slice(length) })).toMatch(named));
    expect(await readiness(server)).toEqual({ status: 503, text: expect.stringMatching(/waitingFor/) });

    await (typeof fix === 'string' ? database.admin.unsafe(fix) : fix());
    await board.expectNewEpoch(epoch, LIVE_WITHIN_MS);
    await board.expectExact();
    // The stream tells changes again.
    await oracle.write(1, () => setEntered(database.admin, 't2', true));
    await board.expectExact();
  });
});

test('invariant 8: what was made anew between two checks is noticed by its identity', async () => {
  const { database, oracle, epoch, screen } = board;
  const { length } = screen.displayed;
  // In one transaction, so that no check can see it half done.
  await oracle.write(2, () =>
    database.admin.begin(async (sql) => {
      await sql`alter publication triagem drop table tickets`;
      await sql`update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id = 't1'`;
      await sql`alter publication triagem add table tickets (event_id, id, is_valid_ticket, entrou, setor)`;
      await sql`update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id = 't2'`;
    }),
  );
  await board.expectNewEpoch(epoch);
  // What came after it is not shown without what was left out.
  expect(screen.displayed.slice(length).map(({ total }) => total)).not.toContain(2);
  expect(screen.total).toBe(3);
  await board.expectExact();
});

test('invariant 8: columns that exchange their names are read anew', async () => {
  const { database, oracle, epoch } = board;
  const exchange = (): Promise<unknown> =>
    database.admin.begin(async (sql) => {
      await sql`alter table tickets rename entrou to other`;
      await sql`alter table tickets rename is_valid_ticket to entrou`;
      await sql`alter table tickets rename other to is_valid_ticket`;
    });
  await oracle.write(2, exchange);
  await board.expectNewEpoch(epoch);
  expect(board.screen.total).toBe(3);
  await board.expectExact();
  const { epoch: exchanged } = board;
  await oracle.write(-2, exchange);
  await board.expectNewEpoch(exchanged);
  await board.expectExact();
});

describe('invariant 8: what is changed under another name is read anew, also as the first that a session reads:', () => {
  const enter = (table: string): string => `update ${table} set entrou = true where id = 't1'`;
  const swap = `alter table tickets rename entrou to other; alter table tickets rename is_valid_ticket to entrou;
    alter table tickets rename other to is_valid_ticket`;
  test.each([
    ['a table', `alter table tickets rename to t; ${enter('t')}; alter table t rename to tickets`],
    [
      'a schema',
      `create schema s; alter table tickets set schema s; ${enter('s.tickets')}; alter table s.tickets set schema public;
       drop schema s`,
    ],
    ['columns', `${swap}; update tickets set is_valid_ticket = true where id = 't1'; ${swap}`],
  ])('%s', async (_what, alter) => {
    const { admin } = board.database;
    const before = board.epoch;
    await board.database.terminate('walsender');
    await board.expectNewEpoch(before);
    await board.expectExact();
    await board.oracle.write(1, () => admin.unsafe(`begin; ${alter}; commit`));
    await until(() => expect(board.screen.total).toBe(2));
    await board.expectExact();
  });
});
