import { afterAll, beforeAll, expect, test } from 'vitest';
import type postgres from 'postgres';
import { createTestDatabase } from '../../testing/database/database.ts';
import { until } from '../../testing/until.ts';
import { copyIn } from './copy-in.ts';
import { copyOut } from '../backup/copy-out.ts';
import { connect } from '../cli/target.ts';

let sql: postgres.Sql;

beforeAll(async () => {
  sql = connect({ url: (await createTestDatabase()).gatesUrl });
});

afterAll(() => sql.end());

test('a connection goes on after rows that came in one piece with their end', async () => {
  await sql`select 1`;
  const rows = copyOut(sql, "copy (select repeat('x', 100000)) to stdout");
  const first = rows.next();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  // All of the answer lies in the socket before any of it is read.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  expect((await first).value).toHaveLength(100_001);
  expect(await rows.next()).toMatchObject({ done: true });
  expect(await sql`select 1 as answer`).toEqual([{ answer: 1 }]);
});

test('a connection takes statements again once rows have passed that nobody read to their end', async () => {
  const rows = copyOut(sql, "copy (select repeat('x', 100) from generate_series(1, 100000)) to stdout");
  await rows.next();
  await rows.return(undefined);
  // Until then it refuses them. One that is not answered, because nobody reads the socket any more, hangs for ever.
  await until(async () => expect(await sql`select 1 as answer`).toEqual([{ answer: 1 }]));
});

test('an error about the last row is reported', async () => {
  await sql`create temporary table numbers (n integer)`;
  const rows = (async function* () {
    yield Buffer.from('1\n');
    yield Buffer.from('two\n');
  })();
  await expect(copyIn(sql, 'copy numbers from stdin', rows)).rejects.toThrow('integer: "two"');
  expect(await sql`select 1 as answer`).toEqual([{ answer: 1 }]);
});
