import { expect } from 'vitest';
import { migrate } from '../../database/schema/migrate.ts';
import { DatabaseSetupError, errorMessage } from '../../database/setup-error.ts';
import { TABLES } from '../../board/sources/postgres/contract.ts';
import type { TestDatabase } from './database.ts';

/** Those that differ from the database's own. */
export type MigrationUrls = Partial<
  Pick<TestDatabase, 'ownerUrl' | 'recordUrl'> & Record<'observerUrl' | 'gatesUrl', string | undefined>
>;

/** Runs `npm run migrate` again and returns its output. */
export async function runMigration(database: TestDatabase, urls: MigrationUrls = {}): Promise<string[]> {
  const lines: string[] = [];
  const { ownerUrl, observerUrl, gatesUrl, recordUrl } = { ...database, ...urls };
  await migrate({ ownerUrl, observerUrl, gatesUrl, recordUrl, log: (line) => lines.push(line) });
  return lines;
}

/** Its message, when it is refused. */
export async function refusedMigration(database: TestDatabase, urls: MigrationUrls = {}): Promise<string> {
  const error: unknown = await runMigration(database, urls).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DatabaseSetupError);
  return errorMessage(error);
}

/** The steps that had something to do. */
export function changed(lines: readonly string[]): string[] {
  return lines.filter((line) => line.endsWith(': done'));
}

/** Leaves the record as 005-record.sql made it, in which an event has 32 hexadecimal characters. */
export async function restoreEarlierRecord({ admin }: TestDatabase): Promise<void> {
  const checks = ['minutes', 'log'].map(
    (table) => `
      alter table triagem.${table} drop constraint ${table}_event_id_check,
        add check (event_id ~ '^[0-9a-fA-F]{32}$');`,
  );
  await admin.unsafe(`${checks.join('')} delete from public.triagem_schema where file = '007-event-ids.sql'`);
}

/** Leaves a database that Triagem has not seen. */
export async function forgetMigration({ admin }: TestDatabase): Promise<void> {
  await admin.unsafe(`
    drop publication triagem;
    drop schema triagem cascade;
    drop table ${TABLES.map((name) => `public.${name}`).join(', ')}, public.triagem_schema`);
}
