import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import { TABLES } from '../../board/sources/postgres/contract.ts';
import { RECORD_TABLES } from './record-role.ts';
import { withConnection } from '../with-connection.ts';
import type { Step } from './step.ts';

/** The SQL files lie beside this one, in the sources and in the build. */
const FOLDER = import.meta.dirname;

/** This comment on a table distinguishes it from one of the same name that a gate system brought. */
export const MADE_BY_TRIAGEM = 'Made by Triagem.';

/** These files make the record's tables, for a database that keeps one. */
const RECORD_FILES: ReadonlySet<string> = new Set(['005-record.sql', '007-event-ids.sql']);

/**
 * Applies the numbered SQL files that were not applied to this database yet, in their order, each in one transaction. They make
 * only what is missing, so that all of them repair a database that has lost a table.
 */
export async function applySchema(
  sql: postgres.Sql,
  { hasRecord }: { readonly hasRecord: boolean },
  report: (step: Step) => void,
): Promise<void> {
  const [table] = await sql<{ exists: boolean }[]>`
    select to_regclass('public.triagem_schema') is not null as exists`;
  if (table?.exists !== true) {
    await sql`
      create table public.triagem_schema (
        file text primary key,
        applied_at timestamptz not null default now()
      )`;
  }
  const applied = await sql<{ file: string }[]>`select file from public.triagem_schema`;
  const names = (await readdir(FOLDER))
    .filter((file) => file.endsWith('.sql') && (hasRecord || !RECORD_FILES.has(file)))
    .toSorted();
  const files = await Promise.all(
    names.map(async (file) => ({
      file,
      text: await readFile(join(FOLDER, file), 'utf8'),
      wasApplied: applied.some((row) => row.file === file),
    })),
  );
  const there = await tablesThere(sql);
  const isWhole = files
    .filter(({ wasApplied }) => wasApplied)
    .flatMap(({ text }) => tablesIn(text))
    .every((name) => there.includes(name));
  for (const { file, text, wasApplied } of files) {
    const isApplied = isWhole && wasApplied;
    if (!isApplied) {
      await sql.begin(async (transaction) => {
        const before = await tablesThere(transaction);
        await transaction.unsafe(text).simple();
        for (const name of await tablesThere(transaction)) {
          if (before.includes(name)) continue;
          await transaction.unsafe(`comment on table ${name} is '${MADE_BY_TRIAGEM}'`);
        }
        await transaction`insert into public.triagem_schema (file) values (${file}) on conflict do nothing`;
      });
    }
    report({ what: `schema ${file}`, done: !isApplied });
  }
}

/** `ownerUrl` has one host. */
export async function isRecordThere(ownerUrl: string): Promise<boolean> {
  const there = await withConnection(ownerUrl, tablesThere);
  return RECORD_TABLES.every((name) => there.includes(name));
}

/** Returns the tables that a file makes, with their schemas. */
function tablesIn(text: string): string[] {
  return [...text.matchAll(/^create table if not exists (\w+\.\w+)/gm)].map(([, name = '']) => name);
}

async function tablesThere(sql: postgres.Sql | postgres.TransactionSql): Promise<string[]> {
  const tables = [...TABLES.map((name) => `public.${name}`), ...RECORD_TABLES];
  // to_regclass would need a right on the schema.
  const rows = await sql<{ name: string }[]>`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname || '.' || c.relname = any (string_to_array(${tables.join()}, ','))`;
  return rows.map(({ name }) => name);
}
