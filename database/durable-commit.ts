import type postgres from 'postgres';

/**
 * Has the commits of this session wait until they are flushed, where role, database or server would not: what is answered
 * outlives a crash. Every other setting, as that of a synchronous standby, stays. It holds for all statements that are sent
 * later; where it cannot be set, these fail as well.
 */
export function waitForFlush(sql: postgres.Sql): void {
  sql`select pg_catalog.set_config('synchronous_commit',
    coalesce(nullif(pg_catalog.current_setting('synchronous_commit'), 'off'), 'on'), false)`.catch(() => {});
}
