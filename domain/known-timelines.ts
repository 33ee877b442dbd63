interface Server<Timeline> {
  /** Made with the database cluster. */
  readonly systemId: string;
  /** Grows with every promotion, and with every return to a former primary. */
  readonly timeline: Timeline;
}

/**
 * The latest timelines that hosts were ever heard to know of: a former primary counts for nobody, though the one that leads
 * be away. They are numbers, or as they stand in positions.
 */
export class KnownTimelines<Timeline extends number | string = number> {
  readonly #latest: Map<string, Timeline>;

  /** `known`: by system, from before. */
  constructor(known: Iterable<readonly [systemId: string, timeline: Timeline]> = []) {
    this.#latest = new Map(known);
  }

  /** By system. */
  get latest(): ReadonlyMap<string, Timeline> {
    return this.#latest;
  }

  /** Returns whether it is later than all before. */
  note({ systemId, timeline }: Server<Timeline>): boolean {
    const latest = this.#latest.get(systemId);
    if (latest !== undefined && timeline <= latest) return false;
    this.#latest.set(systemId, timeline);
    return true;
  }

  /** Whether only earlier ones of its system were heard of. */
  isNewer({ systemId, timeline }: Server<Timeline>): boolean {
    const latest = this.#latest.get(systemId);
    return latest !== undefined && timeline > latest;
  }

  /** Whether a later one of its system was heard of. */
  isFormer({ systemId, timeline }: Server<Timeline>): boolean {
    const latest = this.#latest.get(systemId);
    return latest !== undefined && timeline < latest;
  }
}
