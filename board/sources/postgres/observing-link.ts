import { openSession, type Session } from '../../../database/database-session.ts';
import type { ObservingLimits } from './limits.ts';

/** The two connections of an epoch. */
export interface ObservingLink {
  /** An ordinary one: facts, snapshot, checks. */
  readonly session: Session;
  readonly replication: Session;
}

interface LinkOptions {
  readonly eventId: string | undefined;
  readonly limits: ObservingLimits;
}

/** Prepares both connections; each connects with its first query. `url` has one host. */
export function openLink(url: string, { eventId, limits }: LinkOptions): ObservingLink {
  return {
    session: openSession(url, {
      // The gates tool reads from it which event a board displays.
      application_name: eventId === undefined ? 'triagem counter' : `triagem board ${eventId}`,
      statement_timeout: '0',
      row_security: 'off',
      standard_conforming_strings: 'on',
    }),
    replication: openSession(url, {
      replication: 'database',
      // The server then sends a keepalive every half of it, which is what the watchdog listens for.
      wal_sender_timeout: `${limits.walSenderTimeoutMs}ms`,
      lock_timeout: `${limits.slotPatienceMs}ms`,
      idle_in_transaction_session_timeout: '0',
    }),
  };
}

export async function closeLink({ session, replication }: ObservingLink): Promise<void> {
  await Promise.all([session.end(0), replication.end(0)]);
}
