import { createHash } from 'node:crypto';
import type { CountsPart } from '../../domain/event-state.ts';
import { isEarlier, systemOf } from '../../domain/log-position.ts';
import type { TallyCounts, TicketCounts } from '../../domain/tally.ts';

/**
 * `later`: shown from now on. `same`, `earlier`: known already. `conflict`: another counter has other counts at the very
 * same position. `foreign`: of another database system, while the one that is shown has a live counter.
 */
export type Choice = 'later' | 'same' | 'earlier' | 'conflict' | 'foreign';

/**
 * Which of several counters' counts an event shows: the latest in the log, whoever says them, and never an earlier one
 * afterwards. A higher timeline is later than any lower one (a standby was promoted). Another database system has another
 * log: it is followed only once nobody live counts the one that is shown.
 */
export class CountsChoice {
  #shown: CountsPart | undefined;
  #taken = 0;

  /** As it was offered, but for `epoch`, which names the database system, and `version`: how many have been shown. */
  get shown(): CountsPart | undefined {
    return this.#shown;
  }

  /**
   * `isLive`: whether a counter of this system is live. A system that takes the place of another must have one.
   */
  offer(counts: CountsPart, isLive: (system: string) => boolean): Choice {
    const shown = this.#shown;
    const system = systemOf(counts.position);
    const shownSystem = shown && systemOf(shown.position);
    if (shown && shownSystem !== undefined) {
      if (system !== shownSystem && (isLive(shownSystem) || !isLive(system))) return 'foreign';
      if (isEarlier(counts.position, shown.position)) return 'earlier';
      if (counts.position === shown.position) return isSame(counts, shown) ? 'same' : 'conflict';
    }
    this.#taken += 1;
    // Hashed for a new one only: done for each state, it costs an edge more than all the rest of the choice.
    const epoch = shown && system === shownSystem ? shown.epoch : epochOf(system);
    this.#shown = { ...counts, epoch, version: this.#taken };
    return 'later';
  }
}

/** The same for all who follow this system: a screen that comes from another edge sees no other epoch. */
function epochOf(system: string): string {
  return createHash('sha256').update(system).digest('hex').slice(0, 6);
}

/** Whether both count the same, in whatever order their codes came. Beyond MAX_CODES each keeps others apart. */
export function isSame(one: TallyCounts, other: TallyCounts): boolean {
  if (!hasSameNumbers(one, other)) return false;
  if (one.rest.tickets > 0 || other.rest.tickets > 0) return true;
  const others = new Map(other.codes.filter(({ tickets }) => tickets > 0).map((code) => [code.code, code]));
  const filled = one.codes.filter(({ tickets }) => tickets > 0);
  return (
    filled.length === others.size &&
    filled.every((code) => {
      const beside = others.get(code.code);
      return beside !== undefined && hasSameNumbers(code, beside);
    })
  );
}

function hasSameNumbers(one: TicketCounts, other: TicketCounts): boolean {
  return one.tickets === other.tickets && one.admitted === other.admitted && one.valid === other.valid;
}
