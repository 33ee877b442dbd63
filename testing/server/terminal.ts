import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { GatesTool } from '../gates/gates-tool.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/** Somebody at a terminal in which a program runs. */
export interface Terminal {
  readonly shown: () => string;
  readonly type: (text: string) => void;
  /** Resolves to the exit code. */
  readonly ended: Promise<number>;
}

/** `npm run gates -- …args` at a terminal. */
export function sitAtTerminal({ database }: Pick<GatesTool, 'database'>, ...args: string[]): Terminal {
  return runAtTerminal(['gates', ...args], { GATES_DATABASE_URL: database.gatesUrl });
}

/** `npm run …args` at a terminal; its own arguments follow without `--`. */
export function runAtTerminal(args: readonly string[], env: Record<string, string>): Terminal {
  const command = ['node', 'tools/launch.mjs', ...args].join(' ');
  const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  terminal.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()));
  const ended = once(terminal, 'close').then(([code]) => code as number);
  return { shown: () => shown, type: (text) => void terminal.stdin.write(text), ended };
}
