import { type LogPosition, systemOf, timelineOf } from '../../domain/log-position.ts';
import { type CounterRegistry, isLive } from './counter-registry.ts';
import type { Sender } from './wire.ts';

/**
 * Finds out whether several servers of one timeline are counted: two standbys were promoted to it. Their positions have no
 * order, so that none of them is shown; later the one that is left is.
 */
export class TwinServers {
  readonly #counters: CounterRegistry;
  /** Where the counts stood that were current last. */
  #position: LogPosition | undefined;
  #names: readonly string[] = [];
  #hadTwins = false;

  constructor(counters: CounterRegistry) {
    this.#counters = counters;
  }

  /** The names of the live counters that count them; empty where one server is counted. */
  get names(): readonly string[] {
    return this.#names;
  }

  get position(): LogPosition | undefined {
    return this.#position;
  }

  /** Counts at this position are current. */
  noteCurrent(position: LogPosition): void {
    if (this.#position !== undefined && timelineOf(this.#position) !== timelineOf(position))
      this.#hadTwins = false;
    this.#position = position;
  }

  /** Returns whether there are several now. */
  check(nowMs: number): boolean {
    const position = this.#position;
    if (position === undefined) return false;
    this.#names = this.#counters.countingTwins(systemOf(position), timelineOf(position), nowMs);
    this.#hadTwins ||= this.#names.length > 0;
    return this.#names.length > 0;
  }

  /** Whether these counts may be of a server that is not to be shown: a counter that is not live may have counted either. */
  mayBeOf(from: Sender, position: LogPosition, nowMs: number): boolean {
    const current = this.#position;
    if (!this.#hadTwins || current === undefined) return false;
    if (systemOf(position) !== systemOf(current) || timelineOf(position) !== timelineOf(current))
      return false;
    const counter = this.#counters.get(from);
    return this.#names.length > 0 || !counter || !isLive(counter, nowMs);
  }
}
