import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** A program of the project, run as a user runs it: a process of its own, with what it wrote. */
export interface Program {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/**
 * `npm run NAME -- …args`, without npm in between. Only what is given is in its environment, beside PATH. `through`: a
 * command that becomes the program. `root`: where another copy of the project is.
 */
export function runProgram(
  name: string,
  args: readonly string[],
  env: Record<string, string>,
  through: readonly string[] = [],
  root = ROOT,
): Program {
  const [command = '', ...rest] = [
    ...through,
    process.execPath,
    join(root, 'tools/launch.mjs'),
    name,
    ...args,
  ];
  const child = spawn(command, rest, {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const ended = once(child, 'close').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null,
  );
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** Processes of this machine whose command line or environment names `marker`. */
export function processesNaming(marker: string): string[] {
  const lines = execFileSync('ps', ['axeww', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return lines.split('\n').filter((line) => line.includes(marker) && !line.includes('ps axeww'));
}
