import { OperatorError } from '../domain/operator-error.ts';

/** The database cannot be used, and a retry would not help. The message names problem and fix. */
export class DatabaseSetupError extends OperatorError {
  override readonly name = 'DatabaseSetupError';

  constructor(problem: string, fix: string, options?: ErrorOptions) {
    super(`${problem} ${fix}`, options);
  }
}

/** The disk of the embedded database is full. */
export class DiskFullError extends DatabaseSetupError {
  readonly folder: string;

  constructor(folder: string, options?: ErrorOptions) {
    super(
      `The disk of the data folder ${folder} is full.`,
      'Free some space and start again: nothing committed is lost. Or set DATA_DIR to another folder.',
      options,
    );
    this.folder = folder;
  }
}

/** The errno code of a failed system call ('EACCES'), or the SQLSTATE of a failed statement ('42501'). */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Explains a failed system call on the data folder to the operator; any other error stays as it is. */
export function explainFolderError(error: unknown, folder: string): unknown {
  const elsewhere = 'Or set DATA_DIR to another folder.';
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return new DatabaseSetupError(
        `The data folder ${folder} may not be written by this account (${errorMessage(error)}).`,
        `Run as the account that owns it. ${elsewhere}`,
        { cause: error },
      );
    case 'EROFS':
      return new DatabaseSetupError(
        `The data folder ${folder} is on a read-only file system.`,
        `Mount it writable. ${elsewhere}`,
        { cause: error },
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new DiskFullError(folder, { cause: error });
    case 'ENOTDIR':
    case 'EEXIST':
      return new DatabaseSetupError(
        `The data folder ${folder} cannot be made: a file is in its place (${errorMessage(error)}).`,
        'Set DATA_DIR to a folder, or move the file away.',
        { cause: error },
      );
    default:
      return error;
  }
}
