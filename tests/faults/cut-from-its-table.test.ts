import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { migrate } from '../../server/database/schema/migrate.ts';
import { insertTickets, setEntered } from '../../testing/database.ts';
import { LIVE_WITHIN_MS, STALE_WITHIN_MS } from '../../testing/durations.ts';
import { openForEach } from '../../testing/open-for-tests.ts';
import { startTestBoard } from '../../testing/test-board.ts';
import { readiness, reasonsOf } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const board = openForEach(() => startTestBoard({ tickets: 10 }));

beforeEach(async () => {
  await board.oracle.write(1, () => setEntered(board.database.gates, 't0', true));
  await until(() => expect(board.screen.total).toBe(1));
});

const migrateAgain = async (): Promise<void> => migrate({ ...board.database, log: () => {} });

/** Each leaves the replication stream running, and lying. */
const CUTS: {
  what: string;
  cut: string;
  named: RegExp;
  /** SQL, or something else than `npm run migrate`. */
  fix?: string | (() => Promise<unknown>);
  /** By how much the cut itself changes the total. */
  change?: number;
}[] = [
  {
    what: 'the table is dropped and recreated',
    cut: `alter table tickets rename to old_tickets;
      create table tickets (like old_tickets including all); drop table old_tickets;
      alter table tickets owner to triagem_owner;
      insert into tickets values ('${DEFAULT_EVENT_ID}', 't1', true, true, '4')`,
    named: /public\.tickets is not in the publication "triagem": run `npm run migrate`/,
    change: 1,
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
    what: 'the publication loses the table',
    cut: 'alter publication triagem drop table tickets',
    named: /not in the publication "triagem": run `npm run migrate`/,
  },
  {
    what: 'the publication filters rows',
    cut: `alter publication triagem set table
      tickets (event_id, id, is_valid_ticket, entrou, setor) where (setor = '4'), sectors`,
    named: /filters rows of public\.tickets: run `npm run migrate`/,
  },
  {
    what: 'the publication publishes another column',
    cut: `alter table tickets add column cpf text; alter publication triagem set table tickets, sectors`,
    named: /must publish these columns of public\.tickets: .*: run `npm run migrate`/,
  },
  {
    what: 'the publication is narrowed to fewer columns',
    cut: `alter publication triagem set table tickets (event_id, id, is_valid_ticket, entrou), sectors`,
    named: /must publish these columns of public\.tickets: .*: run `npm run migrate`/,
  },
  {
    what: 'the publication loses the sectors',
    cut: 'alter publication triagem drop table sectors',
    named: /public\.sectors is not in the publication "triagem": run `npm run migrate`/,
  },
  {
    what: 'the table is dropped',
    cut: 'drop table tickets',
    named: /public\.tickets does not exist: run `npm run migrate`/,
    fix: async () => {
      await migrateAgain();
      await insertTickets(board.database.gates, { outside: { t2: '4' } });
    },
    change: -1,
  },
  {
    what: 'the table becomes a part of a larger one',
    cut: 'create table part () inherits (tickets)',
    named: /public\.tickets is partitioned or inherited: use one ordinary table/,
    fix: 'drop table part',
  },
  {
    what: 'a column is renamed',
    cut: 'alter table tickets rename column setor to sector',
    named: /public\.tickets lacks the column setor: run `npm run migrate`/,
    fix: 'alter table tickets rename column sector to setor',
  },
  {
    what: 'the privilege to read a column is revoked',
    cut: 'revoke select (setor) on tickets from triagem_observer',
    named: /may not read .*: run `npm run migrate`/,
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

describe('invariant 8: a stream that was cut from its table is stale within 15 s, named in the log, and live again once fixed', () => {
  test.each(CUTS)('when $what', async ({ cut, named, fix = migrateAgain, change = 0 }) => {
    const { database, server, screen, oracle, epoch } = board;
    const sinceCut = board.startStopwatch();
    await oracle.write(change, () => database.admin.unsafe(cut));
    await until(() => expect(screen.live).toBe(false));
    expect(await sinceCut.elapsedMs()).toBeLessThan(STALE_WITHIN_MS);
    await until(() => expect(reasonsOf(server)).toMatch(named));
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
  const { database, oracle, epoch } = board;
  // In one transaction, so that no check can see it half done.
  await oracle.write(1, () =>
    database.admin.begin(async (sql) => {
      await sql`alter publication triagem drop table tickets`;
      await sql`update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID} and id = 't1'`;
      await sql`alter publication triagem add table tickets (event_id, id, is_valid_ticket, entrou, setor)`;
    }),
  );
  await board.expectNewEpoch(epoch);
  expect(board.screen.total).toBe(2);
  await board.expectExact();
});
