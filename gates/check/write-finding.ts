import { errorCode, errorMessage, GatesError, UnknownCommitError } from '../cli/errors.ts';
import { withSession } from '../cli/session.ts';
import type { Target } from '../cli/target.ts';
import { type Finding, ok, stops } from './finding.ts';

const ANSWER_LIMIT_S = 5;

export interface Writing {
  readonly finding: Finding;
  /** Whether the tickets can be read, whether or not they can be written. */
  readonly canRead: boolean;
}

/** Makes a commit as gates do, which changes nothing: a lock, and a message in PostgreSQL's log that nobody reads. */
export async function findWriting(target: Target, stop: AbortSignal): Promise<Writing> {
  const limit = AbortSignal.timeout(ANSWER_LIMIT_S * 1_000);
  const cannot = (text: string, canRead = false): Writing => ({ finding: stops('database', text), canRead });
  try {
    await withSession(target, AbortSignal.any([stop, limit]), (session) =>
      session.transaction('', async (sql) => {
        // Below ANSWER_LIMIT_S.
        await sql`set local lock_timeout = '4s'`;
        await sql`lock table public.tickets, public.kept_readings in row exclusive mode`;
        // The rights are asked for although no row is changed.
        await sql`update public.tickets set is_valid_ticket = true, entrou = true, setor = '' where false`;
        await sql`select pg_logical_emit_message(true, 'triagem', '')`;
      }),
    );
    return { finding: ok('database', 'a commit comes through'), canRead: true };
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
