import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { once } from 'node:events';

/** A process that is started again when it ends, as systemd would. */
export interface KeptProcess {
  readonly name: string;
  /** Of the one that runs now, or ran last. */
  readonly pid: number;
  /** Sends it this, and each that is started in its place. */
  tell(message: object): void;
  stop(): Promise<void>;
}

export interface KeptProcessOptions {
  readonly name: string;
  readonly command: readonly string[];
  /** All of its environment, beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it hears what it is told; default: no. */
  readonly hears?: boolean;
  /** Default: 2 s, as in triagem.service. */
  readonly restartAfterMs?: number;
  readonly logFile: string;
  readonly say: (line: string) => void;
}

const STOP_GRACE_MS = 1_500;

export function keepRunning({
  name,
  command,
  env = {},
  hears = false,
  restartAfterMs = 2_000,
  logFile,
  say,
}: KeptProcessOptions): KeptProcess {
  const log = createWriteStream(logFile, { flags: 'a' });
  let child: ChildProcess;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let pid = 0;
  let told: object | undefined;
  const start = (): void => {
    const [program = '', ...args] = [...endingWithUs(), ...command];
    const { PATH = '', HOME = '' } = process.env;
    // A group of its own: Ctrl-C in the terminal reaches us, and we stop each in its turn.
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(hears ? (['ipc'] as const) : [])];
    child = spawn(program, args, { env: { PATH, HOME, ...env }, detached: true, stdio });
    pid = child.pid ?? pid;
    if (told) child.send(told, () => {});
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    child.once('error', (error) => say(`${name} cannot be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      if (isStopping) return;
      say(
        `${name} ended (${signal ?? `exit code ${code}`}); it is started again after ${restartAfterMs / 1_000} s. Its log: ${logFile}`,
      );
      timer = setTimeout(() => {
        start();
        say(`${name} runs again: process ${pid}`);
      }, restartAfterMs);
    });
  };
  start();
  return {
    name,
    get pid() {
      return pid;
    },
    tell(message) {
      told = message;
      // Whoever is just ending hears nothing; the next one does.
      if (child.connected) child.send(message, () => {});
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
