import { expect } from 'vitest';
import { migrate } from '../server/database/schema/migrate.ts';
import { DatabaseSetupError, errorMessage } from '../server/database/setup-error.ts';
import { TABLES } from '../server/sources/postgres/contract.ts';
import type { TestDatabase } from './database.ts';

/** Those that differ from the database's own. */
export type MigrationUrls = Partial<
  Pick<TestDatabase, 'ownerUrl' | 'observerUrl' | 'gatesUrl' | 'recordUrl'>
>;

/** `npm run migrate`, again; what it says. */
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

/** Leaves a database that Triagem has not seen. */
export async function forgetMigration({ admin }: TestDatabase): Promise<void> {
  await admin.unsafe(`
    drop publication triagem;
    drop schema triagem cascade;
    drop table ${TABLES.map((name) => `public.${name}`).join(', ')}, public.triagem_schema`);
}
