import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { once } from 'node:events';

/** A process that is started again when it ends, as systemd would. */
export interface KeptProcess {
  readonly name: string;
  /** Of the one that runs now, or ran last. */
  readonly pid: number;
  stop(): Promise<void>;
}

export interface KeptProcessOptions {
  readonly name: string;
  readonly command: readonly string[];
  /** All of its environment, beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly say: (line: string) => void;
}

const RESTART_AFTER_MS = 2_000;
const STOP_GRACE_MS = 1_500;

export function keepRunning({ name, command, env = {}, logFile, say }: KeptProcessOptions): KeptProcess {
  const log = createWriteStream(logFile, { flags: 'a' });
  let child: ChildProcess;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let pid = 0;
  const start = (): void => {
    const [program = '', ...args] = [...endingWithUs(), ...command];
    const { PATH = '', HOME = '' } = process.env;
    // A group of its own: Ctrl-C in the terminal reaches us, and we stop each in its turn.
    child = spawn(program, args, { env: { PATH, HOME, ...env }, detached: true });
    pid = child.pid ?? pid;
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    child.once('error', (error) => say(`${name} cannot be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      if (isStopping) return;
      say(
        `${name} ended (${signal ?? `exit code ${code}`}); it is started again in 2 s. Its log: ${logFile}`,
      );
      timer = setTimeout(() => {
        start();
        say(`${name} runs again: process ${pid}`);
      }, RESTART_AFTER_MS);
    });
  };
  start();
  return {
    name,
    get pid() {
      return pid;
    },
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        // One that stands still hears nothing else.
        const limit = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
        await ended;
        clearTimeout(limit);
      }
      log.end();
    },
  };
}

/** What comes before the command of a program that must not outlive this process, whatever ends that; Linux only. */
export function endingWithUs(): readonly string[] {
  const program = '/usr/bin/setpriv';
  return process.platform === 'linux' && existsSync(program) ? [program, '--pdeathsig', 'KILL'] : [];
}
