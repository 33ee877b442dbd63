import { hostOf, hostUrls } from '../../domain/database-hosts.ts';
import { ConnectionFaultError, type ServerPlace, setupError, standbyFault } from '../connection-fault.ts';
import { findPrimaryUrl } from '../primary/primary-watch.ts';
import { DatabaseSetupError } from '../setup-error.ts';
import { withConnection } from '../with-connection.ts';
import type { DatabaseRoles } from './database-roles.ts';

/**
 * Refuses settings that lead to a standby, while the primary is prepared. What cannot be asked now (a role that does not exist
 * yet, a host that is not reachable from here) is checked when a process starts with the setting.
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
    if (url === undefined || namesOnly(url, hostOf(ownerUrl))) continue;
    await assertPrimary(url, { setting }).catch((error: unknown) => {
      if (error instanceof DatabaseSetupError) throw error;
    });
  }
}

function namesOnly(url: string, host: string): boolean {
  return hostUrls(url).every((each) => hostOf(each) === host);
}

async function assertPrimary(url: string, place: ServerPlace): Promise<void> {
  const found = await findPrimaryUrl(url, place).catch((error: unknown) => {
    // All hosts have answered, and none is a primary.
    if (error instanceof ConnectionFaultError && error.fault.awaitsPromotion && !error.fault.shouldRetry)
      throw setupError(error.fault);
    throw error;
  });
  const [server] = await withConnection(
    found,
    (sql) => sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`,
  );
  if (server?.isStandby === true) throw setupError(standbyFault(place));
}
