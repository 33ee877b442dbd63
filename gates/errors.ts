/** The command line is wrong: exit code 2, with a hint to --help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The work could not be done, for a reason that the message says: exit code 1. */
export class GatesError extends Error {
  override readonly name = 'GatesError';
}

export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(errorMessage).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** A value as it may be shown on a terminal, in quotes. */
export function quoteValue(value: string): string {
  return printable(JSON.stringify(value));
}

/** A text without a character that would move or hide others on a terminal; it may have lines. */
export function printable(text: string): string {
  return text.replaceAll(
    /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
