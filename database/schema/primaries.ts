import { hostOf, hostUrls } from '../../domain/database-hosts.ts';
import { ConnectionFaultError, type ServerPlace, setupError, standbyFault } from '../connection-fault.ts';
import { findPrimaryUrl } from '../primary/primary-watch.ts';
import { DatabaseSetupError } from '../setup-error.ts';
import { withConnection } from '../with-connection.ts';
import type { DatabaseRoles } from './database-roles.ts';

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
    // No primary among hosts that have all answered.
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
