import type { Logger } from 'pino';
import { isEarlier, type LogPosition, shortTimelineAt } from '../../domain/log-position.ts';

/**
 * What screens claim to have seen. A screen that has seen a later timeline of the database than the one that is counted, as
 * of a promotion or a return to a former primary, shows nothing earlier: the operator is warned. A claim is not trusted beyond
 * that.
 */
export class LaterSeen {
  readonly #position: () => LogPosition | undefined;
  readonly #log: Logger;
  #latest: string | undefined;

  /** `position`: that of the current counts, if there are any. */
  constructor(position: () => LogPosition | undefined, log: Logger) {
    this.#position = position;
    this.#log = log;
  }

  /** A screen claims to have seen this timeline, as `shortTimeline` writes it. */
  note(timeline: string): void {
    if (!this.#isLater(timeline) || (this.#latest !== undefined && !isEarlier(this.#latest, timeline)))
      return;
    this.#latest = timeline;
    this.#log.warn(this.warning);
  }

  /** The warning for the operator; `undefined` where no screen has seen a later timeline. */
  get warning(): string | undefined {
    if (this.#latest === undefined || !this.#isLater(this.#latest)) return undefined;
    return (
      'Screens have seen a later timeline of this database, and do not go back to this one by themselves: if a standby was ' +
      'promoted, count that one; if an older copy was put back on purpose, give the order: `npm run return`'
    );
  }

  #isLater(timeline: string): boolean {
    const position = this.#position();
    return position !== undefined && isEarlier(shortTimelineAt(position), timeline);
  }
}
