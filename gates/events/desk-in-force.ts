import type postgres from 'postgres';
import { findRecord } from '../backup/record-beside.ts';
import type { Environment } from '../cli/command.ts';
import { withSession } from '../cli/session.ts';
import type { Target } from '../cli/target.ts';

/** What operators of a desk have set for an event and not taken back. */
export interface DeskInForce {
  /** It stands before the event's own. */
  readonly kickOffAt: Date | null;
  readonly isClosed: boolean;
  readonly isEvacuated: boolean;
  readonly marks: number;
}

/** @throws GatesError where the record cannot be read. */
export async function readDeskInForce(
  env: Environment,
  target: Target,
  eventId: string,
  stop: AbortSignal,
): Promise<DeskInForce> {
  const record = await findRecord(env, target, () => target);
  return withSession(record, stop, ({ sql }) => read(sql, eventId));
}

async function read(sql: postgres.Sql, eventId: string): Promise<DeskInForce> {
  const [row] = await sql<[DeskInForce]>`
    select to_timestamp((array_agg(data->>'kickOffAtMs' order by seq desc) filter (where kind = 'kick-off'))[1]::float8 / 1000)
        as "kickOffAt",
      count(*) filter (where kind = 'entry-closed') > 0 as "isClosed",
      count(*) filter (where kind = 'evacuation') > 0 as "isEvacuated",
      (count(*) filter (where kind = 'mark'))::int as marks
    from triagem.log entry
    where event_id = ${eventId} and source = 'live' and not exists (
      select from triagem.log later
      where later.event_id = entry.event_id and later.kind = 'take-back' and later.data->>'id' = entry.id)`;
  return row;
}
