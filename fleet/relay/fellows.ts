import { type LogPosition, shortTimelineAt } from '../../domain/log-position.ts';
import type { CountedPrimaries, Primary } from './wire.ts';

/** A counter of which no edge has reported anything for this long is not among them. */
const FORGET_AFTER_MS = 3_000;
const MAX_FELLOWS = 64;

/** The other counters of a deployment, as edges report them to one of them. The caller gives the time. */
export class Fellows {
  readonly #own: string;
  readonly #primaries = new Map<string, { readonly primary: Primary; readonly atMs: number }>();

  /** `own`: the counter to which they are reported. */
  constructor(own: string) {
    this.#own = own;
  }

  note(primaries: CountedPrimaries, nowMs: number): void {
    for (const [counter, { atMs }] of this.#primaries)
      if (nowMs - atMs > FORGET_AFTER_MS) this.#primaries.delete(counter);
    for (const [counter, primary] of Object.entries(primaries)) {
      if (counter === this.#own) continue;
      if (this.#primaries.size >= MAX_FELLOWS && !this.#primaries.has(counter)) return;
      this.#primaries.set(counter, { primary, atMs: nowMs });
    }
  }

  /** The names of counters that count another primary than the one at `position`, of its database or of another. */
  elsewhere(position: LogPosition | undefined, server: string | undefined, nowMs: number): string[] {
    if (position === undefined) return [];
    const own = { timeline: shortTimelineAt(position), server };
    return [...this.#primaries]
      .filter(([, { atMs }]) => nowMs - atMs <= FORGET_AFTER_MS)
      .filter(([, { primary }]) => primary.timeline !== own.timeline || areTwoServers(primary, own))
      .map(([counter]) => counter)
      .toSorted();
  }
}

function areTwoServers({ server: one }: Primary, { server: other }: Primary): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
