import type { IncompleteCount, IncompleteSlice } from '../../domain/event-state.ts';
import { COUNTS_VALID_MS } from '../../domain/freshness.ts';
import { type CounterRegistry, isAnswering, keyOf } from './counter-registry.ts';
import type { Sender } from './wire.ts';

interface Held {
  readonly from: Sender;
  readonly state: IncompleteSlice;
  readonly digest: string;
  readonly atMs: number;
}

/**
 * The incomplete counts of one event, as all counters that answer know them. Each of them may know of a mark that the record
 * of another one lacks, as after a promotion: it holds for as long as its counter answers. Where none does, or none of them has
 * read its record, all that was known holds. The caller gives the time.
 */
export class IncompleteCounts {
  readonly #counters: CounterRegistry;
  readonly #onSlice: (slice: IncompleteSlice) => void;
  /** The last slice of each counter. */
  readonly #held = new Map<string, Held>();
  #published = '';

  constructor(counters: CounterRegistry, onSlice: (slice: IncompleteSlice) => void) {
    this.#counters = counters;
    this.#onSlice = onSlice;
  }

  offer({ from, state, digest }: Omit<Held, 'atMs'>, nowMs: number): void {
    this.#held.set(keyOf(from), { from, state, digest, atMs: nowMs });
    this.#publish(nowMs);
  }

  /** Whether this counter has others than it sent; without `digest`, it watches no flow. */
  lacks(from: Sender, digest: string | undefined): boolean {
    return digest !== undefined && this.#held.get(keyOf(from))?.digest !== digest;
  }

  /** Leaves out the counters that have fallen silent. */
  check(nowMs: number): void {
    if (this.#held.size > 1) this.#publish(nowMs);
  }

  #publish(nowMs: number): void {
    const all = [...this.#held.values()];
    const answering = all.filter(({ from, atMs }) => {
      const counter = this.#counters.get(from);
      return nowMs - atMs <= COUNTS_VALID_MS || (counter && isAnswering(counter, nowMs));
    });
    const read = answering.length > 0 ? answering.filter(isRead) : all;
    const known = [read, all.filter(isRead), answering].find(({ length }) => length > 0) ?? [];
    for (const held of all)
      if (!known.includes(held) && !answering.includes(held)) this.#held.delete(keyOf(held.from));
    const [first] = known;
    if (!first) return;
    const began = known.flatMap(({ state }) => state.evacuatedAtMs ?? []);
    const slice = {
      ...first.state,
      incomplete: merged(known.flatMap(({ state }) => state.incomplete)),
      evacuatedAtMs: began.length > 0 ? Math.min(...began) : null,
    };
    const text = JSON.stringify([slice.incomplete, slice.evacuatedAtMs]);
    if (text === this.#published) return;
    this.#published = text;
    this.#onSlice(slice);
  }
}

function isRead({ state }: Held): boolean {
  return state.incomplete.every(({ fromMs }) => fromMs !== null);
}

/** A period has ended that one counter knows to have ended. */
function merged(counts: readonly IncompleteCount[]): IncompleteCount[] {
  const periods = new Map<string, IncompleteCount>();
  for (const count of counts) {
    const key = JSON.stringify([count.row, count.fromMs]);
    const known = periods.get(key);
    periods.set(key, { ...count, toMs: known?.toMs ?? count.toMs });
  }
  return [...periods.values()];
}
