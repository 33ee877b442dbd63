import { type DeskInForce, readDeskInForce } from '../events/desk-in-force.ts';
import { formatEventTime } from '../events/event-time.ts';
import { isRecordKept } from '../backup/record-beside.ts';
import type { Environment } from '../cli/command.ts';
import { GatesError } from '../cli/errors.ts';
import type { Target } from '../cli/target.ts';
import { type Finding, look } from './finding.ts';

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
    const found = describe(await readDeskInForce(env, target, eventId, stop), zone);
    if (found.length === 0) return [];
    return [
      look(
        'desk',
        `in force: ${found.join('; ')}: if that is of a trial, end it at a desk with the word beside it`,
      ),
    ];
  } catch (error) {
    if (error instanceof GatesError) return [look('desk', error.message)];
    throw error;
  }
}

function describe({ kickOffAt, isClosed, isEvacuated, marks }: DeskInForce, zone: string): string[] {
  const kickOff =
    kickOffAt &&
    `a kick-off ${formatEventTime(kickOffAt, zone)} (${zone}), which stands before the event's own ("desfazer")`;
  return [
    ...(kickOff ? [kickOff] : []),
    ...(isEvacuated ? ['an evacuation ("retirar")'] : []),
    ...(isClosed ? ['the entry closed ("reabrir")'] : []),
    ...(marks > 0
      ? [`${marks === 1 ? 'a mark' : `${marks} marks`} of sectors ("acabou" or "foi engano")`]
      : []),
  ];
}
