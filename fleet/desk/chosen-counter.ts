import { performance } from 'node:perf_hooks';
import { DeskUnavailableError } from '../../desk/flow/desk.ts';
import type { CountedPrimary } from '../relay/followed-event.ts';
import type { DeskLine } from './desk-line.ts';
import { decodeDesk, type DeskCounter, encodeDesk, WireError } from './desk-wire.ts';

/** How often a counter that does not write is asked for again: another one may have taken over. */
const DOUBT_MS = 2_000;

/**
 * Which counter is asked about an event: the one that writes its record, as it knows first what is said; where none
 * writes, one whose source is live. One of a former primary is never asked, and one whose source is live only if it is
 * known that it counts the primary of what the screens show.
 */
export class ChosenCounter {
  readonly #line: DeskLine;
  readonly #primaryOf: (counter: string) => CountedPrimary;
  #name: string | undefined;
  /** What those said who answered and cannot be asked. */
  #refusal: string | undefined;
  #choosing: Promise<string | undefined> | undefined;
  #chosenAtMs = 0;

  constructor(line: DeskLine, primaryOf: (counter: string) => CountedPrimary) {
    this.#line = line;
    this.#primaryOf = primaryOf;
  }

  /** Rejects with a DeskUnavailableError where none answers. */
  async choose(): Promise<string> {
    if (this.#name !== undefined && this.#primaryOf(this.#name) === 'former') this.#name = undefined;
    const name = this.#name ?? (await this.#ask());
    if (name === undefined) throw new DeskUnavailableError(this.#refusal ?? 'no counter answers');
    return name;
  }

  /** Returns whether it is another one. */
  async chooseAnew(): Promise<boolean> {
    const before = this.#name;
    const name = await this.#ask();
    return name !== undefined && name !== before;
  }

  /** It does not write: perhaps another one does. */
  doubt(): void {
    if (performance.now() - this.#chosenAtMs > DOUBT_MS) this.#name = undefined;
  }

  /** Who asks meanwhile waits for the same answer. */
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
    const primary = this.#primaryOf(name);
    if (primary === 'former') return 'it counts a former primary';
    return isLive && primary === 'unknown' ? 'it has not said yet which primary it counts' : undefined;
  }
}

function rank({ record, isLive }: DeskCounter): number {
  return (record === 'writer' ? 2 : 0) + (isLive ? 1 : 0);
}

/** A text: why it cannot be asked. It may be of another wire. */
function readCounter(bytes: Uint8Array): DeskCounter | string {
  try {
    const { said, unavailable } = decodeDesk(bytes) as {
      readonly said?: Partial<DeskCounter>;
      readonly unavailable?: unknown;
    };
    const isCounter = typeof said?.record === 'string' && typeof said.isLive === 'boolean';
    if (isCounter && typeof said.lastSeq === 'number') return said as DeskCounter;
    return typeof unavailable === 'string' ? unavailable : 'its answer is malformed';
  } catch (error) {
    return error instanceof WireError ? error.message : 'its answer is no JSON';
  }
}
