import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  IDENTITY_INDEX,
  OBSERVED_COLUMNS,
  OBSERVED_COLUMNS_SQL,
  PUBLISHED_TABLES_SQL,
  TABLES,
} from './contract.ts';

function readSql(file: string): string {
  const url = new URL(`../../../database/schema/${file}`, import.meta.url);
  return readFileSync(url, 'utf8').replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ');
}

test('the index and the replica identity that the migration makes are those of the contract', () => {
  const sql = readSql('002-observed.sql');
  expect(sql).toContain(
    `create unique index if not exists ${IDENTITY_INDEX} on public.tickets (${OBSERVED_COLUMNS_SQL});`,
  );
  expect(sql).toContain(`alter table public.tickets replica identity using index ${IDENTITY_INDEX};`);
});

test('the table that the migration makes has every observed column, and none of them may be null', () => {
  const [, table = ''] =
    /create table if not exists public\.tickets \((.*?) primary key/.exec(readSql('001-tickets.sql')) ?? [];
  const columns = table
    .split(/, (?=\w+ \w+ not null)/)
    .map((column) => /^ ?(\w+) \w+ not null/.exec(column)?.[1]);
  expect(columns).toEqual([...OBSERVED_COLUMNS]);
});

test('the tables that the migration makes are those of the contract, and two of them are published', () => {
  const files = readdirSync(new URL('../../../database/schema/', import.meta.url)).filter((file) =>
    file.endsWith('.sql'),
  );
  const made = files.flatMap((file) =>
    [...readSql(file).matchAll(/create table if not exists public\.(\w+)/g)].map(([, name]) => name),
  );
  expect(new Set(made)).toEqual(new Set(TABLES));
  const published = [...PUBLISHED_TABLES_SQL.matchAll(/public\.(\w+)/g)].map(([, name]) => name);
  expect(published).toEqual(['tickets', 'sectors']);
});
