import { createHash } from 'node:crypto';
import { isEventId } from '../../domain/event.ts';

/**
 * A process's claim to lead, which others read from the name of its session. `ready`: it can write. `unreached`: commands
 * cannot reach it, and a ready process is to lead. `holding`: it has entries that the record lacks, and is to write them first.
 */
export type Candidacy = 'ready' | 'unreached' | 'holding';

/** The candidacies that take precedence over each. */
export const PREFERRED: Readonly<Record<Candidacy, readonly Candidacy[]>> = {
  holding: [],
  ready: ['holding'],
  unreached: ['ready', 'holding'],
};

/** Returns a session's name for pg_stat_activity, which keeps 63 ASCII characters: other IDs appear there as a hash. */
export function sessionName(eventId: string, candidacy: Candidacy): string {
  const event = isEventId(eventId)
    ? eventId
    : createHash('sha256').update(eventId).digest('hex').slice(0, 32);
  return `triagem record ${event}${candidacy === 'ready' ? '' : ` ${candidacy}`}`;
}

export function isOutranked(candidacy: Candidacy, others: ReadonlySet<Candidacy>): boolean {
  return PREFERRED[candidacy].some((preferred) => others.has(preferred));
}
