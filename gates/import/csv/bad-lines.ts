import { GatesError } from '../../cli/errors.ts';

/**
 * A line, or several that belong together, without the last line end, and why it is no ticket. One with fewer columns than
 * the header is filled up to it.
 */
export interface BadLine {
  readonly line: number;
  readonly text: string;
  readonly cause: string;
}

const MAX_NAMED = 1_000;

/**
 * Collects the bad lines of a file, added in any order. With `keepsAll` it keeps all of them, with their texts.
 * `describeCauses` describes what many of them have in common.
 */
export class BadLines {
  #kept: BadLine[] = [];
  readonly #keepsAll: boolean;
  readonly describeCauses: () => readonly string[];
  #count = 0;

  constructor(keepsAll: boolean, describeCauses: () => readonly string[] = () => []) {
    this.#keepsAll = keepsAll;
    this.describeCauses = describeCauses;
  }

  get count(): number {
    return this.#count;
  }

  /** The bad lines in order; the first 1,000, unless all are kept. */
  get kept(): readonly BadLine[] {
    const inOrder = this.#kept.toSorted((a, b) => a.line - b.line);
    return this.#keepsAll ? inOrder : inOrder.slice(0, MAX_NAMED);
  }

  add(bad: BadLine): void {
    this.#count += 1;
    this.#kept.push(this.#keepsAll ? bad : { ...bad, text: '' });
    if (!this.#keepsAll && this.#kept.length === 2 * MAX_NAMED) this.#kept = [...this.kept];
  }

  /** Returns a line about each of the first 1,000, one about the others, and those about their causes. */
  describe(): string[] {
    const lines = this.kept.slice(0, MAX_NAMED).map(({ line, cause }) => `Line ${line} is bad: ${cause}.`);
    const left = this.#count - lines.length;
    if (left > 0) lines.push(describeLeft(left));
    return [...lines, ...this.describeCauses()];
  }

  /** `hint` follows several bad lines. */
  toError(hint: string): GatesError {
    const lines = this.describe();
    if (this.#count === 1) return new GatesError(lines.join('\n'));
    return new GatesError(`${[...lines, hint].filter(Boolean).join('\n')}\n`);
  }
}

/** Returns a description with the first `atMost` bad lines that it names, and the count of all others. */
export function nameFew(description: readonly string[], atMost: number): string[] {
  const isNamed = (line: string): boolean => /^Line \d+ is bad: /.test(line);
  const more = (line: string): number => Number(/^(\d+) more lines? (?:is|are) bad\.$/.exec(line)?.[1] ?? 0);
  const named = description.filter(isNamed);
  if (named.length <= atMost) return [...description];
  const left = description.reduce((sum, line) => sum + more(line), named.length - atMost);
  const others = description.filter((line) => !isNamed(line) && more(line) === 0);
  return [...named.slice(0, atMost), describeLeft(left), ...others];
}

function describeLeft(count: number): string {
  return count === 1 ? '1 more line is bad.' : `${count} more lines are bad.`;
}
