import { GatesError } from '../errors.ts';

const TOLD = 20;

/** What is wrong with the lines of a file: the first 20 causes, and how many there are. */
export class BadLines {
  readonly #first: { readonly line: number; readonly cause: string }[] = [];
  #count = 0;
  #endsReading = false;

  get count(): number {
    return this.#count;
  }

  /** In any order of lines. */
  add(line: number, cause: string): void {
    this.#count += 1;
    if (this.#first.length === TOLD && line > (this.#first.at(-1)?.line ?? 0)) return;
    this.#first.push({ line, cause });
    this.#first.sort((a, b) => a.line - b.line);
    this.#first.splice(TOLD);
  }

  /** So many more, after those that were added. */
  addUntold(count: number): void {
    this.#count += count;
  }

  /** What follows the last bad line cannot be read. */
  endReading(): void {
    this.#endsReading = true;
  }

  toError(): GatesError {
    const lines = this.#first.map(({ line, cause }) => `Line ${line} is bad: ${cause}.`);
    const left = this.#count - this.#first.length;
    if (left > 0) lines.push(`So ${left === 1 ? 'is 1 more line' : `are ${left} more lines`}.`);
    if (this.#endsReading)
      lines.push('Lines after the last of these cannot be told apart, and were not read.');
    // On a line of its own where there are several.
    return new GatesError(lines.length === 1 ? lines.join('') : `${lines.join('\n')}\n`);
  }
}
