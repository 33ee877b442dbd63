import type postgres from 'postgres';
import { MIN_SERVER_VERSION, REQUIRED_WAL_LEVEL } from '../../board/sources/postgres/contract.ts';
import { poolerFault, type ServerPlace, setupError, standbyFault } from '../connection-fault.ts';
import { DatabaseSetupError } from '../setup-error.ts';
import { SEARCH_PATH } from '../with-connection.ts';

export const OWNER_PLACE = { setting: 'MIGRATE_DATABASE_URL' } satisfies ServerPlace;

/** @throws DatabaseSetupError: the server lacks what observing, or the record alone, requires */
export async function assertServerUsable(
  sql: postgres.Sql,
  { isObserved }: { readonly isObserved: boolean },
): Promise<void> {
  const [server] = await sql<
    {
      version: number;
      text: string;
      search_path: string;
      encoding: string;
      wal_level: string;
      recovering: boolean;
    }[]
  >`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as text,
      current_setting('search_path') as search_path, current_setting('server_encoding') as encoding,
      current_setting('wal_level') as wal_level, pg_is_in_recovery() as recovering`;
  if (!server) throw new Error('the server did not say its version');
  if (server.version < MIN_SERVER_VERSION) {
    throw new DatabaseSetupError(
      `This is PostgreSQL ${server.text}; publications of single columns came with 15.`,
      'Use PostgreSQL 15 or newer.',
    );
  }
  if (server.search_path !== SEARCH_PATH) throw setupError(poolerFault(OWNER_PLACE));
  if (server.encoding !== 'UTF8') {
    throw new DatabaseSetupError(
      `The database has the encoding ${server.encoding}, in which not every name and note can be stored.`,
      "Give Triagem a database of its own: CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'.",
    );
  }
  if (server.recovering) throw setupError(standbyFault(OWNER_PLACE));
  if (isObserved && server.wal_level !== REQUIRED_WAL_LEVEL) {
    throw new DatabaseSetupError(
      `The server's wal_level is "${server.wal_level}", so that its changes cannot be observed.`,
      'As a superuser: ALTER SYSTEM SET wal_level = logical; then restart PostgreSQL. (Amazon RDS: rds.logical_replication = 1; Cloud SQL: cloudsql.logical_decoding = on.)',
    );
  }
}
