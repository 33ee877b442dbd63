import postgres from 'postgres';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { ticketsQuery } from './connection.ts';

test('ids and sectors of a source in another encoding are those of the same rows here', async () => {
  const { admin, adminUrl, name } = await createTestDatabase();
  const latin1 = `${name}_latin1`;
  await admin.unsafe(
    `create database ${latin1} encoding 'LATIN1' locale_provider libc lc_collate 'C' lc_ctype 'C' template template0`,
  );
  const source = postgres(Object.assign(new URL(adminUrl), { pathname: `/${latin1}` }).href, { max: 1 });
  const view = {
    query: `select repeat('é', n) as key, 1 as grp, true as is_valid_ticket, false as entrou, repeat('ã', n / 4) as setor
      from (values (64), (65), (100)) lengths (n)`,
    tables: 'tickets(id)',
  };
  const query = ticketsQuery(
    { system: undefined, view, event: '', list: undefined, sectors: {}, eventId: DEFAULT_EVENT_ID },
    [],
  );
  const rows = await admin.unsafe(query);
  const rowsThere = await source.unsafe(query).finally(() => source.end());
  await admin.unsafe(`drop database ${latin1}`);
  expect([...rowsThere]).toEqual([...rows]);
  expect(rows.map(({ key, setor }) => [(key as string).length, (setor as string).length])).toEqual([
    [64, 16],
    [32, 16],
    [32, 0],
  ]);
});
