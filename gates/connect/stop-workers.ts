import { setTimeout as pause } from 'node:timers/promises';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import { stopped } from '../cli/errors.ts';
import { at, type Databases } from './databases.ts';
import { runSql } from './sql.ts';

const WAIT_MS = 100;

/** Returns the statements that disable a subscription, and end its workers. */
export function stoppingSql(name: string): string[] {
  return [
    `alter subscription ${quoteIdentifier(name)} disable`,
    `select pg_terminate_backend(pid) from pg_stat_subscription where subname = ${quoteLiteral(name)} and pid is not null`,
  ];
}

/**
 * Disables a subscription, and resolves once nobody copies for it, so that it can be dropped: `drop subscription` waits for
 * the slots of copies, and a slot that is being made waits for every transaction of its server. On one server each would
 * wait for the other, for ever, and no other slot could be made there.
 */
export async function stopWorkers(
  { here, reader }: Databases,
  name: string,
  stop: AbortSignal,
): Promise<void> {
  const statements = stoppingSql(name);
  for (;;) {
    const working = await at(here, async (sql) => {
      for (const statement of statements) await runSql(sql, statement);
      return sql<{ slots: string; isWorking: boolean }[]>`
        select format('^pg_%s_sync_[0-9]+_%s$', s.oid, system_identifier) as slots,
          exists (select from pg_stat_subscription where subid = s.oid and pid is not null) as "isWorking"
        from pg_subscription s, pg_control_system() where subname = ${name}`;
    });
    const [state] = working;
    if (!state) return;
    const copying = await at(
      reader,
      (sql) => sql`
        select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name ~ ${state.slots} and active`,
    );
    if (!state.isWorking && copying.length === 0) return;
    if (stop.aborted) throw stopped();
    await pause(WAIT_MS);
  }
}
