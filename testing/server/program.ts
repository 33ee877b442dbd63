import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { closeOnce } from '../close-once.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/** A process of its own, with what it wrote. */
export interface Program {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<ProgramEnd>;
  /** Sends a signal, SIGTERM by default, and waits for the end of the program. */
  readonly end: (signal?: NodeJS.Signals) => Promise<ProgramEnd>;
}

type ProgramEnd = number | NodeJS.Signals | null;

export interface ProgramOptions {
  /** All of its environment, beside PATH. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly cwd?: string;
  /** Whether it can be sent messages. */
  readonly ipc?: boolean;
}

export function startProgram(
  command: string,
  args: readonly string[],
  { env = {}, cwd = PROJECT_ROOT, ipc = false }: ProgramOptions = {},
): Program {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr?.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as ProgramEnd);
  const end: Program['end'] = (signal) => {
    child.kill(signal);
    return ended;
  };
  return { child, stdout: () => stdout, stderr: () => stderr, ended, end };
}

/**
 * `npm run NAME -- …args`, as a user runs it, without npm in between; ended with the test. `through`: a command that
 * becomes the program. `root`: where another copy of the project is.
 */
export function runProgram(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  through: readonly string[] = [],
  root = PROJECT_ROOT,
): Program {
  const command = [...through, process.execPath, join(root, 'tools/launch.mjs'), name, ...args];
  const program = startProgram(command[0] ?? '', command.slice(1), { env, cwd: root });
  closeOnce(() => program.end());
  return program;
}

/** Processes of this machine whose command line or environment names `marker`. */
export function processesNaming(marker: string): string[] {
  const lines = execFileSync('ps', ['axeww', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return lines.split('\n').filter((line) => line.includes(marker) && !line.includes('ps axeww'));
}
