import { spawn } from 'node:child_process';

/** An operating system account under which PostgreSQL runs when we are root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export interface ProgramResult {
  /** Exit code; 127 when the program could not be started, 128 when a signal ended it. */
  readonly code: number;
  /** Standard output and standard error, in the order they came. */
  readonly output: string;
}

/**
 * Runs a program to its end, in `/` (the account may not be able to enter our folder) and with an environment of its own:
 * PGPORT, PGDATA and the like would change what PostgreSQL does. Never rejects.
 *
 * `detached` gives it a process group of its own, which Ctrl-C in the terminal does not reach. `signal` kills it and its
 * children, and it ends when they have ended: nothing writes any more then.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  options: {
    readonly account: Account | undefined;
    readonly detached?: boolean;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<ProgramResult> {
  const { account, detached = false, signal } = options;
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(file, args, {
      cwd: '/',
      detached: detached || signal !== undefined,
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(account ? { uid: account.uid, gid: account.gid } : {}),
    });
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    signal?.addEventListener('abort', kill);
    if (signal?.aborted) kill();
    child.once('error', (error) => {
      signal?.removeEventListener('abort', kill);
      resolve({ code: 127, output: error.message });
    });
    child.once('close', (code) => {
      signal?.removeEventListener('abort', kill);
      resolve({ code: code ?? 128, output: output.trim() });
    });
  });
}
