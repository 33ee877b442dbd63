interface Server {
  /** Made with the database cluster. */
  readonly systemId: string;
  /** Grows with every promotion. */
  readonly timeline: number;
}

/**
 * The latest timelines that hosts were ever heard to know of: a former primary counts for nobody, though the one that leads
 * be away.
 */
export class TimelinesHeard {
  readonly #latest = new Map<string, number>();

  note({ systemId, timeline }: Server): void {
    this.#latest.set(systemId, Math.max(timeline, this.#latest.get(systemId) ?? 0));
  }

  /** Whether only earlier ones of its system were heard of. */
  isNewer({ systemId, timeline }: Server): boolean {
    return timeline > (this.#latest.get(systemId) ?? Number.POSITIVE_INFINITY);
  }

  /** Whether a later one of its system was heard of. */
  isFormer({ systemId, timeline }: Server): boolean {
    return timeline < (this.#latest.get(systemId) ?? 0);
  }
}
