import { createHash } from 'node:crypto';
import { isEventId } from '../../domain/event.ts';

/**
 * How a process stands to the event's lock, as the others read it from the name of its session: `ready` to write;
 * `unreached` by those who send commands, so that a ready one is to write in its place; `holding` entries that the record
 * lacks, which are to be written before all else.
 */
export type Candidacy = 'ready' | 'unreached' | 'holding';

/** Who is to write in place of one that stands so. */
export const PREFERRED: Readonly<Record<Candidacy, readonly Candidacy[]>> = {
  holding: [],
  ready: ['holding'],
  unreached: ['ready', 'holding'],
};

/** Names a session in pg_stat_activity, which keeps 63 characters of ASCII: an event of another ID has a hash of it there. */
export function sessionName(eventId: string, candidacy: Candidacy): string {
  const event = isEventId(eventId)
    ? eventId
    : createHash('sha256').update(eventId).digest('hex').slice(0, 32);
  return `triagem record ${event}${candidacy === 'ready' ? '' : ` ${candidacy}`}`;
}

/** Whether one that stands so is to let one of these write. */
export function shouldYield(candidacy: Candidacy, others: ReadonlySet<Candidacy>): boolean {
  return PREFERRED[candidacy].some((preferred) => others.has(preferred));
}
