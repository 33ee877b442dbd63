import { type ServerPlace, setupError, standbyFault } from '../connection-fault.ts';
import { DatabaseSetupError } from '../setup-error.ts';
import { withConnection } from '../with-connection.ts';
import type { DatabaseRoles } from './migrate.ts';

/**
 * Refuses settings that lead to a standby, while it is the primary that is prepared. What cannot be asked (a role that is
 * still to be made, a host that is not reached from here) is left to the start of whoever uses it.
 *
 * @throws DatabaseSetupError
 */
export async function assertPrimaries({
  ownerUrl,
  observerUrl,
  gatesUrl,
  recordUrl,
}: DatabaseRoles): Promise<void> {
  const settings = {
    DATABASE_URL: observerUrl,
    GATES_DATABASE_URL: gatesUrl,
    RECORD_DATABASE_URL: recordUrl,
  };
  for (const [setting, url] of Object.entries(settings)) {
    if (url === undefined || new URL(url).host === new URL(ownerUrl).host) continue;
    await assertPrimary(url, { setting }).catch((error: unknown) => {
      if (error instanceof DatabaseSetupError) throw error;
    });
  }
}

async function assertPrimary(url: string, place: ServerPlace): Promise<void> {
  const [server] = await withConnection(
    url,
    (sql) => sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`,
  );
  if (server?.isStandby === true) throw setupError(standbyFault(place));
}
