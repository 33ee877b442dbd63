import { createHash } from 'node:crypto';
import type { CountsSlice } from '../../domain/event-state.ts';
import { isEarlier, systemOf } from '../../domain/log-position.ts';
import type { TallyCounts, TicketCounts } from '../../domain/tally.ts';

/**
 * `later`: the counts are current from now on. `same`, `earlier`: they are known already. `conflict`: the current counts
 * differ at the same position. `foreign`: they are of another database system, which may not be followed yet.
 */
export type Choice = 'later' | 'same' | 'earlier' | 'conflict' | 'foreign';

/**
 * Chooses the current counts of an event among those of several counters: the latest in the log, and never earlier ones
 * afterwards. A higher timeline is later than any lower one (a standby was promoted). Another database system has another
 * log: it is followed only once no live counter follows the current one.
 */
export class CountsChoice {
  #current: CountsSlice | undefined;
  #taken = 0;
  #isForgotten = false;

  /** The counts as offered, except `epoch`, which names the database system, and `version`: how often they have changed. */
  get current(): CountsSlice | undefined {
    return this.#isForgotten ? undefined : this.#current;
  }

  /** Afterwards any counts of the same system are later. */
  forget(): void {
    this.#isForgotten = true;
  }

  /** `isLive`: whether a counter of this system is live. */
  offer(counts: CountsSlice, isLive: (system: string) => boolean): Choice {
    const current = this.#current;
    const system = systemOf(counts.position);
    const currentSystem = current && systemOf(current.position);
    if (current && currentSystem !== undefined) {
      if (system !== currentSystem && (isLive(currentSystem) || !isLive(system))) return 'foreign';
      if (!this.#isForgotten && isEarlier(counts.position, current.position)) return 'earlier';
      if (!this.#isForgotten && counts.position === current.position)
        return isSame(counts, current) ? 'same' : 'conflict';
    }
    this.#isForgotten = false;
    this.#taken += 1;
    // Hashed for a new system only: for each state, it would cost an edge more than the rest of the choice.
    const epoch = current && system === currentSystem ? current.epoch : epochOf(system);
    this.#current = { ...counts, epoch, version: this.#taken };
    return 'later';
  }
}

/** Every edge gives a system the same epoch: a screen that changes edges sees no other one. */
function epochOf(system: string): string {
  return createHash('sha256').update(system).digest('hex').slice(0, 6);
}

/** Whether both have the same counts, in any order of codes. Beyond MAX_CODES, each may list other codes. */
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
