import { type LogPosition, shortTimelineAt } from '../../domain/log-position.ts';
import type { CountedPrimaries } from './wire.ts';

/** A counter of which no edge has reported anything for this long is not among them. */
const FORGET_AFTER_MS = 3_000;
const MAX_FELLOWS = 64;

/** The other counters of a deployment, as edges report them to one of them. The caller gives the time. */
export class Fellows {
  readonly #primaries = new Map<string, { readonly primary: string; readonly atMs: number }>();

  note(primaries: CountedPrimaries, nowMs: number): void {
    for (const [counter, { atMs }] of this.#primaries)
      if (nowMs - atMs > FORGET_AFTER_MS) this.#primaries.delete(counter);
    for (const [counter, primary] of Object.entries(primaries)) {
      if (this.#primaries.size >= MAX_FELLOWS && !this.#primaries.has(counter)) return;
      this.#primaries.set(counter, { primary, atMs: nowMs });
    }
  }

  /** The names of counters that count another primary of the system in which `position` is. */
  elsewhere(position: LogPosition | undefined, nowMs: number): string[] {
    if (position === undefined) return [];
    const own = shortTimelineAt(position);
    const system = own.slice(0, own.indexOf('.') + 1);
    return [...this.#primaries]
      .filter(([, { primary, atMs }]) => {
        return nowMs - atMs <= FORGET_AFTER_MS && primary !== own && primary.startsWith(system);
      })
      .map(([counter]) => counter)
      .toSorted();
  }
}
