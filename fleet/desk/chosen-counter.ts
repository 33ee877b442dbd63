import { performance } from 'node:perf_hooks';
import { DeskUnavailableError } from '../../desk/flow/desk.ts';
import type { CountedPrimary } from '../relay/followed-event.ts';
import type { DeskLine } from './desk-line.ts';
import { decodeAnswer, type DeskCounter, encodeDesk, WireError } from './desk-wire.ts';

/** A counter that does not write the record is reconsidered with each state, every second: another one may have taken over. */
const RECONSIDER_MS = 500;

/** Why a counter of such a primary is never asked. */
const REFUSED: ReadonlyMap<CountedPrimary, string> = new Map([
  ['former', 'it counts a former primary'],
  ['twin', 'it counts one of several primaries of one timeline'],
]);

/** What an edge knows of the counters of an event by their counts. */
export interface KnownCounters {
  readonly primaryOf: (counter: string) => CountedPrimary;
  /** The name of one that counts the present primary; undefined where there is none. */
  readonly current: () => string | undefined;
  /** What this process's `performance.now()` was when the counter's was `counterMs`, at the earliest; undefined: not known. */
  readonly earliestMs: (counter: string, counterMs: number) => number | undefined;
}

/**
 * Chooses which counter is asked about an event: the one that writes its record, which knows of entries first; where none
 * writes, one whose source is live. A counter of a former primary, or of one of several primaries of a timeline, is never
 * asked, and one whose source is live only if it is known to follow the primary of the current counts.
 */
export class ChosenCounter {
  readonly #line: DeskLine;
  readonly #known: KnownCounters;
  #name: string | undefined;
  /** Why the first of the counters that answered cannot be asked. */
  #refusal: string | undefined;
  #choosing: Promise<string | undefined> | undefined;
  #chosenAtMs = 0;

  constructor(line: DeskLine, known: KnownCounters) {
    this.#line = line;
    this.#known = known;
  }

  /** @throws DeskUnavailableError: no counter can be asked */
  async choose(): Promise<string> {
    const { primaryOf, current } = this.#known;
    // Which of the others writes is asked later: one that counts the present primary knows the state.
    if (this.#name !== undefined && REFUSED.has(primaryOf(this.#name))) this.#name = current();
    const name = this.#name ?? (await this.#ask());
    if (name === undefined) throw new DeskUnavailableError(this.#refusal ?? 'no counter answers');
    return name;
  }

  /** Returns whether another counter is chosen. */
  async chooseAnew(): Promise<boolean> {
    const before = this.#name;
    const name = await this.#ask();
    return name !== undefined && name !== before;
  }

  /** The chosen counter does not write: another one may. The former choice stands until there is another. */
  reconsider(): void {
    if (performance.now() - this.#chosenAtMs <= RECONSIDER_MS) return;
    const before = this.#name;
    void this.#ask().then((name) => {
      if (name === undefined) this.#name ??= before;
    });
  }

  /** Concurrent callers wait for the same answer. */
  #ask(): Promise<string | undefined> {
    this.#choosing ??= this.#askAll().finally(() => (this.#choosing = undefined));
    return this.#choosing;
  }

  async #askAll(): Promise<string | undefined> {
    const answers = await this.#line.askAll(encodeDesk({ ask: 'who' }));
    this.#refusal = undefined;
    const counters = [...answers].flatMap(([name, bytes]) => {
      const counter = readCounter(bytes);
      const refusal = typeof counter === 'object' ? this.#refusalOf(name, counter) : counter;
      if (typeof counter === 'object' && refusal === undefined) return [{ name, ...counter }];
      this.#refusal ??= `the counter ${name} cannot be asked: ${refusal}`;
      return [];
    });
    counters.sort((a, b) => rank(b) - rank(a) || b.lastSeq - a.lastSeq || (a.name < b.name ? -1 : 1));
    this.#name = counters[0]?.name;
    this.#chosenAtMs = performance.now();
    return this.#name;
  }

  #refusalOf(name: string, { isLive }: DeskCounter): string | undefined {
    const primary = this.#known.primaryOf(name);
    const refused = REFUSED.get(primary);
    if (refused !== undefined) return refused;
    return isLive && primary === 'unknown' ? 'it is not known yet which primary it counts' : undefined;
  }
}

function rank({ record, isLive }: DeskCounter): number {
  return (record === 'writer' ? 2 : 0) + (isLive ? 1 : 0);
}

/** Returns a text where the counter cannot be asked, which may speak another version. */
function readCounter(bytes: Uint8Array): DeskCounter | string {
  try {
    const { said: counter, unavailable } = decodeAnswer(bytes) as {
      readonly said?: Partial<DeskCounter>;
      readonly unavailable?: unknown;
    };
    const isCounter = typeof counter?.record === 'string' && typeof counter.isLive === 'boolean';
    if (isCounter && typeof counter.lastSeq === 'number') return counter as DeskCounter;
    return typeof unavailable === 'string' ? unavailable : 'its answer is malformed';
  } catch (error) {
    return error instanceof WireError ? error.message : 'its answer is no JSON';
  }
}
