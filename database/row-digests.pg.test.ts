import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/database/database.ts';
import type { Texts } from '../domain/compare-changing.ts';
import { openSession } from './database-session.ts';
import { readDigests, tablesOf } from './row-digests.ts';

const TABLE = { name: 'public.Ingressos', columns: ['Nº', 'entrou'] };

test('rows have the same digests in whatever order and settings, and others once one column differs', async () => {
  const [here, there] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  for (const { admin } of [here, there])
    await admin.unsafe('create table "Ingressos" ("Nº" text, entrou timestamptz, nome text)');
  const rows = (order: string): string =>
    `insert into "Ingressos" select 'São ' || n, timestamptz '2026-11-22 19:00Z' + n * interval '1 s'
     from generate_series(1, 200) n order by n ${order}`;
  await here.admin.unsafe(rows('asc'));
  await there.admin.unsafe(`${rows('desc')};
    do $$ begin execute format('alter database %I set timezone to %L', current_database(), 'Asia/Tokyo'); end $$`);
  const read = async ({ adminUrl }: typeof here): Promise<Texts> => {
    const session = openSession(adminUrl, {});
    return readDigests(session.sql, [TABLE]).finally(() => session.end());
  };
  const before = await read(here);
  expect(before.size).toBeGreaterThan(150);
  expect(tablesOf([...before.keys()])).toEqual(['public.Ingressos']);
  expect(await read(there)).toEqual(before);

  await there.admin`update "Ingressos" set nome = 'x'`;
  expect(await read(there)).toEqual(before);
  await there.admin`update "Ingressos" set entrou = null where "Nº" = 'São 7'`;
  expect(await read(there)).not.toEqual(before);
});
