import type postgres from 'postgres';

/**
 * Has the commits of this session wait until they are flushed, by the synchronous standby, too, if there is one, where role,
 * database or server would not: what is answered outlives a crash, and a promotion. It holds for all statements that are
 * sent later; where it cannot be set, these fail as well.
 */
export function waitForFlush(sql: postgres.Sql): void {
  sql`select pg_catalog.set_config('synchronous_commit',
    case pg_catalog.current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, false)`.catch(
    () => {},
  );
}
