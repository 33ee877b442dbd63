/** The command line is wrong: exit code 2, with a hint to --help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The work could not be done, for a reason that the message says. */
export class GatesError extends Error {
  override readonly name = 'GatesError';
  readonly exitCode: number;

  /** `cause`: what the database or the system said, where it did. */
  constructor(message: string, exitCode = 1, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** The same may well go through later, with nothing changed in what was asked for. */
export class TryAgainError extends GatesError {
  constructor(message: string, cause?: unknown) {
    super(message, 1, cause);
  }
}

/** The connection broke during a commit: whether that was made is not known. */
export class UnknownCommitError extends TryAgainError {}

/** The exit code of a command that Ctrl-C ended, as a shell has it. */
export const INTERRUPTED = 130;

/** Somebody pressed Ctrl-C. */
export function stopped(): GatesError {
  return new GatesError('Stopped.', INTERRUPTED);
}

export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(errorMessage).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** The errno code of a failed system call ('ENOENT'), or the SQLSTATE of a failed statement ('53100'). */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
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
