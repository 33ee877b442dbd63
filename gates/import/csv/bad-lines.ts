import { GatesError } from '../../cli/errors.ts';

/** A line, or several that belong together, without its end, and why it is no ticket. */
export interface BadLine {
  readonly line: number;
  readonly text: string;
  readonly cause: string;
}

/** A terminal has no use for more of them. */
const MAX_NAMED = 1_000;

/** What is wrong with the lines of a file. `keepsAll`: with the text of each, however many they are. */
export class BadLines {
  #kept: BadLine[] = [];
  readonly #keepsAll: boolean;
  #count = 0;

  constructor(keepsAll: boolean) {
    this.#keepsAll = keepsAll;
  }

  get count(): number {
    return this.#count;
  }

  /** In the order of their lines; the first 1,000, unless all are kept. */
  get kept(): readonly BadLine[] {
    const inOrder = this.#kept.toSorted((a, b) => a.line - b.line);
    return this.#keepsAll ? inOrder : inOrder.slice(0, MAX_NAMED);
  }

  /** In any order of lines. */
  add(bad: BadLine): void {
    this.#count += 1;
    this.#kept.push(this.#keepsAll ? bad : { ...bad, text: '' });
    if (!this.#keepsAll && this.#kept.length === 2 * MAX_NAMED) this.#kept = [...this.kept];
  }

  /** `hint`: a sentence behind several of them. */
  toError(hint: string): GatesError {
    const lines = this.kept.map(({ line, cause }) => `Line ${line} is bad: ${cause}.`);
    const left = this.#count - lines.length;
    if (left > 0) lines.push(`So ${left === 1 ? 'is 1 more line' : `are ${left} more lines`}.`);
    if (lines.length === 1) return new GatesError(lines.join(''));
    // Each on a line of its own.
    return new GatesError(`${[...lines, hint].filter(Boolean).join('\n')}\n`);
  }
}
