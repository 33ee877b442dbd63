import type { ServerReport } from './primary-choice.ts';
import { RETURNED_SQL, readReturned, withReturn } from '../../domain/returned-primary.ts';

/**
 * Asks a host for its state: one statement without parameters, which any role may send. Right after a promotion the control
 * file still has the timeline before it; the name of the current log file has the new one. A standby's timelines are in its
 * control file.
 */
export const HOST_SQL = `
  select pg_catalog.pg_is_in_recovery() as "isStandby", pg_catalog.pg_postmaster_start_time()::text as "startedAt",
    (select system_identifier::text from pg_catalog.pg_control_system()) as "systemId",
    case when pg_catalog.pg_is_in_recovery() then null
      else pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()) end as "logFile",
    (select greatest(c.timeline_id, r.min_recovery_end_timeline)
      from pg_catalog.pg_control_checkpoint() c, pg_catalog.pg_control_recovery() r) as "knownTimeline",
    ${RETURNED_SQL} as "returned"`;

/** The row of HOST_SQL. */
export interface HostAnswer {
  readonly isStandby: boolean;
  readonly startedAt: string;
  readonly systemId: string;
  /** Its name begins with the timeline, in eight hexadecimal digits; null on a standby. */
  readonly logFile: string | null;
  readonly knownTimeline: number;
  /** For `readReturned`. */
  readonly returned: string | null;
}

export function readHostAnswer(host: string, answer: HostAnswer): ServerReport {
  const { isStandby, startedAt, systemId, logFile, knownTimeline, returned } = answer;
  const own = logFile === null ? knownTimeline : Number.parseInt(logFile.slice(0, 8), 16);
  const timeline = withReturn(own, readReturned(returned));
  return { kind: isStandby ? 'standby' : 'primary', host, systemId, startedAt, timeline };
}
