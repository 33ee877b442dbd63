import { randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { startTestCluster } from '../testing/database/cluster.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database/database.ts';
import { startNetwork } from '../testing/server/network.ts';
import { recount } from '../testing/database/oracle.ts';
import { openPageClient, type PageClient } from '../testing/browser/page-client.ts';
import { readRecipe } from '../testing/gates/recipes.ts';
import { startTestServer } from '../testing/server/test-server.ts';
import { until } from '../testing/until.ts';
import { admitByPassword, openVendor } from '../testing/gates/vendor.ts';

const INGRESSOS =
  'create table public.ingressos (codigo text primary key, status text, portao text, lido_em timestamptz)';
const PORTOES = ['4', '99', '6', '13', 'Portão 9', ''];
const STATUSES = ['vendido', 'lido', 'cancelado'];
const TICKETS = 2_000;

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;
const anyCode = (): string => `I${Math.floor(Math.random() * TICKETS)}`;

async function sell(vendor: postgres.Sql): Promise<void> {
  await vendor`
    insert into public.ingressos
    select 'I' || n, case n % 3 when 0 then 'lido' when 1 then 'vendido' else 'cancelado' end, (n % 14)::text
    from generate_series(0, ${TICKETS - 1}) n`;
}

/** What a ticketing system does to a ticket or to many. Gates that are in each other's way are told to do it again. */
const WORK: readonly ((vendor: postgres.Sql) => Promise<unknown>)[] = [
  (vendor) =>
    vendor`update public.ingressos set status = 'lido', lido_em = now() where codigo = ${anyCode()}`,
  (vendor) =>
    vendor`update public.ingressos set status = 'lido', lido_em = now() where codigo = ${anyCode()}`,
  (vendor) =>
    vendor`update public.ingressos set status = 'vendido', lido_em = null where codigo = ${anyCode()}`,
  (vendor) =>
    vendor`update public.ingressos set status = ${pick(STATUSES)}, portao = ${pick(PORTOES)} where codigo = ${anyCode()}`,
  (vendor) => vendor`update public.ingressos set status = null, portao = null where codigo = ${anyCode()}`,
  (vendor) => vendor`update public.ingressos set codigo = ${anyCode()} where codigo = ${anyCode()}`,
  (vendor) => vendor`delete from public.ingressos where codigo = ${anyCode()}`,
  (vendor) => vendor`
    insert into public.ingressos values (${anyCode()}, ${pick(STATUSES)}, ${pick(PORTOES)})
    on conflict (codigo) do update set status = excluded.status`,
  (vendor) =>
    vendor`update public.ingressos set status = 'lido' where codigo like ${`I${Math.floor(Math.random() * 100)}%`}`,
  (vendor) =>
    vendor.begin(async (transaction) => {
      await transaction`update public.ingressos set status = 'cancelado' where codigo = ${anyCode()}`;
      await transaction`savepoint s`;
      await transaction`delete from public.ingressos where codigo = ${anyCode()}`;
      await transaction`rollback to s`;
      if (Math.random() < 0.5) throw new Error('rolled back');
    }),
];

interface Gates {
  /** Resolves once the gates have done `more` further changes. */
  work(more: number): Promise<void>;
  stop(): Promise<unknown>;
}

/** Gates that write all the time. */
function startGates(vendor: postgres.Sql, gates = 4): Gates {
  const stopping = new AbortController();
  let done = 0;
  const gate = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await pick(WORK)(vendor).then(
        () => (done += 1),
        (error: unknown) => {
          // A code that is taken, two that waited for each other, and what was to be rolled back.
          if (
            error instanceof postgres.PostgresError
              ? !['23505', '40P01'].includes(error.code)
              : String(error) !== 'Error: rolled back'
          )
            throw error;
        },
      );
      await pause(2);
    }
  };
  const working = Promise.all(Array.from({ length: gates }, gate));
  return {
    work(more) {
      const before = done;
      return until(() => expect(done).toBeGreaterThanOrEqual(before + more), 60_000);
    },
    stop() {
      stopping.abort();
      return working;
    },
  };
}

