import type postgres from 'postgres';
import { errorCode, errorMessage, GatesError, UnknownCommitError } from '../cli/errors.ts';
import { withSession } from '../cli/session.ts';
import type { Target } from '../cli/target.ts';
import { findConnection } from '../connect/connection.ts';
import { keepReadings } from '../http/kept-rows.ts';
import { lockTickets, writeTickets, writeTimes } from '../http/ticket-rows.ts';
import { type Finding, ok, stops } from './finding.ts';

const ANSWER_LIMIT_S = 5;

const UNKNOWN_TICKET = {
  id: 'unknown',
  isValid: undefined,
  entrou: true,
  setor: undefined,
  at: undefined,
  gate: 'check',
  reason: 'ticket',
} as const;

export interface Writing {
  readonly finding: Finding;
  /** Whether the tickets can be read, whether or not they can be written. */
  readonly canRead: boolean;
  /** Whether a connection brings the event's tickets. */
  readonly isConnected: boolean;
}

/** Writes as gates do, takes it back, and commits, which changes nothing. */
export async function findWriting(target: Target, eventId: string, stop: AbortSignal): Promise<Writing> {
  const limit = AbortSignal.timeout(ANSWER_LIMIT_S * 1_000);
  const cannot = (text: string, canRead = false): Writing => ({
    finding: stops('database', text),
    canRead,
    isConnected: false,
  });
  try {
    const isConnected = await withSession(target, AbortSignal.any([stop, limit]), (session) =>
      session.transaction('', async (sql) => {
        // Below ANSWER_LIMIT_S.
        await sql`set local lock_timeout = '4s'`;
        await sql`lock table public.tickets, public.kept_readings in row exclusive mode`;
        // The rights are asked for although no row is changed: there may be no ticket to try an entry with.
        await sql`update public.tickets set is_valid_ticket = true, entrou = true, setor = '' where false`;
        // Nobody else writes what a connection brings.
        const connection = await findConnection(sql);
        if (connection?.settings.eventId === eventId) return true;
        await tryEntry(sql, eventId);
        return false;
      }),
    );
    const source = isConnected ? '; "connect" brings the tickets' : '';
    return { finding: ok('database', `a commit comes through${source}`), canRead: true, isConnected };
  } catch (error) {
    if (stop.aborted || !(error instanceof GatesError)) throw error;
    if (errorCode(error.cause) === '55P03') {
      const query = 'select pid, relation::regclass, mode from pg_locks where granted';
      return cannot(
        `another program has locked the tickets in an open transaction: "${query}" shows which; end it`,
      );
    }
    if (!limit.aborted) return cannot(`it cannot be written to: ${errorMessage(error)}`, true);
    if (!(error instanceof UnknownCommitError))
      return cannot(`it does not answer within ${ANSWER_LIMIT_S} s: look at its load`);
    const fix =
      'if synchronous_standby_names names a standby that is away, let that run, or take its name out and reload';
    return cannot(`no commit comes through within ${ANSWER_LIMIT_S} s: ${fix}`, true);
  }
}

/** Runs the triggers of the gates' system, too, which may refuse an entry, also when its transaction ends. */
async function tryEntry(sql: postgres.Sql, eventId: string): Promise<void> {
  const receivedAt = new Date().toISOString();
  await sql`savepoint entry`;
  const [candidate] = await sql<[{ id: string }?]>`
    select id from public.tickets where event_id = ${eventId} and is_valid_ticket and not entrou limit 1`;
  const tickets = await lockTickets(sql, eventId, candidate ? [candidate.id] : [], true);
  for (const ticket of tickets.values())
    Object.assign(ticket, { entrou: true, times: { entrou: receivedAt } });
  await writeTickets(sql, eventId, [...tickets.values()]);
  await writeTimes(sql, eventId, [...tickets.values()]);
  await keepReadings(sql, eventId, [{ ...UNKNOWN_TICKET, receivedAt }]);
  await sql`set constraints all immediate`;
  await sql`rollback to savepoint entry`;
}
