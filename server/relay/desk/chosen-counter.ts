import { performance } from 'node:perf_hooks';
import { DeskUnavailableError } from '../../flow/desk.ts';
import type { DeskLine } from './desk-line.ts';
import { decodeDesk, type DeskCounter, encodeDesk } from './desk-wire.ts';

/** How often a counter that does not write is asked for again: another one may have taken over. */
const DOUBT_MS = 2_000;

/**
 * Which counter is asked about an event: the one that writes its record, as it knows first what is said; where none
 * writes, one whose source is live.
 */
export class ChosenCounter {
  readonly #line: DeskLine;
  #name: string | undefined;
  #choosing: Promise<string | undefined> | undefined;
  #chosenAtMs = 0;

  constructor(line: DeskLine) {
    this.#line = line;
  }

  /** Rejects with a DeskUnavailableError where none answers. */
  async choose(): Promise<string> {
    const name = this.#name ?? (await this.#ask());
    if (name === undefined) throw new DeskUnavailableError('no counter answers');
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
    const counters = [...answers].flatMap(([name, bytes]) => {
      const counter = readCounter(bytes);
      return counter ? [{ name, ...counter }] : [];
    });
    counters.sort((a, b) => rank(b) - rank(a) || b.lastSeq - a.lastSeq || (a.name < b.name ? -1 : 1));
    this.#name = counters[0]?.name;
    this.#chosenAtMs = performance.now();
    return this.#name;
  }
}

function rank({ record, isLive }: DeskCounter): number {
  return (record === 'writer' ? 2 : 0) + (isLive ? 1 : 0);
}

/** `undefined`: it is of another wire, or cannot answer. */
function readCounter(bytes: Uint8Array): DeskCounter | undefined {
  try {
    const { said } = decodeDesk(bytes) as { said?: Partial<DeskCounter> };
    const isCounter = typeof said?.record === 'string' && typeof said.isLive === 'boolean';
    return isCounter && typeof said.lastSeq === 'number' ? (said as DeskCounter) : undefined;
  } catch {
    return undefined;
  }
}