/** Rows as tickets, counted without the recipe's view. */
async function expectInStep(
  vendor: postgres.Sql,
  { admin }: TestDatabase,
  viewer: PageClient,
  limitMs = 15_000,
): Promise<void> {
  const wanted = await vendor`
    select codigo as id, status is not null and status <> 'cancelado' as is_valid_ticket, status is not null and status = 'lido' as entrou,
      case when portao is null then '' else portao end as setor
    from public.ingressos where octet_length(codigo) <= 128 order by codigo collate "C"`;
  await until(async () => {
    const tickets = await admin`
      select id, is_valid_ticket, entrou, setor from tickets where event_id = ${DEFAULT_EVENT_ID} order by id collate "C"`;
    expect([...tickets]).toEqual([...wanted]);
  }, limitMs);
  const { total, sectors, others } = await recount(admin);
  expect(total).toBe(wanted.filter(({ entrou }) => entrou === true).length);
  await until(() => {
    expect(viewer.live).toBe(true);
    expect(viewer.counts).toMatchObject({ total, sectors, others });
  }, limitMs);
}

async function copyIn(vendor: postgres.Sql, rows: string): Promise<void> {
  const copy = await vendor`copy public.ingressos (codigo, status, portao) from stdin`.writable();
  await pipeline([rows], copy);
}

test('a trigger keeps the tickets in step with another table of the same PostgreSQL, from its first fill on', async () => {
  const database = await createTestDatabase();
  const { admin } = database;
  await admin.unsafe(INGRESSOS);
  const { vendor } = await openVendor(database, 'public.ingressos');
  await sell(vendor);
  const server = await startTestServer(database);
  const viewer = await openPageClient(server.url);
  const gates = startGates(vendor);
  await admin.unsafe(readRecipe('mapping'));
  await admin.unsafe(readRecipe('function'));
  await admin.unsafe(readRecipe('fill'));
  await gates.work(500);
  // Again, in the middle of it all.
  await admin.unsafe(readRecipe('fill'));
  await gates.work(100);
  await gates.stop();
  await expectInStep(vendor, database, viewer);
  expect(await admin.unsafe(readRecipe('compare'))).toEqual([]);

  await copyIn(vendor, Array.from({ length: 5_000 }, (_, n) => `C${n}\tlido\t${n % 7}\n`).join(''));
  // Codes that change places within one statement.
  await vendor.begin(async (transaction) => {
    await transaction`update public.ingressos set codigo = codigo || 'x' where codigo in ('C1', 'C2')`;
    await transaction`
      update public.ingressos set codigo = case codigo when 'C1x' then 'C2' else 'C1' end where codigo in ('C1x', 'C2x')`;
  });
  await expectInStep(vendor, database, viewer);

  await expect(vendor`select from public.tickets`).rejects.toThrow('permission denied');
  await vendor`truncate public.ingressos`;
  await expectInStep(vendor, database, viewer);
  expect(viewer.counts?.total).toBe(0);
});

