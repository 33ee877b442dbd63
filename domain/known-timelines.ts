interface Server<Timeline> {
  /** The system identifier of the database cluster. */
  readonly systemId: string;
  /** It grows with every promotion, and with every return to a former primary. */
  readonly timeline: Timeline;
}

/**
 * The latest timelines that any host has reported: a former primary stays one while the present one is unavailable.
 * Timelines are numbers, or texts as in positions.
 */
export class KnownTimelines<Timeline extends number | string = number> {
  readonly #latest: Map<string, Timeline>;

  /** `known`: timelines by system, from an earlier run. */
  constructor(known: Iterable<readonly [systemId: string, timeline: Timeline]> = []) {
    this.#latest = new Map(known);
  }

  /** The latest timelines by system. */
  get latest(): ReadonlyMap<string, Timeline> {
    return this.#latest;
  }

  /** Returns whether the timeline is later than all before. */
  note({ systemId, timeline }: Server<Timeline>): boolean {
    const latest = this.#latest.get(systemId);
    if (latest !== undefined && timeline <= latest) return false;
    this.#latest.set(systemId, timeline);
    return true;
  }

  /** Whether only earlier timelines of its system are known. */
  isNewer({ systemId, timeline }: Server<Timeline>): boolean {
    const latest = this.#latest.get(systemId);
    return latest !== undefined && timeline > latest;
  }

  /** Whether a later timeline of its system is known. */
  isFormer({ systemId, timeline }: Server<Timeline>): boolean {
    const latest = this.#latest.get(systemId);
    return latest !== undefined && timeline < latest;
  }
}
