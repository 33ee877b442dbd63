import { type LogPosition, shortTimelineAt } from '../../domain/log-position.ts';
import type { CountedPrimaries, Primary } from './wire.ts';

/** What an edge reported longer ago is not known any more: it asks four times a second. */
const FORGET_AFTER_MS = 3_000;
const MAX_EDGES = 64;

/** The other live counters of a deployment, as edges report them to one of them. The caller gives the time. */
export class Fellows {
  readonly #own: string;
  /** The last report of each edge. */
  readonly #reports = new Map<string, { readonly primaries: CountedPrimaries; readonly atMs: number }>();

  /** `own`: the counter to which they are reported. */
  constructor(own: string) {
    this.#own = own;
  }

  note(edge: string, primaries: CountedPrimaries, nowMs: number): void {
    for (const [name, { atMs }] of this.#reports)
      if (nowMs - atMs > FORGET_AFTER_MS) this.#reports.delete(name);
    if (this.#reports.size < MAX_EDGES || this.#reports.has(edge))
      this.#reports.set(edge, { primaries, atMs: nowMs });
  }

  /** The names of counters that count another primary than the one at `position`, of its database or of another. */
  elsewhere(position: LogPosition | undefined, server: string | undefined, nowMs: number): string[] {
    if (position === undefined) return [];
    const own = { timeline: shortTimelineAt(position), server };
    const names = [...this.#reports.values()]
      .filter(({ atMs }) => nowMs - atMs <= FORGET_AFTER_MS)
      .flatMap(({ primaries }) => Object.entries(primaries))
      .filter(([, primary]) => primary.timeline !== own.timeline || areTwoServers(primary, own))
      .map(([counter]) => counter);
    return [...new Set(names)].filter((name) => name !== this.#own).toSorted();
  }
}

function areTwoServers({ server: one }: Primary, { server: other }: Primary): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
