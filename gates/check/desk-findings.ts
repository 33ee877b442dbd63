import type postgres from 'postgres';
import { formatEventTime } from '../events/event-time.ts';
import { findRecord, isRecordKept } from '../backup/record-beside.ts';
import type { Environment } from '../cli/command.ts';
import { GatesError } from '../cli/errors.ts';
import { withSession } from '../cli/session.ts';
import type { Target } from '../cli/target.ts';
import { type Finding, look } from './finding.ts';

interface InForce {
  readonly kickOffAt: Date | null;
  readonly isClosed: boolean;
  readonly isEvacuated: boolean;
  readonly marks: number;
}

/** Finds what operators of a desk have left in force, as after a trial: it holds until it is taken back there. */
export async function findDesk(
  env: Environment,
  target: Target,
  { eventId, zone, stop }: { readonly eventId: string; readonly zone: string; readonly stop: AbortSignal },
): Promise<Finding[]> {
  if (!(await isRecordKept(env, target))) return [];
  if (!env['RECORD_DATABASE_URL']?.trim() && target.recordUrl === undefined)
    return [look('desk', 'what is in force there is not known: set RECORD_DATABASE_URL as the board has it')];
  try {
    const record = await findRecord(env, target, () => target);
    const found = describe(await withSession(record, stop, ({ sql }) => readInForce(sql, eventId)), zone);
    if (found.length === 0) return [];
    return [
      look('desk', `in force: ${found.join(', ')}: if that is of a trial, a desk takes it back ("desfazer")`),
    ];
  } catch (error) {
    if (error instanceof GatesError) return [look('desk', error.message)];
    throw error;
  }
}

async function readInForce(sql: postgres.Sql, eventId: string): Promise<InForce> {
  const [row] = await sql<[InForce]>`
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

function describe({ kickOffAt, isClosed, isEvacuated, marks }: InForce, zone: string): string[] {
  const kickOff =
    kickOffAt &&
    `a kick-off ${formatEventTime(kickOffAt, zone)} (${zone}), which stands before that of "event set"`;
  return [
    ...(kickOff ? [kickOff] : []),
    ...(isEvacuated ? ['an evacuation'] : []),
    ...(isClosed ? ['the entry closed'] : []),
    ...(marks > 0 ? [`${marks === 1 ? 'a mark' : `${marks} marks`} of sectors`] : []),
  ];
}
