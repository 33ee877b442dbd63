import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import type { EmbeddedDatabase } from '../../database/embedded/embedded-database.ts';

/** The embedded server admits its roles to its one database: from now on to those that are made beside it, too. */
export async function admitEveryDatabase({ dataDir, adminUrl }: EmbeddedDatabase): Promise<void> {
  appendFileSync(join(dataDir, 'cluster', 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n');
  const sql = postgres(adminUrl, { max: 1 });
  await sql`select pg_reload_conf()`;
  await sql.end();
}
