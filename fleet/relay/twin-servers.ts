import { type LogPosition, systemOf, timelineOf } from '../../domain/log-position.ts';
import type { CounterRegistry } from './counter-registry.ts';

/**
 * Keeps apart the servers of one timeline: two standbys were promoted to it. Their positions have no order, so that none of
 * them is shown while live counters count both; where they count one, the counts of the others are not shown.
 */
export class TwinServers {
  readonly #counters: CounterRegistry;
  /** Where the counts stood that were current last. */
  #position: LogPosition | undefined;
  /** The server of the current counts, where it is known. */
  #server: string | undefined;
  #names: readonly string[] = [];

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

  /** Counts of this server at this position are current. Returns whether those before were of another server. */
  noteCurrent(position: LogPosition, server: string | undefined): boolean {
    const isOther = this.#server !== undefined && server !== this.#server;
    this.#position = position;
    this.#server = server;
    return isOther;
  }

  /** Returns whether the current counts are to be forgotten: the live counters count several servers, or another one. */
  check(nowMs: number): boolean {
    const counted = this.#countedServers(nowMs);
    this.#names = counted.size > 1 ? [...new Set([...counted.values()].flat())].toSorted() : [];
    const isLeft = this.#names.length > 0 || isElsewhere(this.#server, counted);
    if (isLeft) this.#server = undefined;
    return isLeft;
  }

  /** Whether a state of this server at this position is not to be shown. */
  refuses(server: string | undefined, position: LogPosition, nowMs: number): boolean {
    const current = this.#position;
    if (current === undefined || systemOf(position) !== systemOf(current)) return false;
    if (timelineOf(position) !== timelineOf(current)) return false;
    return this.#names.length > 0 || isElsewhere(server, this.#countedServers(nowMs));
  }

  #countedServers(nowMs: number): ReadonlyMap<string, readonly string[]> {
    const position = this.#position;
    if (position === undefined) return new Map();
    return this.#counters.countedServers(systemOf(position), timelineOf(position), nowMs);
  }
}

function isElsewhere(server: string | undefined, counted: ReadonlyMap<string, unknown>): boolean {
  return server !== undefined && counted.size > 0 && !counted.has(server);
}