test('no error of the trigger makes a write of a gate fail, and what is not in step is told and corrected', async () => {
  const database = await createTestDatabase();
  const { admin } = database;
  await admin.unsafe(INGRESSOS);
  const { vendor, vendorUrl } = await openVendor(database, 'public.ingressos');
  await sell(vendor);
  for (const name of ['mapping', 'function', 'fill']) await admin.unsafe(readRecipe(name));
  const warnings: string[] = [];
  const gate = postgres(vendorUrl, { max: 1, onnotice: ({ message }) => warnings.push(String(message)) });
  onTestFinished(() => gate.end({ timeout: 1 }));
  const tooLong = 'x'.repeat(129);
  await gate`insert into public.ingressos values (${tooLong}, 'lido', '4'), ('good', 'lido', '4')`;
  await gate`update public.ingressos set portao = ${'y'.repeat(33)}, status = 'lido' where codigo = 'I1'`;
  expect(warnings).toEqual([
    expect.stringContaining(`ticket ${tooLong} is not in step with ingressos: `),
    expect.stringContaining('ticket I1 is not in step with ingressos: '),
  ]);
  expect(await admin.unsafe(readRecipe('compare'))).toMatchObject([
    { id: 'I1', entrou: true, ticket_entrou: false },
    { id: tooLong, entrou: true, ticket_entrou: null },
  ]);
  // Somebody holds all tickets for longer than a gate waits for them.
  const holder = await admin.reserve();
  await holder.unsafe('begin; lock table public.tickets in share row exclusive mode');
  await gate`update public.ingressos set status = 'lido' where codigo = 'I4'`;
  expect(warnings.at(-1)).toContain(
    'ticket I4 is not in step with ingressos: canceling statement due to lock',
  );
  await holder.unsafe('commit');
  holder.release();
  await admin.unsafe('alter table public.tickets rename to gone');
  await gate`update public.ingressos set status = 'lido' where codigo = 'I7'`;
  await admin.unsafe('alter table public.gone rename to tickets');
  expect(
    await gate`select count(*)::int as n from public.ingressos where status = 'lido' and codigo in ('I4', 'I7')`,
  ).toEqual([{ n: 2 }]);
  await gate`update public.ingressos set portao = '4' where codigo = 'I1'`;
  await admin.unsafe(readRecipe('fill'));
  expect(await admin.unsafe(readRecipe('compare'))).toMatchObject([{ id: tooLong }]);
});

test('a subscription brings the table of another PostgreSQL, through a network that breaks', async () => {
  const theirs = await startTestCluster();
  const ours = await createTestDatabase();
  const { admin } = theirs.database;
  const password = randomBytes(8).toString('hex');
  await admin.unsafe(INGRESSOS);
  await admitByPassword(admin);
  const { vendor } = await openVendor(theirs.database, 'public.ingressos');
  await sell(vendor);
  const gates = startGates(vendor);

  await admin.unsafe(readRecipe('publication', { PASSWORD: password }));
  for (const name of ['copy-table', 'mapping', 'function', 'fill', 'always']) {
    await ours.admin.unsafe(readRecipe(name));
  }
  const network = await startNetwork(theirs.database.adminUrl);
  const server = await startTestServer(ours);
  const viewer = await openPageClient(server.url);
  await ours.admin.unsafe(
    readRecipe('subscription', {
      HOST: '127.0.0.1',
      PORT: String(network.port),
      DATABASE: theirs.database.name,
      PASSWORD: password,
    }),
  );
  try {
    await gates.work(500);
    await gates.stop();
    await expectInStep(vendor, ours, viewer, 30_000);

    await vendor`update public.ingressos set portao = ${'y'.repeat(33)} where codigo = 'I1'`;
    await vendor`update public.ingressos set portao = '4' where codigo = 'I1'`;
    const again = startGates(vendor);
    const { opened } = network;
    network.cut();
    await again.work(100);
    network.restore();
    await again.stop();
    await copyIn(vendor, Array.from({ length: 3_000 }, (_, n) => `C${n}\tlido\t${n % 7}\n`).join(''));
    await expectInStep(vendor, ours, viewer, 30_000);
    expect(network.opened).toBeGreaterThan(opened);
    expect(await ours.admin.unsafe(readRecipe('compare'))).toEqual([]);
    expect(await ours.admin.unsafe(readRecipe('watch-ours'))).toMatchObject([
      { subname: 'ingressos_para_triagem', runs: true, sync_error_count: '0' },
    ]);
    expect(await admin.unsafe(readRecipe('watch-theirs'))).toMatchObject([
      { active: true, wal_status: 'reserved' },
    ]);

    await vendor`truncate public.ingressos`;
    await expectInStep(vendor, ours, viewer, 30_000);
  } finally {
    await ours.admin.unsafe('drop subscription ingressos_para_triagem');
  }
  await admin.unsafe(
    'drop publication ingressos_para_triagem; drop owned by triagem_leitor; drop role triagem_leitor',
  );
});
