import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import type { Step } from './step.ts';

/** The SQL files lie beside this one, in the sources and in the build. */
const FOLDER = import.meta.dirname;

/** Applies the numbered SQL files that this database has not had yet, in their order, each in one transaction. */
export async function applySchema(sql: postgres.Sql, report: (step: Step) => void): Promise<void> {
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
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).toSorted();
  for (const file of files) {
    const isApplied = applied.some((row) => row.file === file);
    if (!isApplied) {
      const text = await readFile(join(FOLDER, file), 'utf8');
      await sql.begin(async (transaction) => {
        await transaction.unsafe(text).simple();
        await transaction`insert into public.triagem_schema (file) values (${file})`;
      });
    }
    report({ what: `schema ${file}`, done: !isApplied });
  }
}
