import { quoteValue, UsageError } from '../../cli/errors.ts';
import type { Dialect } from './dialect.ts';

const FIELDS = ['isValidTicket', 'entrou'] as const;

/** The fields that are yes or no. */
type Field = (typeof FIELDS)[number];

/** The meanings that the user gave, by `keyOf`. */
export type GivenWords = ReadonlyMap<string, boolean>;

/** Limits the unknown words that are counted: a wrong column may hold a million. */
const MAX_COUNTED = 1_000;
const MAX_NAMED = 5;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'sim', 's', 'verdadeiro'].map((word) => [word, true] as const),
  ...['false', '0', 'não', 'nao', 'n', 'falso'].map((word) => [word, false] as const),
]);

/** Whether a text means yes or no, and is no name of a column; one letter may be one. */
export function isWord(text: string): boolean {
  return BOOLEANS.has(fold(text)) && !/^\p{L}$/u.test(text);
}

/** Reads `--word FIELD:WORD=sim` or `=não`, which may be given several times. @throws UsageError */
export function readGivenWords(options: readonly string[]): GivenWords {
  const words = new Map<string, boolean>();
  for (const option of options) {
    const [, given = '', word = '', meaning = ''] = /^([^:]*):(.*)=([^=]*)$/s.exec(option) ?? [];
    const field = FIELDS.find((one) => one.toLowerCase() === given.trim().toLowerCase());
    const value = BOOLEANS.get(fold(meaning));
    if (!field || value === undefined) {
      throw new UsageError(
        `--word is "${option}" instead of FIELD:WORD=sim or FIELD:WORD=não, FIELD one of ${FIELDS.join(', ')}.`,
      );
    }
    const key = keyOf(field, word);
    if (words.has(key)) throw new UsageError(`--word gives ${quoteValue(word)} of ${field} twice.`);
    words.set(key, value);
  }
  return words;
}

/** Reads the columns of yes and no in a file, and counts the words that it does not know. */
export class WordReader {
  readonly #given: GivenWords;
  readonly #unknown = new Map<string, { field: Field; word: string; count: number }>();

  constructor(given: GivenWords) {
    this.#given = given;
  }

  /** Returns null for a word that means neither yes nor no. */
  read(field: Field, text = ''): boolean | null {
    const given = this.#given.size === 0 ? undefined : this.#given.get(keyOf(field, text));
    const value = given ?? BOOLEANS.get(text) ?? BOOLEANS.get(fold(text));
    if (value !== undefined) return value;
    const key = keyOf(field, text);
    const known = this.#unknown.get(key);
    if (known) known.count += 1;
    else if (this.#unknown.size < MAX_COUNTED) this.#unknown.set(key, { field, word: text.trim(), count: 1 });
    return null;
  }

  /** Describes the most frequent unknown words, each with its column, its count, and the option that explains it. */
  describeUnknown({ columns, header }: Pick<Dialect, 'columns' | 'header'>): string[] {
    const words = [...this.#unknown.values()].toSorted((one, other) => other.count - one.count);
    const lines = words.slice(0, MAX_NAMED).map(({ field, word, count }) => {
      const name = quoteValue(header[columns[field] ?? -1] ?? field);
      const lineCount = count === 1 ? '1 line has' : `${count} lines have`;
      const option = quoteValue(`${field}:${word.slice(0, 60)}=sim`);
      return `${lineCount} ${quoteValue(word.slice(0, 60))} in the column ${name} (${field}). Say what it means: --word ${option}, or =não.`;
    });
    const left = words.length - lines.length;
    return left > 0 ? [...lines, `So ${left === 1 ? 'is 1 more word' : `are ${left} more words`}.`] : lines;
  }
}

function keyOf(field: Field, word: string): string {
  return `${field}:${fold(word)}`;
}

function fold(word: string): string {
  return word.trim().normalize('NFC').toLowerCase();
}
