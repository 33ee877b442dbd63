import { setTimeout as pause } from 'node:timers/promises';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import { stopped } from '../cli/errors.ts';
import { at, type Databases } from './databases.ts';
import { query, runSql } from './sql.ts';

const WAIT_MS = 100;

/** Returns the statements that disable a subscription, and end its workers. */
export function stoppingSql(name: string): [disable: string, end: string] {
  return [
    `alter subscription ${quoteIdentifier(name)} disable`,
    `select pg_terminate_backend(pid) from pg_stat_subscription where subname = ${quoteLiteral(name)} and pid is not null`,
  ];
}

/**
 * Disables the subscription, if there is one, and resolves once nobody copies for it, so that it can be dropped. PostgreSQL's
 * `drop subscription` waits for the slots of copies, and a slot that is being made waits for every transaction of its server:
 * on one server each would wait for the other, for ever, and no other slot could be made there.
 */
export async function stopWorkers(
  { here, reader }: Databases,
  name: string,
  stop: AbortSignal,
): Promise<void> {
  const [found] = await at(
    here,
    (sql) => sql<{ slots: string }[]>`
      select format('^pg_%s_sync_[0-9]+_%s$', oid, system_identifier) as slots
      from pg_subscription, pg_control_system() where subname = ${name}`,
  );
  if (!found) return;
  const [disable, end] = stoppingSql(name);
  await at(here, (sql) => runSql(sql, disable));
  for (;;) {
    const workers = await at(here, (sql) => query(sql, end));
    // A session at the source has the name of the slot that it is about to make, and stays a while without its worker.
    const sessions = await at(
      reader,
      (sql) => sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name ~ ${found.slots}
          or pid in (select active_pid from pg_replication_slots where slot_name ~ ${found.slots})`,
    );
    if (workers.length === 0 && sessions.length === 0) return;
    if (stop.aborted) throw stopped();
    await pause(WAIT_MS);
  }
}
