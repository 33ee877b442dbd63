/** The command line is wrong: exit code 2, with a hint to --help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed, for the reason in the message. */
export class GatesError extends Error {
  override readonly name = 'GatesError';
  readonly exitCode: number;

  /** `cause` is the error of the database or the system, if there is one. */
  constructor(message: string, exitCode = 1, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** The same command may succeed later. */
export class TryAgainError extends GatesError {
  constructor(message: string, cause?: unknown, exitCode = 1) {
    super(message, exitCode, cause);
  }
}

/** Whether the board's database runs is not known, as this account may not look. */
export class UnseenError extends TryAgainError {}

/** The connection broke, or Ctrl-C came, during a commit, whose outcome is unknown. */
export class UnknownCommitError extends TryAgainError {}

/** A shell's exit code for a command that Ctrl-C ended. */
export const INTERRUPTED = 130;

export function stopped(): GatesError {
  return new GatesError('Stopped.', INTERRUPTED);
}

/** Returns the error of a command whose output cannot be written, as to a full disk. */
export function outputError(error: unknown): GatesError {
  return new GatesError(
    `Standard output cannot be written: ${errorMessage(error)}. It is not complete; what the command did stays done.`,
  );
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

/** A trigger that lets a statement pass and leaves rows as they were, or out, refuses them as much as one that raises. */
export function refusedSilently(count: number): GatesError {
  const tickets = count === 1 ? 'a ticket' : `${count} tickets`;
  const cause = Object.assign(new Error('rows were left as they were'), { code: 'P0001' });
  return new GatesError(
    `A trigger of the database does not let ${tickets} be changed, and raises no error.`,
    1,
    cause,
  );
}

/** Quotes a value for a terminal. A space that is no ordinary one can be told from it. */
export function quoteValue(value: string): string {
  return printable(JSON.stringify(value)).replaceAll(/[^\P{Zs} ]/gu, escapeCharacter);
}

/** Quotes a title, whose own quotes stay as they are. */
export function quoteTitle(title: string): string {
  return `"${printable(title).replaceAll('\n', ' ')}"`;
}

/** Escapes characters that would move or hide others on a terminal; line breaks stay. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
